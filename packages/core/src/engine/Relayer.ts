/**
 * Sends our transactions. Each is signed and stored together with the decision that it carries out, and only then
 * broadcast. After a crash the same bytes go out again, so nothing is sent twice and nothing is forgotten. If the chain
 * shows that an account sent what the ledger does not know, as after a restore to an older backup, nothing new is sent.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Caip from "../domain/Caip.ts"
import * as ChainState from "../domain/ChainState.ts"
import type * as Change from "../domain/Change.ts"
import * as Lane from "../domain/Lane.ts"
import type * as Ledger from "../domain/Ledger.ts"
import type * as Mode from "../domain/Mode.ts"
import * as Spending from "../domain/Spending.ts"
import type * as Transfer from "../domain/Transfer.ts"
import { type Chain, Chains, ChainUnavailable, type Order, SendingHalted } from "../ports/Chain.ts"
import type { Hold } from "../ports/DueWork.ts"
import { LaneStore } from "../ports/LaneStore.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"
import { OutflowStore, type Shown, type Subjects } from "../ports/OutflowStore.ts"
import { Signals } from "../ports/Signals.ts"
import * as Lanes from "./Lanes.ts"

/** A transfer to send, and the records that commit to it. */
export interface Sending {
  readonly mode: Mode.Mode
  readonly order: Order
  /** What `commit` is shown. */
  readonly subjects: Subjects
  /** Commits to the transfer. It may run several times, each time with the records as they are then. */
  readonly commit: (shown: Shown, slot: Lane.Slot, now: number) => Change.Write | null
  readonly hold: Hold | null
  /** The transaction that stood for the order, if another one finally used its nonce. */
  readonly replaced?: Lane.Transaction
}

/**
 * Signs, stores and broadcasts a transfer. Returns false if there was nothing to commit to.
 *
 * A failed broadcast is no failure: whoever looks for the transfer next sends the stored bytes again.
 */
export const send = Effect.fn("Relayer.send")(function* (sending: Sending) {
  const { mode, order } = sending
  const lane = laneOf(order)
  const chain = (yield* Chains).of(mode)
  const lanes = yield* LaneStore
  // Read before the lane is, so that whatever the lane gave out by then is in it.
  const floor = yield* chain.nonceFloor(lane)
  if (order._tag === "Send") yield* requireCovered(chain, mode, order.movement)
  const stored = yield* lanes.inLaneTurn(
    lane,
    signAndStore(chain, lane, floor, sending).pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "LaneMoved" }),
    ),
  )
  if (stored === null) return false
  const signals = yield* Signals
  yield* Effect.forEach(stored.changed, signals.changed, { discard: true })
  yield* broadcast(chain, stored.transaction)
  return true
})

const signAndStore = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  lane: Lane.Lane,
  floor: number | null,
  { commit, hold, mode, order, replaced, subjects }: Sending,
) {
  const state = yield* (yield* LaneStore).laneState(mode, lane)
  yield* requireSoleSender(mode, lane, floor, replaced, state)
  yield* requireNotHalted(lane, state)
  const signed = yield* chain.sign(lane, Lane.nextNonce(state, floor), order)
  const hasCode = order._tag === "Collect" && order.attempt.option.hasCode === true
  const transaction: Lane.Transaction = hasCode ? { ...signed, byCode: true } : signed
  yield* requireWithinLimit(chain, lane, Spending.after(state.spending, transaction), hasCode)
  const now = yield* Clock.currentTimeMillis
  return yield* (yield* OutflowStore).modifyInLane(
    subjects,
    { transaction, state },
    (shown) => {
      const write = commit(shown, Lane.slotOf(transaction), now)
      const changed = (write?.payments ?? []).map(({ payment }) => payment.id)
      return Result.succeed({ answer: write === null ? null : { changed, transaction }, write })
    },
    hold,
  )
})

/**
 * Refuses to send from an account that holds less than the ledger says: what seems to be there is not, and a payout would
 * be paid with the money of others. The ledger is read last: what is booked by then was on the chain before, and what was
 * sent meanwhile is booked already.
 */
const requireCovered = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  mode: Mode.Mode,
  { from: address, token }: Transfer.Movement,
) {
  const { chainId } = token
  const held = yield* chain.balance(token, address, "agreed")
  const account: Ledger.Account = { _tag: "Collecting", chainId, address }
  const ledger = yield* (yield* LedgerStore).balance(mode, account, token)
  // What was booked between the two is on the chain by now.
  if (held >= ledger || (yield* chain.balance(token, address, "agreed")) >= ledger) return
  yield* Effect.logError(
    "an account holds less than the ledger says, so nothing is paid out from it: compare its nodes, and run `florin reconcile`",
    { mode, account: address, token: Caip.tokenKey(token), held: `${held}`, ledger: `${ledger}` },
  )
  return yield* new SendingHalted({
    chainId,
    message: `chain ${chainId}: ${address} holds ${held} of ${ledger} units that the ledger says of ${token.address}: compare its nodes, and run \`florin reconcile\``,
  })
})

/** The transaction of a slot in its newest version. A slot is only written together with one. */
export const transactionAt = Effect.fnUntraced(function* ({ lane, nonce }: Lane.Slot) {
  const transaction = yield* (yield* LaneStore).laneTransaction(lane, nonce)
  return transaction ?? (yield* Effect.die(`lane ${lane.sender} has no transaction ${nonce}`))
})

/** Broadcasts stored bytes. If no node accepts them that is no failure, but an operator may have to act. */
const broadcast = (chain: Chain["Service"], transaction: Lane.Transaction) =>
  chain.broadcast(transaction).pipe(
    Effect.catch(({ message }) => {
      const { hash, lane, nonce } = transaction
      return Effect.logWarning("a transaction was not taken", { ...lane, nonce, hash, message })
    }),
  )

/**
 * Stops the chain's lanes if the account sent what is not in its lane. The floor was read before the lane was, and
 * whatever the lane gave out is in it: from nobody else the floor could not be above what it gives out next. What those
 * transactions paid would be paid again. If an account never sent anything here, what it did before is its own; but
 * a node that is behind may have had its first transaction take a nonce of those, which looks the same as a ledger that
 * was restored to just after it, so an operator decides.
 */
const requireSoleSender = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  lane: Lane.Lane,
  floor: number | null,
  replaced: Lane.Transaction | undefined,
  { acceptedNonce, nextNonce }: Lane.State,
) {
  // Where the chain counts nothing, what others sent takes no number of ours, and what ran out is signed again.
  if (floor === null) return
  const { chainId, sender } = lane
  if (nextNonce !== null && floor > Math.max(nextNonce, acceptedNonce)) {
    // One wrong response must not stop a chain, also when another process sends on the lane meanwhile.
    const again = (yield* (yield* Chains).of(mode).nonceFloor(lane, "agreed")) ?? 0
    const since = yield* (yield* LaneStore).laneTransactions(lane, nextNonce)
    if (again <= Math.max(nextNonce, acceptedNonce) || since.length > 0) {
      return yield* new ChainUnavailable({
        chainId,
        message: `chain ${chainId}: its nodes report different nonces: try again`,
      })
    }
    return yield* haltForForeign(mode, chainId, {
      sender,
      fromNonce: replaced?.nonce ?? nextNonce,
      untilNonce: Math.min(floor, again),
    })
  }
  if (replaced !== undefined && replaced.nonce >= acceptedNonce) {
    const { nonce } = replaced
    // What follows it in the lane may have met the same: an operator looks once for all of that.
    const untilNonce = nextNonce ?? nonce + 1
    return yield* haltForForeign(mode, chainId, { sender, fromNonce: nonce, untilNonce })
  }
})

/** Stops the chain's lanes because of transactions that the ledger does not know. */
const haltForForeign = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  foreign: ChainState.Foreign,
) {
  yield* Lanes.stopForForeign(mode, chainId, foreign)
  const message = `chain ${chainId}: ${ChainState.foreignReason(foreign)}`
  return yield* new SendingHalted({ chainId, message })
})

/** Refuses everything while the chain's lanes are stopped. The work waits until an operator resumes them. */
const requireNotHalted = ({ chainId }: Lane.Lane, { haltedBecause }: Lane.State) =>
  haltedBecause === null
    ? Effect.void
    : new SendingHalted({ chainId, message: `chain ${chainId}: ${haltedBecause}` })

/** Refuses what would take an account over what it may spend in an hour. The work waits until the next hour. */
const requireWithinLimit = (
  chain: Chain["Service"],
  { chainId }: Lane.Lane,
  spending: Spending.Spending,
  hasCode = false,
) => {
  const limit = chain.spendPerHour(chainId)
  const isWithin =
    limit === null || (hasCode ? Spending.isWithin(limit, spending) : spending.quantity <= limit)
  return isWithin
    ? Effect.void
    : new SendingHalted({
        chainId,
        message: `chain ${chainId}: an account spent its gas budget of this hour: raise spendPerHour, or wait`,
      })
}

/** How much of a lane is sent again before what is missing: enough for one gap after another to close. */
const resentMax = 16

/**
 * Sends stored bytes again, and before them whatever else of their lane the chain has not used. A payment that ended
 * without its transaction no longer looks after it, and the gap that it leaves would block all that follow. What was
 * committed to goes out also while the chain's lanes are stopped: it moves nothing that was not decided before.
 */
export const sendAgain = Effect.fn("Relayer.sendAgain")(function* (
  mode: Mode.Mode,
  transaction: Lane.Transaction,
) {
  const chain = (yield* Chains).of(mode)
  const floor = yield* chain.nonceFloor(transaction.lane)
  if (floor === null) {
    // No number would keep two versions from being mined both: it waits for its fee until it runs out.
    yield* broadcast(chain, transaction)
    return
  }
  const waiting = yield* (yield* LaneStore).laneTransactions(transaction.lane, floor)
  yield* fillGap(mode, transaction, waiting, floor)
  const [first = transaction, ...rest] = waiting.slice(0, resentMax)
  // What is behind a gap does not wait for its fee.
  const head = first.nonce === floor ? yield* outbid(mode, first) : first
  const before = rest.filter((each) => each.nonce < transaction.nonce)
  const last = head.nonce === transaction.nonce ? [] : [transaction]
  yield* Effect.forEach([head, ...before, ...last], (each) => broadcast(chain, each), {
    discard: true,
  })
})

/**
 * Fills the first gap before a transaction. A lane leaves none itself, but nodes may have reported too high a nonce for
 * an account's first transaction, or one that an operator accepted, and everything after it would wait for ever.
 */
const fillGap = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  { lane, nonce }: Lane.Transaction,
  waiting: ReadonlyArray<Lane.Transaction>,
  floor: number,
) {
  const taken = new Set(waiting.map((each) => each.nonce))
  let gap = floor
  while (taken.has(gap)) gap++
  if (gap >= nonce) return
  const chain = (yield* Chains).of(mode)
  const filler = yield* chain.fill(lane, gap)
  if (yield* place(mode, filler, null)) yield* broadcast(chain, filler)
})

/** Stores a transaction for a slot other than the next, unless the account would spend too much. */
const place = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  transaction: Lane.Transaction,
  replaces: Lane.Transaction | null,
) {
  const { lane } = transaction
  const chain = (yield* Chains).of(mode)
  const lanes = yield* LaneStore
  const store = Effect.gen(function* () {
    const state = yield* lanes.laneState(mode, lane)
    const spending = Spending.afterPlacing(state.spending, transaction, replaces)
    yield* requireWithinLimit(chain, lane, spending)
    return yield* lanes.placeInLane({ transaction, state }, replaces)
  })
  return yield* lanes.inLaneTurn(lane, store)
})

/**
 * Bids more for the first transaction that a lane waits for, whatever it is for: what comes after it can only be mined
 * once it is. The version is stored before it is sent, like any other. Returns the newest stored version: the last one if
 * nothing more is bid, as when that would take the account over what it may spend in an hour.
 */
const outbid = Effect.fnUntraced(function* (mode: Mode.Mode, head: Lane.Transaction) {
  const { lane, nonce } = head
  const chain = (yield* Chains).of(mode)
  const bidding = Effect.gen(function* () {
    const bid = yield* chain.outbid(head)
    const next: Lane.Transaction | null =
      bid !== null && head.byCode === true ? { ...bid, byCode: true } : bid
    return next !== null && (yield* place(mode, next, head)) ? next : head
  })
  return yield* bidding.pipe(
    Effect.catchTag(["SendingHalted", "SigningFailed"], ({ message }) =>
      Effect.as(
        Effect.logWarning("no more is bid for a transaction", { ...lane, nonce, message }),
        head,
      ),
    ),
  )
})

/** The lane an order goes out on: that of the account which collects, or which the money leaves. */
const laneOf = (order: Order): Lane.Lane => {
  switch (order._tag) {
    case "Collect": {
      const { payTo, token } = order.attempt.option
      return { chainId: token.chainId, sender: payTo }
    }
    case "Send":
      return { chainId: order.movement.token.chainId, sender: order.movement.from }
  }
}
