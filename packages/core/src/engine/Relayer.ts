/**
 * Sending money: a transaction is signed and stored with the decision it carries out, and only then broadcast. After a
 * crash the same bytes go out again, so nothing is sent twice and nothing is forgotten. Where the chain shows that an
 * account sent what the ledger does not know, as after a restore to an older backup, nothing new is sent at all.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Caip from "../domain/Caip.ts"
import * as ChainState from "../domain/ChainState.ts"
import type * as Change from "../domain/Change.ts"
import type * as Mode from "../domain/Mode.ts"
import * as Outbid from "../domain/Outbid.ts"
import type * as Payment from "../domain/Payment.ts"
import * as Spending from "../domain/Spending.ts"
import type * as Transfer from "../domain/Transfer.ts"
import { type Chain, Chains, ChainUnavailable, type Order, SendingHalted } from "../ports/Chain.ts"
import { Signals } from "../ports/Signals.ts"
import { type Hold, type LaneState, Storage } from "../ports/Storage.ts"
import * as Lanes from "./Lanes.ts"

/**
 * Signs an order with its lane's next nonce, stores it with the change that `commit` makes of it, and broadcasts.
 * Answers whether there was anything to send: `commit` is asked again with the payment as it is then. `replaced` is the
 * transaction that stood for the order until another one finally used its nonce.
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
  replaced: Transfer.Relayed | null = null,
) {
  const storage = yield* Storage
  const chain = (yield* Chains).of(payment.mode)
  const lane = laneOf(order)
  const floor = yield* chain.nonceFloor(lane)
  const relayed = yield* storage.modifyPaymentInLane(
    lane,
    floor,
    payment.id,
    (current, nonce, state) =>
      Effect.gen(function* () {
        yield* alone(payment.mode, lane, floor, replaced, state)
        yield* going(state.haltedBecause, lane)
        const signed = yield* chain.sign(lane, nonce, order)
        const spent = Spending.after(state.spending, signed)
        yield* withinLimit(chain.spendPerHour(lane.chainId), spent, lane)
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

/**
 * Stops the chain's lanes where the account sent what is not in its lane. The floor was read before the lane was, and
 * whatever the lane gave out is in it: from nobody else the floor could not be above what it gives out next. What those
 * transactions paid would be paid again. Of an account that never sent anything here, what it did before is its own;
 * but where a node that is behind had its first transaction take a nonce of those, that looks the same as a ledger that
 * was restored to just after it, so an operator decides.
 */
const alone = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  lane: Transfer.Lane,
  floor: number,
  replaced: Transfer.Relayed | null,
  { acceptedNonce, nextNonce }: LaneState,
) {
  const { chainId, sender } = lane
  if (nextNonce !== null && floor > Math.max(nextNonce, acceptedNonce)) {
    // One wrong answer must not stop a chain, also where another process sends on the lane meanwhile.
    const again = yield* (yield* Chains).of(mode).nonceFloor(lane)
    const since = yield* (yield* Storage).laneTransactions(lane, nextNonce)
    if (again <= Math.max(nextNonce, acceptedNonce) || since.length > 0) {
      return yield* new ChainUnavailable({
        chainId,
        message: `chain ${chainId}: its nodes tell of different nonces: ask again`,
      })
    }
    return yield* refuse(mode, chainId, {
      sender,
      fromNonce: replaced?.nonce ?? nextNonce,
      untilNonce: Math.min(floor, again),
    })
  }
  if (replaced !== null && replaced.nonce >= acceptedNonce) {
    const { nonce } = replaced
    // What follows it in the lane may have met the same: an operator looks once for all of that.
    const untilNonce = nextNonce ?? nonce + 1
    return yield* refuse(mode, chainId, { sender, fromNonce: nonce, untilNonce })
  }
})

/** Stops the chain's lanes because of transactions that the ledger does not know. */
const refuse = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  foreign: ChainState.Foreign,
) {
  yield* Lanes.stopForForeign(mode, chainId, foreign)
  const message = `chain ${chainId}: ${ChainState.foreignReason(foreign)}`
  return yield* new SendingHalted({ chainId, message })
})

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
 * Fills the first gap before a transaction. A lane leaves none itself, but nodes may have told too high a nonce for an
 * account's first transaction, or one that an operator let pass, and everything after it would wait for ever.
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
  const limit = chain.spendPerHour(lane.chainId)
  yield* (yield* Storage).modifyPaymentInLane(
    lane,
    floor,
    payment.id,
    (current, _, { spending }) =>
      Effect.as(withinLimit(limit, Spending.after(spending, filler), lane), {
        answer: undefined,
        change: Outbid.fill(current, filler, now),
      }),
    null,
  )
  yield* handOver(chain, filler)
})

/**
 * Bids more for the first transaction that a lane waits for, whichever payment it belongs to: what comes after it can
 * only be mined once it is. It is stored before it is sent, like any other. Where that would take the account over what
 * it may spend in an hour, the lane waits with what was bid.
 */
const outbid = Effect.fnUntraced(function* (mode: Mode.Mode, head: Transfer.Relayed) {
  const { lane, nonce } = head
  const storage = yield* Storage
  const chain = (yield* Chains).of(mode)
  const next = yield* chain.outbid(head)
  const owner = next === null ? null : yield* storage.laneOwner(lane, nonce)
  if (next === null || owner === null) return head
  const now = yield* Clock.currentTimeMillis
  const limit = chain.spendPerHour(lane.chainId)
  return yield* storage
    .modifyPaymentInLane(
      lane,
      nonce,
      owner,
      (current, _, { spending }) => {
        const change = Outbid.outbid(current, head, next, now)
        return change === null
          ? Effect.succeed({ answer: head, change })
          : Effect.as(withinLimit(limit, Spending.afterPlacing(spending, next, head), lane), {
              answer: next,
              change,
            })
      },
      null,
    )
    .pipe(
      Effect.catchTag("SendingHalted", ({ message }) =>
        Effect.as(
          Effect.logWarning("no more is bid for a transaction", { ...lane, nonce, message }),
          head,
        ),
      ),
    )
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
