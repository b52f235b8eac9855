/**
 * The merchant's share of a payment, from being owed to being paid out.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import * as Money from "./Money.ts"
import * as Outflow from "./Outflow.ts"
import * as Transfer from "./Transfer.ts"

const kept = Schema.optionalKey(Money.Quantity)

/** What of a share was paid out, or paid off debt, before the rest of it, which was held back. */
export interface Part extends Schema.Schema.Type<typeof Part> {}
export const Part = Schema.Struct({
  quantity: Money.Quantity,
  netted: Money.Quantity,
  /** What paid it; absent if nothing was sent. */
  sent: Schema.optionalKey(Schema.Struct({ outflowId: Outflow.OutflowId, txHash: Schema.String })),
})

const parts = Schema.optionalKey(Schema.Array(Part))

/** Since when the share waits for a change of its merchant's destination to take effect; absent while it does not. */
const waitsSince = Schema.optionalKey(Schema.Int)

export type Settlement = typeof Settlement.Type
export const Settlement = Schema.TaggedUnion({
  /** The merchant had no destination in effect for this asset when the payment succeeded. */
  Owed: { waitsSince },
  /**
   * The destination that was in effect when the payment succeeded. The one in effect when the share is gathered counts.
   * `kept` of it is kept for refunds of other payments already. Nothing of it is gathered before `from`.
   */
  Pending: {
    destination: Caip.Account,
    kept,
    parts,
    from: Schema.optionalKey(Schema.Int),
    waitsSince,
  },
  /** Part of an outflow. `netted` pays off what the merchant owes from an earlier refund, and the rest is sent. */
  Processing: {
    destination: Caip.Account,
    quantity: Money.Quantity,
    netted: Money.Quantity,
    outflowId: Outflow.OutflowId,
    kept,
    parts,
  },
  /** All of it, with the parts that went before; the last one's transaction, which may have paid other shares too. */
  Successful: {
    destination: Caip.Account,
    quantity: Money.Quantity,
    netted: Money.Quantity,
    outflowId: Outflow.OutflowId,
    txHash: Schema.String,
    settledAt: Schema.Int,
    parts,
  },
  /** All of it paid off what the merchant owed; nothing was left to send. */
  Netted: { netted: Money.Quantity, settledAt: Schema.Int },
  /** The destination cannot be paid, as when it is blocklisted: retried only on request. */
  Held: {
    destination: Caip.Account,
    outflowId: Outflow.OutflowId,
    ...Transfer.Failure.fields,
    heldAt: Schema.Int,
    kept,
    parts,
  },
  /** A refund came first. Where the share would have gone is kept: it may have been sent without the ledger's knowing. */
  Cancelled: { destination: Schema.optionalKey(Caip.Account) },
})

/** The outflow that carries the share, or that failed to pay it; null while there is none. */
export const outflowOf = (settlement: Settlement): Outflow.OutflowId | null =>
  settlement._tag === "Processing" || settlement._tag === "Successful" || settlement._tag === "Held"
    ? settlement.outflowId
    : null

/** What of the share is kept for refunds of other payments. */
export const keptOf = (settlement: Settlement): Money.Quantity =>
  (settlement._tag === "Pending" || settlement._tag === "Processing" || settlement._tag === "Held"
    ? settlement.kept
    : undefined) ?? Money.zero

/** The parts of the share that went before the rest of it. */
export const partsOf = (settlement: Settlement): ReadonlyArray<Part> =>
  ("parts" in settlement ? settlement.parts : undefined) ?? []

/** What all of these parts are together. */
export const total = (of: ReadonlyArray<Pick<Part, "netted" | "quantity">>): bigint =>
  of.reduce((sum, { netted, quantity }) => sum + netted + quantity, 0n)

/**
 * What becomes of a share that a refund takes back, given the outflow that carries it. Null if it is too late for that,
 * because the share was sent, or may have been, even in part, or because another refund was paid with a part of it.
 */
export const cancelled = (
  settlement: Settlement,
  outflow: Outflow.Outflow | null,
): Settlement | null => {
  if (keptOf(settlement) > 0n || partsOf(settlement).length > 0) return null
  switch (settlement._tag) {
    case "Owed":
      return { _tag: "Cancelled" }
    case "Pending":
      return { _tag: "Cancelled", destination: settlement.destination }
    case "Processing":
      return outflow?.state._tag === "Waiting"
        ? { _tag: "Cancelled", destination: settlement.destination }
        : null
    case "Held":
      return settlement.movedOtherwise === true
        ? null
        : { _tag: "Cancelled", destination: settlement.destination }
    default:
      return null
  }
}

/** Since when a share waits for a change of its merchant's destination; null if it does not. */
export const waitingSince = (settlement: Settlement): number | null =>
  settlement._tag === "Owed" || settlement._tag === "Pending"
    ? (settlement.waitsSince ?? null)
    : null
