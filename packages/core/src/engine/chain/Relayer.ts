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
import * as Caip from "../../domain/chain/Caip.ts"
import * as ChainState from "../../domain/chain/ChainState.ts"
import type * as Transfer from "../../domain/chain/Transfer.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import * as Lane from "../../domain/outflow/Lane.ts"
import * as Spending from "../../domain/outflow/Spending.ts"
import type * as Change from "../../domain/payment/Change.ts"
import {
  type Chain,
  Chains,
  ChainUnavailable,
  type Order,
  SendingHalted,
} from "../../ports/Chain.ts"
import type { Lease } from "../../ports/DueWork.ts"
import { inTurn, LaneStore } from "../../ports/LaneStore.ts"
import { LedgerStore } from "../../ports/LedgerStore.ts"
import { OutflowStore, type Shown, type Subjects } from "../../ports/OutflowStore.ts"
import * as Writes from "../record/Writes.ts"
import * as Lanes from "./Lanes.ts"

/** A transfer to send, and the records that commit to it. */
export interface Sending {
  readonly mode: Mode.Mode
  readonly order: Order
  /** The records that `commit` reads. */
  readonly subjects: Subjects
  /** Commits to the transfer. It may run several times, each time with the current records. */
  readonly commit: (shown: Shown, slot: Lane.Slot, now: number) => Change.Write | null
  readonly lease: Lease | null
  /** The previous transaction of the order, if another one finally used its nonce. */
  readonly replaced?: Lane.Transaction
}

/**
 * Signs, stores and broadcasts a transfer. Returns false if there was nothing to commit to.
 *
 * A failed broadcast is not an error: the next worker that looks for the transfer sends the stored bytes again.
 */
export const send = Effect.fn("Relayer.send")(function* (sending: Sending) {
  const { mode, order } = sending
  const lane = laneOf(order)
  const chain = (yield* Chains).of(mode)
  // Read before the lane, so that the lane includes everything that it had given out by then.
  const floor = yield* chain.nonceFloor(lane)
  if (order._tag === "Send") yield* requireCovered(chain, mode, order.movement)
  const stored = yield* inTurn(
    yield* LaneStore,
    lane,
    signAndStore(chain, lane, floor, sending).pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "LaneMoved" }),
    ),
  )
  if (stored === null) return false
  yield* Writes.announce(stored.changes)
  yield* broadcast(chain, stored.transaction)
  return true
})

const signAndStore = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  lane: Lane.Lane,
  floor: number | null,
  { commit, lease, mode, order, replaced, subjects }: Sending,
) {
  const state = yield* (yield* LaneStore).laneState(mode, lane)
  yield* requireSoleSender(mode, lane, floor, replaced, state)
  yield* requireNotHalted(lane, state)
  const signed = yield* chain.sign(lane, Lane.nextNonce(state, floor), order)
  const hasCode = order._tag === "Collect" && order.attempt.option.hasCode === true
  const transaction: Lane.Transaction = hasCode ? { ...signed, byCode: true } : signed
  yield* requireWithinLimit(chain, lane, Spending.add(state.spending, transaction), hasCode)
  const now = yield* Clock.currentTimeMillis
  return yield* (yield* OutflowStore).modify(
    subjects,
    (shown) => {
      const write = commit(shown, Lane.slotOf(transaction), now)
      const result = write && { changes: write.payments, transaction }
      return Result.succeed({ result, write })
    },
    lease,
    { transaction, state },
  )
})

/**
 * Refuses to send from an account that holds less than the ledger says: the missing money is not there, and the payout
 * would be paid with the money of others. The ledger is read last: what is booked by then was on the chain before, and
 * what was sent in the meantime is booked already.
 */
const requireCovered = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  mode: Mode.Mode,
  { from: address, token }: Transfer.Movement,
) {
  const { chainId } = token
  const held = yield* chain.balance(token, address, "agreed")
  const account: Ledger.Account = { _tag: "Collecting", chainId, address }
  const balances = yield* (yield* LedgerStore).balances(mode, token, [account])
  const ledger = Ledger.balanceOf(balances, account, token)
  // What was booked between the two reads is on the chain by now.
  if (held >= ledger || (yield* chain.balance(token, address, "agreed")) >= ledger) return
  yield* Effect.logError(
    "an account holds less than the ledger says, so nothing is paid out from it: compare its nodes, and run `florin reconcile`",
    { mode, account: address, token: Caip.tokenKey(token), held: `${held}`, ledger: `${ledger}` },
  )
  return yield* SendingHalted.of(
    chainId,
    `${address} holds ${held} of ${ledger} units that the ledger says of ${token.address}: compare its nodes, and run \`florin reconcile\``,
  )
})

/** The newest version of a slot's transaction. A slot is always written together with one. */
export const transactionAt = Effect.fnUntraced(function* ({ lane, nonce }: Lane.Slot) {
  const [transaction] = yield* (yield* LaneStore).laneTransactions(lane, nonce, nonce)
  return transaction ?? (yield* Effect.die(`lane ${lane.sender} has no transaction ${nonce}`))
})

/**
 * Broadcasts stored bytes. If no node accepts them, that is not an error, but an operator may have to act. Returns
 * false if the transaction only waits for earlier ones of its account: then later ones wait, too.
 */
const broadcast = (chain: Chain["Service"], transaction: Lane.Transaction) => {
  const { hash, lane, nonce } = transaction
  const details = { ...lane, nonce, hash }
  return chain.broadcast(transaction).pipe(
    Effect.as(true),
    Effect.catchTags({
      InFlightLimit: ({ message }) =>
        Effect.as(Effect.logDebug("a transaction waits", { ...details, message }), false),
      ChainUnavailable: ({ message }) =>
        Effect.as(
          Effect.logWarning("a transaction was not accepted", { ...details, message }),
          true,
        ),
    }),
  )
}

/**
 * Stops the chain's lanes if the account sent a transaction that is not in its lane. The floor was read before the
 * lane, and the lane has everything that it gave out. So only a foreign transaction can raise the floor above the next
 * nonce of the lane. What such transactions paid would be paid again. If an account never sent anything here, its
 * earlier transactions are its own. But a node that is behind may have assigned one of their nonces to our first
 * transaction. That looks the same as a ledger that was restored to just after that transaction, so an operator
 * decides.
 */
const requireSoleSender = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  lane: Lane.Lane,
  floor: number | null,
  replaced: Lane.Transaction | undefined,
  { acceptedNonce, nextNonce }: Lane.State,
) {
  // If the chain has no nonces, transactions of others take none of our numbers, and expired ones are signed again.
  if (floor === null) return
  const { chainId, sender } = lane
  if (nextNonce !== null && floor > Math.max(nextNonce, acceptedNonce)) {
    // One wrong response must not stop a chain, even if another process sends on the lane in the meantime.
    const again = (yield* (yield* Chains).of(mode).nonceFloor(lane, "agreed")) ?? 0
    const since = yield* (yield* LaneStore).laneTransactions(lane, nextNonce)
    if (again <= Math.max(nextNonce, acceptedNonce) || since.length > 0) {
      return yield* ChainUnavailable.of(chainId, "its nodes report different nonces: try again")
    }
    return yield* haltForForeign(mode, chainId, {
      sender,
      fromNonce: replaced?.nonce ?? nextNonce,
      untilNonce: Math.min(floor, again),
    })
  }
  if (replaced !== undefined && replaced.nonce >= acceptedNonce) {
    const { nonce } = replaced
    // Later transactions of the lane may have the same problem: an operator looks once at all of them.
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
  return yield* SendingHalted.of(chainId, ChainState.foreignReason(foreign))
})

/** Refuses everything while the chain's lanes are stopped. The work waits until an operator resumes them. */
const requireNotHalted = ({ chainId }: Lane.Lane, { haltedBecause }: Lane.State) =>
  haltedBecause === null ? Effect.void : SendingHalted.of(chainId, haltedBecause)

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
    : SendingHalted.of(
        chainId,
        "an account spent its gas budget of this hour: raise spendPerHour, or wait",
      )
}

/** How many transactions of a lane are sent again before a missing one: enough to close several gaps in a row. */
const resentMax = 16

/**
 * Sends stored bytes again, and before them any transaction of their lane that the chain has not used. A payment that
 * ended without its transaction no longer tracks it, and the gap that it leaves would block all later ones. Committed
 * transactions are sent even while the chain's lanes are stopped: they move only what was decided before.
 */
export const sendAgain = Effect.fn("Relayer.sendAgain")(function* (
  mode: Mode.Mode,
  transaction: Lane.Transaction,
) {
  const chain = (yield* Chains).of(mode)
  const floor = yield* chain.nonceFloor(transaction.lane)
  if (floor === null) {
    // No nonce prevents two versions from both being mined, so the transaction waits for its fee until it expires.
    yield* broadcast(chain, transaction)
    return
  }
  const waiting = yield* (yield* LaneStore).laneTransactions(transaction.lane, floor)
  yield* fillGap(mode, transaction, waiting, floor)
  const [first = transaction, ...rest] = waiting.slice(0, resentMax)
  // A transaction behind a gap does not wait because of its fee.
  const head = first.nonce === floor ? yield* outbid(mode, first) : first
  const before = rest.filter((each) => each.nonce < transaction.nonce)
  const last = head.nonce === transaction.nonce ? [] : [transaction]
  for (const each of [head, ...before, ...last]) {
    if (!(yield* broadcast(chain, each))) return
  }
})

/**
 * Fills the first gap before a transaction. A lane leaves no gaps itself. But nodes may have reported too high a nonce
 * for an account's first transaction, or an operator may have accepted such a nonce. Without this, every later
 * transaction would wait forever.
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
  // One node that is behind shows nonces as free that were used before this ledger began.
  if (gap < ((yield* chain.nonceFloor(lane, "agreed")) ?? 0)) return
  const filler = yield* chain.fill(lane, gap)
  if (yield* place(mode, filler, null)) yield* broadcast(chain, filler)
})

/** Stores a transaction in a slot other than the next one, unless the account would spend too much. */
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
    const spending = Spending.place(state.spending, transaction, replaces)
    yield* requireWithinLimit(chain, lane, spending)
    return yield* lanes.placeInLane({ transaction, state }, replaces)
  })
  return yield* inTurn(lanes, lane, store)
})

/**
 * Raises the fee of the first transaction that a lane waits for, whatever its purpose: later ones can only be mined
 * after it. The new version is stored before it is sent, like any other. Returns the newest stored version: the last
 * one if the fee is not raised, for example because the account would exceed its hourly limit.
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
        Effect.logWarning("cannot raise the fee of a transaction", { ...lane, nonce, message }),
        head,
      ),
    ),
  )
})

/** The lane of an order: that of the account that collects, or that the money leaves. */
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
