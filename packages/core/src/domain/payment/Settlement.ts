/**
 * The merchant's share of a payment, from being owed to being paid out.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import * as Transfer from "../chain/Transfer.ts"
import * as Money from "../ground/Money.ts"
import * as OutflowId from "../ground/OutflowId.ts"
import * as PaymentId from "../ground/PaymentId.ts"
import type * as Outflow from "../outflow/Outflow.ts"

const kept = Schema.optionalKey(Money.Quantity)

/** A part of a share that was paid out, or paid off debt, before the rest, which was held back. */
export interface Part extends Schema.Schema.Type<typeof Part> {}
export const Part = Schema.Struct({
  quantity: Money.Quantity,
  netted: Money.Quantity,
  /** The outflow and transaction that paid it; absent if nothing was sent. */
  sent: Schema.optionalKey(
    Schema.Struct({ outflowId: OutflowId.OutflowId, txHash: Schema.String }),
  ),
})

const parts = Schema.optionalKey(Schema.Array(Part))

/** Since when the share waits for a change of its merchant's destination to take effect; absent while it does not. */
const waitsSince = Schema.optionalKey(Schema.Int)

export type Settlement = typeof Settlement.Type
export const Settlement = Schema.TaggedUnion({
  /** The merchant had no destination in effect for this asset when the payment succeeded. */
  Owed: { waitsSince },
  /**
   * The destination that was in effect when the payment succeeded; the one in effect when the share is gathered counts.
   * `kept` of it is already kept for refunds of other payments. Nothing of it is gathered before `from`.
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
    outflowId: OutflowId.OutflowId,
    kept,
    parts,
  },
  /**
   * All of it was paid, including earlier parts; the transaction is that of the last part, and may have paid other
   * shares too.
   */
  Successful: {
    destination: Caip.Account,
    quantity: Money.Quantity,
    netted: Money.Quantity,
    outflowId: OutflowId.OutflowId,
    txHash: Schema.String,
    settledAt: Schema.Int,
    parts,
  },
  /**
   * All of it paid off what the merchant owed; nothing was left to send. It is settled once the transfer of the last
   * refund that it paid off is final: `txHash`. Until then `settledAt` is the time at which it paid that off.
   */
  Netted: {
    netted: Money.Quantity,
    settledAt: Schema.Int,
    refundOf: Schema.optionalKey(PaymentId.PaymentId),
    txHash: Schema.optionalKey(Schema.String),
  },
  /** The destination cannot be paid, for example because it is blocklisted: it is retried only on request. */
  Held: {
    destination: Caip.Account,
    outflowId: OutflowId.OutflowId,
    ...Transfer.Failure.fields,
    heldAt: Schema.Int,
    kept,
    parts,
  },
  /**
   * A refund came first. The destination is kept, because the share may have been sent without a record in the ledger.
   */
  Cancelled: { destination: Schema.optionalKey(Caip.Account) },
})

/** The outflow that carries the share, or that failed to pay it; null while there is none. */
export const outflowOf = (settlement: Settlement): OutflowId.OutflowId | null =>
  settlement._tag === "Processing" || settlement._tag === "Successful" || settlement._tag === "Held"
    ? settlement.outflowId
    : null

/** How much of the share is kept for refunds of other payments. */
export const keptOf = (settlement: Settlement): Money.Quantity =>
  (settlement._tag === "Pending" || settlement._tag === "Processing" || settlement._tag === "Held"
    ? settlement.kept
    : undefined) ?? Money.zero

/** The parts of the share that were settled before the rest. */
export const partsOf = (settlement: Settlement): ReadonlyArray<Part> =>
  ("parts" in settlement ? settlement.parts : undefined) ?? []

/** The sum of all these parts. */
export const total = (of: ReadonlyArray<Pick<Part, "netted" | "quantity">>): bigint =>
  of.reduce((sum, { netted, quantity }) => sum + netted + quantity, 0n)

/**
 * The state of a share after a refund takes it back, given the outflow that carries it. Null if it is too late: the
 * share was sent, or may have been, even in part, or a part of it paid another refund.
 */
export const cancel = (
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
