/**
 * The logs of a transaction that count for a payment already: as what paid it, or as money in suspense under it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Caip from "../domain/Caip.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"

/** No other payment counts these, and none counts one twice. */
export const of = Effect.fnUntraced(function* (chainId: Caip.ChainId, txHash: string) {
  const claimed = yield* (yield* PaymentStore).claimsOf(chainId, txHash)
  return claimed.filter(({ paymentId }) => paymentId !== null)
})
