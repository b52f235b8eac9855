/**
 * The logs of a transaction that already count: as what paid a payment, as money in suspense under a payment, or as
 * unclaimed money that was sent back or is the operator's own.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Caip from "../domain/chain/Caip.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { UnclaimedStore } from "../ports/UnclaimedStore.ts"

/** The counted logs. No other payment may count these again. Unclaimed money in suspense is not included. */
export const of = Effect.fnUntraced(function* (chainId: Caip.ChainId, txHash: string) {
  const claimed = yield* (yield* PaymentStore).claimsOf(chainId, txHash)
  if (claimed.every(({ paymentId }) => paymentId !== null)) return claimed
  const unclaimed = yield* (yield* UnclaimedStore).broughtBy(txHash)
  const free = unclaimed.filter(({ state }) => state._tag === "Suspended")
  return claimed.filter(
    ({ logIndex }) => !free.some(({ transfer }) => transfer.logIndex === logIndex),
  )
})
