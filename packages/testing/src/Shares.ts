/**
 * The merchant's share of a payment, as tests compare it.
 *
 * @module
 */
import * as Entry from "@florin/core/domain/payment/Entry"
import type * as Payment from "@florin/core/domain/payment/Payment"

const sum = (
  { parts }: Entry.Entry,
  of: (part: Exclude<Entry.Part, { readonly _tag: "Refunded" }>) => bigint,
): bigint => parts.reduce((total, part) => total + (part._tag === "Refunded" ? 0n : of(part)), 0n)

/**
 * Where a share is, what of it was sent or deducted, also in a payout that is not final yet, and by which outflow and
 * transaction.
 */
export const ofEntry = (entry: Entry.Entry) => {
  const { at, txHash } = entry.settled ?? {}
  const { code, movedOtherwise, reason } = Entry.heldOf(entry) ?? {}
  return {
    status: Entry.status(entry),
    destination: entry.destination,
    quantity: sum(entry, (part) => ("quantity" in part ? part.quantity : 0n)),
    netted: sum(entry, ({ netted }) => netted),
    outflowId: Entry.outflowOf(entry),
    ...(at !== undefined && { settledAt: at }),
    ...(txHash !== undefined && { txHash }),
    ...(code !== undefined && { code, reason }),
    ...(movedOtherwise !== undefined && { movedOtherwise }),
  }
}

/** The share of a payment; it must have succeeded. */
export const of = ({ id, state }: Payment.Payment) => {
  if (state._tag !== "Succeeded") throw new Error(`${id} is ${state._tag}`)
  return ofEntry(state.entry)
}
