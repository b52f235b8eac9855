/**
 * Why an outgoing transfer is held, as the wire shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Held"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Entry from "@florin/core/domain/payment/Entry"
import type * as Payment from "@florin/core/domain/payment/Payment"
import type * as Refund from "@florin/core/domain/payment/Refund"
import * as TimeView from "./TimeView.ts"

const held = (
  failure: Pick<Transfer.Failure, "code"> & { readonly heldAt: number },
): Wire.Held => ({ reason: failure.code, since: TimeView.iso(failure.heldAt) })

/** For the merchant's share. */
export const settlement = ({ state }: Payment.Payment): { readonly settlementHeld?: Wire.Held } => {
  if (state._tag !== "Succeeded") return {}
  const { waitsSince } = state.entry
  const part = Entry.heldOf(state.entry)
  if (part !== undefined) return { settlementHeld: held(part) }
  return waitsSince === undefined
    ? {}
    : { settlementHeld: { reason: "destination", since: TimeView.iso(waitsSince) } }
}

/** For a refund. */
export const refund = ({ state }: Refund.Refund) =>
  state._tag === "Held" ? { held: held(state) } : {}
