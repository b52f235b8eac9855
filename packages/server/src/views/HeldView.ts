/**
 * Why money on its way out is held, as the wire shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Held"
import type * as Payment from "@florin/core/domain/Payment"
import type * as Refund from "@florin/core/domain/Refund"
import type * as Transfer from "@florin/core/domain/Transfer"
import * as TimeView from "./TimeView.ts"

const held = ({
  code,
  heldAt,
}: Pick<Transfer.Failure, "code"> & { readonly heldAt: number }): Wire.Held => ({
  ...(code !== undefined && { reason: code }),
  since: TimeView.iso(heldAt),
})

/** Of the merchant's share. */
export const settlement = ({ state }: Payment.Payment) =>
  state._tag === "Succeeded" && state.settlement._tag === "Held"
    ? { settlementHeld: held(state.settlement) }
    : {}

/** Of a refund. */
export const refund = ({ state }: Refund.Refund) =>
  state._tag === "Held" ? { held: held(state) } : {}
