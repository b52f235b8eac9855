/**
 * The merchant's share of a payment, from being owed to being paid out.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import * as Lane from "./Lane.ts"
import * as Money from "./Money.ts"
import * as Transfer from "./Transfer.ts"

export type Settlement = typeof Settlement.Type
export const Settlement = Schema.TaggedUnion({
  /** The merchant had no destination for this asset when the payment succeeded. */
  Owed: {},
  /** Fixed when the payment succeeded; a later change of the destination is for later payments. */
  Pending: { destination: Caip.Account },
  /** `netted` paid off what the merchant owed from an earlier refund; the rest is on its way. */
  Processing: {
    destination: Caip.Account,
    quantity: Money.Quantity,
    netted: Money.Quantity,
    slot: Lane.Slot,
  },
  Successful: {
    quantity: Money.Quantity,
    netted: Money.Quantity,
    transfer: Transfer.Evidence,
    settledAt: Schema.Int,
  },
  /** All of it paid off what the merchant owed; nothing was left to send. */
  Netted: { netted: Money.Quantity, settledAt: Schema.Int },
  /** The destination cannot be paid, as when it is blocklisted: retried only on request. */
  Held: { destination: Caip.Account, ...Transfer.Failure.fields, heldAt: Schema.Int },
  /** A refund came first. Where the share would have gone is kept: it may have been sent without the ledger's knowing. */
  Cancelled: { destination: Schema.optionalKey(Caip.Account) },
})

/** What becomes of a share that a refund takes back; null where it cannot any more, because it was sent, or may have been. */
export const cancelled = (settlement: Settlement): Settlement | null => {
  switch (settlement._tag) {
    case "Owed":
      return { _tag: "Cancelled" }
    case "Held":
      if (settlement.movedOtherwise === true) return null
      return { _tag: "Cancelled", destination: settlement.destination }
    case "Pending":
      return { _tag: "Cancelled", destination: settlement.destination }
    default:
      return null
  }
}
