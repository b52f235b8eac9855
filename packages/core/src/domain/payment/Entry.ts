/**
 * The merchant's share of a payment, as an entry of its balance: what was paid less the fee, and the parts of it that
 * were taken. What is not taken is still available.
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
import * as Refund from "./Refund.ts"

/** `quantity` is sent in the payout, and `netted` pays off what the merchant owes from an earlier refund. */
const amounts = {
  outflowId: OutflowId.OutflowId,
  quantity: Money.Quantity,
  netted: Money.Quantity,
}

/** A refund, and the payment that it is of. */
export interface RefundOf extends Schema.Schema.Type<typeof RefundOf> {}
export const RefundOf = Schema.Struct({
  paymentId: PaymentId.PaymentId,
  refundId: Refund.RefundId,
})

/** A part that was taken, in the order in which it was. */
export type Part = typeof Part.Type
export const Part = Schema.TaggedUnion({
  /** A payout carries it. */
  Carried: amounts,
  /** The payout was final, in this transaction, which may have paid other shares too. */
  Paid: { ...amounts, txHash: Schema.String },
  /** The payout cannot be paid, for example because its destination is blocklisted: it is retried only on request. */
  Held: { ...amounts, ...Transfer.Failure.fields, heldAt: Schema.Int },
  /** It paid off debt, or is kept for a refund of this or of another payment: nothing of it is sent. */
  Netted: { netted: Money.Quantity, refundOf: Schema.optionalKey(RefundOf) },
  /** A refund of its own payment came first. */
  Refunded: { netted: Money.Quantity, refundId: Refund.RefundId },
})

export interface Entry extends Schema.Schema.Type<typeof Entry> {}
export const Entry = Schema.Struct({
  quantity: Money.Quantity,
  /**
   * The destination that was in effect when the payment succeeded, or later; null while there was none. The one in
   * effect when it is taken counts. It stays, because the share may have been sent without a record in the ledger.
   */
  destination: Schema.NullOr(Caip.Account),
  parts: Schema.Array(Part),
  /** Nothing of it is gathered before this time; absent if nothing holds it back. */
  heldUntil: Schema.optionalKey(Schema.Int),
  /** Since when it waits for a change of its merchant's destination to take effect; absent while it does not. */
  waitsSince: Schema.optionalKey(Schema.Int),
  /** When all of it was settled; absent before. The transaction is the last one that paid it, or paid off its debt. */
  settled: Schema.optionalKey(
    Schema.Struct({ at: Schema.Int, txHash: Schema.optionalKey(Schema.String) }),
  ),
})

/** Nothing of it is taken. */
export const make = (quantity: Money.Quantity, destination: Caip.Account | null): Entry => ({
  quantity,
  destination,
  parts: [],
})

/** How much of a part is sent. */
const sentOf = (part: Part): bigint => ("quantity" in part ? part.quantity : 0n)

const sum = (entry: Entry, of: (part: Part) => bigint): Money.Quantity =>
  Money.clamp(
    entry.parts.reduce((total, part) => total + of(part), 0n),
    Money.largest,
  )

/** How much of it is not taken. */
export const left = (entry: Entry): Money.Quantity =>
  Money.clamp(entry.quantity - sum(entry, (part) => sentOf(part) + part.netted), entry.quantity)

/** How much of it was sent. */
export const paid = (entry: Entry): Money.Quantity =>
  sum(entry, (part) => (part._tag === "Paid" ? part.quantity : 0n))

/** How much of it was deducted so far for refunds of money that the merchant already had. */
export const netted = (entry: Entry): Money.Quantity =>
  sum(entry, (part) => (part._tag === "Paid" || part._tag === "Netted" ? part.netted : 0n))

const lastPaid = ({ parts }: Pick<Entry, "parts">) => parts.findLast((part) => part._tag === "Paid")

/** The part that a payout carries now, or failed to pay. */
export const going = ({ parts }: Entry) =>
  parts.find((part) => part._tag === "Held") ?? parts.find((part) => part._tag === "Carried")

/** The part that cannot be paid, if there is one. */
export const heldOf = (entry: Entry) => {
  const part = going(entry)
  return part?._tag === "Held" ? part : undefined
}

/** How much of it refunds of its own payment took back. */
const refunded = (entry: Entry): Money.Quantity =>
  sum(entry, (part) => (part._tag === "Refunded" ? part.netted : 0n))

/** Whether refunds of its own payment took all of it back. */
export const isRefunded = (entry: Entry): boolean =>
  entry.parts.length > 0 && refunded(entry) === entry.quantity

/** The refund whose transfer settles it, because it was used up and nothing of it was sent. */
export const refundAwaited = (entry: Entry): RefundOf | null => {
  const kept = entry.parts.filter((part) => part._tag !== "Refunded")
  const last = kept.at(-1)
  const isUsedUp = entry.settled === undefined && left(entry) === 0n
  const isNetted = kept.every((part) => part._tag === "Netted")
  return isUsedUp && isNetted && last?._tag === "Netted" ? (last.refundOf ?? null) : null
}

/** Whether it waits to be gathered, or for a destination: nothing carries it, and nothing ended it. */
export const isWaiting = (entry: Entry): boolean =>
  entry.settled === undefined &&
  going(entry) === undefined &&
  !isRefunded(entry) &&
  refundAwaited(entry) === null

/** Where it is, as its partner sees it. */
export type Status = "waiting" | "processing" | "held" | "paid" | "netted" | "cancelled"

export const status = (entry: Entry): Status => {
  const part = going(entry)
  if (part !== undefined) return part._tag === "Held" ? "held" : "processing"
  if (isRefunded(entry)) return "cancelled"
  if (isWaiting(entry)) return "waiting"
  return lastPaid(entry) === undefined ? "netted" : "paid"
}

/** The payout that carries it or failed to; if it is settled, the one that paid the last part of it. */
export const outflowOf = (entry: Entry): OutflowId.OutflowId | null => {
  const part = going(entry) ?? (entry.settled === undefined ? undefined : lastPaid(entry))
  return part?.outflowId ?? null
}

/** The parts that are in payouts, paid or not. */
export const inPayouts = ({ parts }: Entry) => parts.filter((part) => "outflowId" in part)

/** Every payout that carries a part of it, paid one, or failed to. */
export const outflowIds = (entry: Entry): ReadonlyArray<OutflowId.OutflowId> =>
  inPayouts(entry).map(({ outflowId }) => outflowId)

/** What was settled, and by which transaction; null before, and if no transaction is known. */
export const settledBy = (
  entry: Entry,
): { readonly quantity: Money.Quantity; readonly txId: string; readonly at: number } | null => {
  const { at, txHash: txId } = entry.settled ?? {}
  if (at === undefined || txId === undefined) return null
  const isPaid = lastPaid(entry) !== undefined
  const used = Money.clamp(entry.quantity - refunded(entry), entry.quantity)
  return { quantity: isPaid ? paid(entry) : used, txId, at }
}

// --- steps

/** A waiting entry with another part taken of it. */
export const take = (entry: Entry, part: Part): Entry => ({
  ...entry,
  parts: [...entry.parts, part],
})

/** What it waited for no longer matters. */
export const freed = (entry: Entry): Entry => {
  const { heldUntil: _, waitsSince: __, ...rest } = entry
  return rest
}

/** The entry with the part in an outflow replaced, or free again. */
export const exchange = (entry: Entry, id: OutflowId.OutflowId, next: Part | null): Entry => {
  const { settled: _, ...rest } = entry
  const isIn = (part: Part) => "outflowId" in part && part.outflowId === id
  return { ...rest, parts: entry.parts.flatMap((part) => (isIn(part) ? (next ?? []) : [part])) }
}

/** The entry, settled if all of it is paid or netted and no refund is awaited. */
export const settle = (entry: Entry, at: number): Entry => {
  const isOpen = left(entry) > 0n || going(entry) !== undefined || isRefunded(entry)
  if (isOpen || refundAwaited(entry) !== null) return entry
  const last = lastPaid(entry)
  return { ...entry, settled: { at, ...(last !== undefined && { txHash: last.txHash }) } }
}

/**
 * The entry after a refund of its own payment takes up to `most` of it, given the outflow that carries a part of it.
 * What was sent, or may have been, or paid another refund, it cannot take. If it takes something of a part that is
 * carried, the part is free again.
 */
export const refund = (
  entry: Entry,
  carrying: Outflow.Outflow | null,
  refundId: Refund.RefundId,
  most: Money.Quantity,
) => {
  const part = going(entry)
  const isHere =
    part !== undefined &&
    (part._tag === "Held"
      ? part.movedOtherwise !== true && part.code !== "lost"
      : carrying?.state._tag === "Waiting")
  const free = isHere ? exchange(entry, part.outflowId, null) : entry
  const isOpen = going(free) === undefined && free.settled === undefined
  const quantity = isOpen ? Money.min(left(free), most) : Money.zero
  // A share that the fee used up is over, too.
  if (!isOpen || (quantity === 0n && entry.quantity > 0n)) return { entry, quantity, freed: null }
  const next = take(free, { _tag: "Refunded", netted: quantity, refundId })
  return {
    entry: left(next) === 0n ? freed(next) : next,
    quantity,
    freed: isHere ? part.outflowId : null,
  }
}

/** The entry as it was before these refunds of its own payment, because it was paid after all. */
export const unrefunded = (entry: Entry, refundIds: ReadonlyArray<Refund.RefundId>): Entry => ({
  ...entry,
  parts: entry.parts.filter(
    (part) => part._tag !== "Refunded" || !refundIds.includes(part.refundId),
  ),
})
