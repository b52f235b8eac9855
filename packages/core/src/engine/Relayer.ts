/**
 * Sending money: a transaction is signed and stored with the decision it carries out, and only then broadcast. After a
 * crash the same bytes go out again, so nothing is sent twice and nothing is forgotten.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Change from "../domain/Change.ts"
import type * as Mode from "../domain/Mode.ts"
import * as Outbid from "../domain/Outbid.ts"
import type * as Payment from "../domain/Payment.ts"
import * as Spending from "../domain/Spending.ts"
import type * as Transfer from "../domain/Transfer.ts"
import { type Chain, Chains, type Order, SendingHalted } from "../ports/Chain.ts"
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
    (current, nonce, { haltedBecause, spending }) =>
      Effect.gen(function* () {
        yield* going(haltedBecause, lane)
        const signed = yield* chain.sign(lane, nonce, order)
        yield* withinLimit(chain.spendPerHour(lane.chainId), Spending.after(spending, signed), lane)
        const change = commit(current, signed, yield* Clock.currentTimeMillis)
        return { answer: change === null ? null : signed, change }
      }),
    hold,
  )
  if (relayed === null) return false
  yield* (yield* Signals).changed(payment.id)
  yield* handOver(chain, relayed)
  return true
})

/** Hands stored bytes to the chain's nodes. That none takes them is no failure, but an operator may have to act. */
const handOver = (chain: Chain["Service"], relayed: Transfer.Relayed) =>
  chain.broadcast(relayed).pipe(
    Effect.catch(({ message }) => {
      const { hash, lane, nonce } = relayed
      return Effect.logWarning("a transaction was not taken", { ...lane, nonce, hash, message })
    }),
  )

/** Refuses everything while the chain's lanes are stopped. The work waits, and goes on once an operator resumes them. */
const going = (haltedBecause: string | null, { chainId }: Transfer.Lane) =>
  haltedBecause === null
    ? Effect.void
    : new SendingHalted({ chainId, message: `chain ${chainId}: ${haltedBecause}` })

/** Refuses what would take an account over what it may spend in an hour. The work waits, and goes on by itself. */
const withinLimit = (limit: bigint | null, spent: Spending.Spending, { chainId }: Transfer.Lane) =>
  limit === null || spent.quantity <= limit
    ? Effect.void
    : new SendingHalted({
        chainId,
        message: `chain ${chainId}: an account reached what it may spend on gas in an hour: raise the limit, or wait`,
      })

/** How much of a lane is sent again before what is missing: enough for one gap after another to close. */
const againMax = 16

/**
 * Sends stored bytes again, and before them whatever else of their lane the chain has not used. Nobody looks after a
 * transaction any more whose payment ended without it, and the gap that it leaves would hold up all that follow. What
 * was committed to goes out also while the chain's lanes are stopped: it moves nothing that was not decided before.
 */
export const sendAgain = Effect.fn("Relayer.sendAgain")(function* (
  payment: Payment.Payment,
  relayed: Transfer.Relayed,
) {
  const chain = (yield* Chains).of(payment.mode)
  const floor = yield* chain.nonceFloor(relayed.lane)
  const waiting = yield* (yield* Storage).laneTransactions(relayed.lane, floor)
  yield* fill(payment, relayed, waiting, floor)
  const [first = relayed, ...rest] = waiting.slice(0, againMax)
  // What is behind a gap does not wait for its fee.
  const head = first.nonce === floor ? yield* outbid(payment.mode, first) : first
  const before = rest.filter((each) => each.nonce < relayed.nonce)
  const last = head.nonce === relayed.nonce ? [] : [relayed]
  yield* Effect.forEach([head, ...before, ...last], (each) => handOver(chain, each), {
    discard: true,
  })
})

/**
 * Fills the first gap before a transaction. A lane leaves none itself, but a node may once have told too high a nonce,
 * and everything after it would wait for ever.
 */
const fill = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  { lane, nonce }: Transfer.Relayed,
  waiting: ReadonlyArray<Transfer.Relayed>,
  floor: number,
) {
  const taken = new Set(waiting.map((each) => each.nonce))
  let gap = floor
  while (taken.has(gap)) gap++
  if (gap >= nonce) return
  const chain = (yield* Chains).of(payment.mode)
  const filler = yield* chain.fill(lane, gap)
  const now = yield* Clock.currentTimeMillis
  yield* (yield* Storage).modifyPayment(payment.id, (current) =>
    Result.succeed({ answer: undefined, change: Outbid.fill(current, filler, now) }),
  )
  yield* handOver(chain, filler)
})

/**
 * Bids more for the first transaction that a lane waits for, whichever payment it belongs to: what comes after it can
 * only be mined once it is. It is stored before it is sent, like any other.
 */
const outbid = Effect.fnUntraced(function* (mode: Mode.Mode, head: Transfer.Relayed) {
  const storage = yield* Storage
  const next = yield* (yield* Chains).of(mode).outbid(head)
  const owner = next === null ? null : yield* storage.laneOwner(head.lane, head.nonce)
  if (next === null || owner === null) return head
  const now = yield* Clock.currentTimeMillis
  return yield* storage.modifyPayment(owner, (current) => {
    const change = Outbid.outbid(current, head, next, now)
    return Result.succeed({ answer: change === null ? head : next, change })
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
