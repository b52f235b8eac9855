/**
 * The logs of a transaction that already count: as what paid a payment, or as an inflow that was reported for another
 * payment, was sent back or is the operator's own.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Caip from "../../domain/chain/Caip.ts"
import * as Inflow from "../../domain/outflow/Inflow.ts"
import { InflowStore } from "../../ports/InflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"

/** The counted logs. No payment may count these again. An inflow that nobody reported is not among them. */
export const of = Effect.fnUntraced(function* (chainId: Caip.ChainId, txHash: string) {
  const claimed = yield* (yield* PaymentStore).claimsOf(chainId, txHash)
  if (claimed.every(({ paymentId }) => paymentId !== null)) return claimed
  const inflows = yield* (yield* InflowStore).inflows({ _tag: "Transaction", txHash })
  const free = inflows.filter(Inflow.isFree)
  return claimed.filter(
    ({ logIndex }) => !free.some(({ transfer }) => transfer.logIndex === logIndex),
  )
})
