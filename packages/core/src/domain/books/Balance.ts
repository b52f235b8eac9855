/**
 * What a merchant is owed, as entries: a payment that succeeded is a credit of its net, on the account that it paid.
 *
 * What a payout takes, a debt uses, or a refund takes back splits the credit, and its parts sum to it. So what a merchant
 * is owed is a sum, and the ledger owes the same: that is the law of this file.
 *
 * @module
 */
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import type * as Ledger from "../money/Ledger.ts"
import type * as Payment from "../payment/Payment.ts"
import * as Settlement from "../payment/Settlement.ts"

/** What took an entry. What goes out is gone when its outflow is booked; a debt and a reserve take at the same moment. */
export type Taken =
  | { readonly _tag: "Payout" | "Refund"; readonly outflowId: OutflowId.OutflowId }
  /** It paid off a debt, or is kept for a refund of another payment. */
  | { readonly _tag: "Debt" | "Kept" }

export interface Entry {
  readonly quantity: bigint
  /** Null while it is available, or waits for a destination. */
  readonly taken: Taken | null
}

const entry = (quantity: bigint, taken: Taken | null): Entry => ({ quantity, taken })

const partOf = ({ netted, quantity, sent }: Settlement.Part): Entry =>
  entry(
    quantity + netted,
    sent === undefined ? { _tag: "Debt" } : { _tag: "Payout", outflowId: sent.outflowId },
  )

/** What took the credit of a payment, without what is left of it. */
const takenOf = (
  settlement: Settlement.Settlement,
  refundId: OutflowId.OutflowId | null,
  net: bigint,
): ReadonlyArray<Entry> => {
  const parts = Settlement.partsOf(settlement)
  const before = [...parts.map(partOf), entry(Settlement.keptOf(settlement), { _tag: "Kept" })]
  switch (settlement._tag) {
    case "Owed":
    case "Pending":
    case "Held":
      return before
    case "Processing": {
      const { netted, outflowId, quantity } = settlement
      return [...before, entry(quantity + netted, { _tag: "Payout", outflowId })]
    }
    case "Successful": {
      const { netted, outflowId, quantity } = settlement
      const last = quantity + netted - Settlement.total(parts)
      return [
        ...before,
        entry(last, { _tag: "Payout", outflowId }),
        entry(net - quantity - netted, { _tag: "Kept" }),
      ]
    }
    case "Netted":
      return [entry(net, { _tag: "Debt" })]
    case "Cancelled":
      return refundId === null ? [] : [entry(net, { _tag: "Refund", outflowId: refundId })]
  }
}

/** The entries of a payment: none before it succeeded, then parts that sum to its net. */
export const entriesOf = ({ state }: Payment.Payment): ReadonlyArray<Entry> => {
  if (state._tag !== "Succeeded") return []
  const { net } = state.charge
  const taken = takenOf(state.settlement, state.refund?.outflowId ?? null, net)
  const gone = taken.reduce((sum, { quantity }) => sum + quantity, 0n)
  return [...taken, entry(net - gone, null)].filter(({ quantity }) => quantity !== 0n)
}

/** How much of the entries is still owed, if these outflows are booked. */
export const owed = (
  entries: ReadonlyArray<Entry>,
  isBooked: (id: OutflowId.OutflowId) => boolean,
): bigint =>
  entries
    .filter(({ taken }) => taken === null || ("outflowId" in taken && !isBooked(taken.outflowId)))
    .reduce((sum, { quantity }) => sum + quantity, 0n)

/** How much these transactions owe a merchant. */
export const owedBy = (
  transactions: ReadonlyArray<Ledger.Transaction>,
  merchantId: MerchantId.MerchantId,
): bigint =>
  transactions
    .flatMap(({ postings }) => postings)
    .filter(({ account }) => account._tag === "Owed" && account.merchantId === merchantId)
    .reduce((sum, { delta }) => sum - delta, 0n)
