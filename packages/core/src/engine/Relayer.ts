/**
 * Sending money: a transaction is signed and stored with the decision it carries out, and only then broadcast. After a
 * crash the same bytes go out again, so nothing is sent twice and nothing is forgotten.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Change from "../domain/Change.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as Transfer from "../domain/Transfer.ts"
import { Chains, type Order } from "../ports/Chain.ts"
import { Signals } from "../ports/Signals.ts"
import { type Hold, Storage } from "../ports/Storage.ts"

/**
 * Signs an order with its lane's next nonce, stores it with the change that `commit` makes of it, and broadcasts.
 * Answers whether there was anything to send: `commit` is asked again with the payment as it is then.
 *
 * A broadcast that fails is no failure: whoever looks for the transfer next sends the stored bytes again.
 */
export const send = Effect.fn("Relayer.send")(function* (
  payment: Payment.Payment,
  order: Order,
  commit: (
    current: Payment.Payment,
    relayed: Transfer.Relayed,
    now: number,
  ) => Change.Change | null,
  hold: Hold | null,
) {
  const storage = yield* Storage
  const chain = (yield* Chains).of(payment.mode)
  const lane = laneOf(order)
  const floor = yield* chain.nonceFloor(lane)
  const relayed = yield* storage.modifyPaymentInLane(
    lane,
    floor,
    payment.id,
    (current, nonce) =>
      Effect.gen(function* () {
        const signed = yield* chain.sign(lane, nonce, order)
        const change = commit(current, signed, yield* Clock.currentTimeMillis)
        return { answer: change === null ? null : signed, change }
      }),
    hold,
  )
  if (relayed === null) return false
  yield* (yield* Signals).changed(payment.id)
  yield* Effect.ignore(chain.broadcast(relayed))
  return true
})

/** How much of a lane is sent again before what is missing: enough for one gap after another to close. */
const againMax = 16

/**
 * Sends stored bytes again, and before them whatever else of their lane the chain has not used. Nobody looks after a
 * transaction any more whose payment ended without it, and the gap that it leaves would hold up all that follow.
 */
export const sendAgain = Effect.fn("Relayer.sendAgain")(function* (
  payment: Payment.Payment,
  relayed: Transfer.Relayed,
) {
  const chain = (yield* Chains).of(payment.mode)
  const floor = yield* chain.nonceFloor(relayed.lane)
  const waiting = yield* (yield* Storage).laneTransactions(relayed.lane, floor)
  const before = waiting.filter((each) => each.nonce < relayed.nonce).slice(0, againMax)
  yield* Effect.forEach([...before, relayed], (each) => Effect.ignore(chain.broadcast(each)), {
    discard: true,
  })
})

/** The lane an order goes out on: that of the account which collects, or which the money leaves. */
const laneOf = (order: Order): Transfer.Lane => {
  switch (order._tag) {
    case "Collect": {
      const { payTo, token } = order.attempt.option
      return { chainId: token.chainId, sender: payTo }
    }
    case "Send":
      return { chainId: order.movement.token.chainId, sender: order.movement.from }
  }
}
