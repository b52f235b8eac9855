/**
 * Why an outgoing transfer is held, as the wire shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Held"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as Payment from "@florin/core/domain/payment/Payment"
import type * as Refund from "@florin/core/domain/payment/Refund"
import * as Settlement from "@florin/core/domain/payment/Settlement"
import * as TimeView from "./TimeView.ts"

const held = (
  failure: Pick<Transfer.Failure, "code"> & { readonly heldAt: number },
): Wire.Held => ({ reason: failure.code, since: TimeView.iso(failure.heldAt) })

/** For the merchant's share. */
export const settlement = ({ state }: Payment.Payment): { readonly settlementHeld?: Wire.Held } => {
  if (state._tag !== "Succeeded") return {}
  const { settlement: share } = state
  if (share._tag === "Held") return { settlementHeld: held(share) }
  const waitsSince = Settlement.waitingSince(share)
  return waitsSince === null
    ? {}
    : { settlementHeld: { reason: "destination", since: TimeView.iso(waitsSince) } }
}

/** For a refund. */
export const refund = ({ state }: Refund.Refund) =>
  state._tag === "Held" ? { held: held(state) } : {}
