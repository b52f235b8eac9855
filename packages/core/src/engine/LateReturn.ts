/**
 * An operator gives late money back to the account it came from.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as LateMoney from "../domain/LateMoney.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as Transfer from "../domain/Transfer.ts"
import { Chains, type Order } from "../ports/Chain.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { NotFound } from "../ports/StorageError.ts"
import * as Relayer from "./Relayer.ts"

/** An earlier return was mined and moved something else. */
export class ReturnHeld extends Schema.TaggedError<ReturnHeld>()("ReturnHeld", {
  message: Schema.String,
}) {}

/** Sends a suspended transfer back; asked again once it is on its way, there is none in suspense. */
export const giveBack = Effect.fn("LateReturn.giveBack")(function* (
  id: PaymentId.PaymentId,
  txHash: string,
) {
  const payment = yield* (yield* PaymentStore).payment(id)
  const late = LateMoney.suspended(payment, txHash)
  if (late?._tag !== "Suspended") {
    return yield* new NotFound({
      what: "payment",
      message: "the payment has no such transfer in suspense",
    })
  }
  if (late.returnHeld !== undefined) {
    return yield* new ReturnHeld({ message: Transfer.notSentAgain(late.returnHeld) })
  }
  const order: Order = { _tag: "Send", movement: LateMoney.returnOf(late.transfer) }
  yield* (yield* Chains).of(payment.mode).rehearse(order)
  return yield* Relayer.send({
    payment,
    order,
    commit: (current, slot, now) => LateMoney.giveBack(current, txHash, slot, now),
    hold: null,
  })
})
