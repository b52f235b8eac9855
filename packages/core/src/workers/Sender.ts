/**
 * Sends all money that goes out, whatever it is for: rehearses, signs, stores and broadcasts each outflow, and follows it
 * until it is paid. What lies with its destination is held for an operator; all else is tried again for as long as it takes.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Caip from "../domain/Caip.ts"
import * as Credit from "../domain/Credit.ts"
import * as DailyLimit from "../domain/DailyLimit.ts"
import type * as Lane from "../domain/Lane.ts"
import * as Merchant from "../domain/Merchant.ts"
import * as Obstacle from "../domain/Obstacle.ts"
import * as Outflow from "../domain/Outflow.ts"
import * as Outgoing from "../domain/Outgoing.ts"
import * as Payment from "../domain/Payment.ts"
import * as Refunding from "../domain/Refunding.ts"
import * as SettlementMatching from "../domain/SettlementMatching.ts"
import * as TestOutcome from "../domain/TestOutcome.ts"
import * as Transfer from "../domain/Transfer.ts"
import * as Treasury from "../domain/Treasury.ts"
import * as Keeping from "../engine/Keeping.ts"
import * as Lanes from "../engine/Lanes.ts"
import * as Merchants from "../engine/Merchants.ts"
import * as Relayer from "../engine/Relayer.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
import { Chains, type TransferRefused } from "../ports/Chain.ts"
import type { ClaimedOutflow } from "../ports/DueWork.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"
import { OutflowStore, type Subjects } from "../ports/OutflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Screening } from "../ports/Screening.ts"
import { Settings } from "../ports/Settings.ts"
import type { Overdrawn } from "../ports/StorageError.ts"
import { TreasuryPolicy } from "../ports/TreasuryPolicy.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { state } = claimed.outflow
  switch (state._tag) {
    case "Waiting":
      return yield* begin(claimed).pipe(
        // It fails nevertheless: a chain that does not answer is left alone.
        Effect.tapErrorTag("ChainUnavailable", ({ message }) => tellWait(claimed, "node", message)),
        Effect.catchTag("SendingHalted", ({ message }) => waitFor(claimed, "halted", message)),
      )
    case "Sent":
      return yield* follow(claimed, state.slot)
    default:
      return yield* Worker.writeOutflow(claimed, [], () => null)
  }
})

/** Runs a decision on the outflow and all payments that it carries money of. */
const decide = (claimed: ClaimedOutflow, decision: Worker.OutflowDecision) =>
  Worker.writeOutflow(claimed, Outflow.paymentIds(claimed.outflow), decision)

const orderOf = ({ movement }: Outflow.Outflow) => ({ _tag: "Send", movement }) as const

/** Whose destinations a payout depends on. */
const destinationsOf = ({ movement, purpose }: Outflow.Outflow): Subjects["destinations"] =>
  purpose._tag === "Settle"
    ? {
        token: movement.token,
        merchants: [...new Set(purpose.shares.map(({ merchantId }) => merchantId))],
      }
    : undefined

/** Commits to the outflow that is shown, if it may go where it is to go. */
const committing =
  (commit: typeof Outgoing.send): Relayer.Sending["commit"] =>
  ({ destinations, outflows: [outflow], payments }, slot, now) =>
    outflow === undefined || !SettlementMatching.maySend(outflow, destinations, now)
      ? null
      : commit({ outflow, payments }, slot, now)

/** What a refusal by the chain means to money that goes out. The last three are refusals of a payer's money. */
const codes: { readonly [R in TransferRefused["reason"]]: Obstacle.Code } = {
  paused: "paused",
  payee: "payee",
  blocked: "blocked",
  short: "short",
  barred: "blocked",
  spent: "blocked",
  late: "blocked",
}

/** Holds it for an operator, and says so. */
const hold = Effect.fnUntraced(function* (claimed: ClaimedOutflow, ending: Transfer.Ending) {
  const { id, mode, partnerId, purpose } = claimed.outflow
  const { moved: _, ...failure } = ending
  const holding = (why: Transfer.Ending) =>
    decide(claimed, (current, now) => Outgoing.hold(current, why, now))
  // More may have left than the ledger knew to be there: it is held all the same, and not booked.
  yield* holding(ending).pipe(Effect.catchTag("Overdrawn", () => holding(failure)))
  const { code, reason } = failure
  const about = { outflowId: id, for: purpose._tag, partnerId, mode, code, message: reason }
  yield* Effect.logError(
    "a payout, refund or return is held: `florin payouts list --state held`",
    about,
  )
})

/** Has it wait while its token is stopped. What was signed before goes out, as its bytes may be anywhere. */
const isStopped = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { mode, movement, state } = claimed.outflow
  const stopped = yield* Lanes.stoppedTokens(mode)
  const stop = stopped.find(({ token }) => Caip.sameToken(token, movement.token))
  if (stop === undefined) return false
  yield* state._tag === "Waiting"
    ? waitFor(
        claimed,
        "stopped",
        `an earlier transfer of the token moved something else (${stop.reason}): check what it moved, then run \`florin assets resume <asset>\``,
      )
    : Worker.postpone(claimed)
  return true
})

/** Says once what it waits for. */
const tellWait = Effect.fnUntraced(function* (
  claimed: ClaimedOutflow,
  code: Obstacle.WaitCode,
  reason: string,
  until?: number,
) {
  const { outflow } = claimed
  if (Outflow.isHindered(outflow, code)) return
  const now = yield* Clock.currentTimeMillis
  const dueAt = now + Worker.pauseInMs(0)
  const why = { code, reason, ...(until !== undefined && { until }) }
  yield* decide(claimed, (current) => Outgoing.wait(current, why, dueAt, now))
  const { id, mode, partnerId, purpose } = outflow
  const about = { outflowId: id, for: purpose._tag, partnerId, mode, code, message: reason }
  yield* Effect.logWarning("a payout, refund or return waits, and is retried", about)
})

/** Has it wait for what passes by itself. */
const waitFor = Effect.fnUntraced(function* (
  claimed: ClaimedOutflow,
  code: Obstacle.WaitCode,
  reason: string,
  until?: number,
) {
  yield* tellWait(claimed, code, reason, until)
  // What was sent is due anew; what waits keeps its work, and its pauses grow.
  if (claimed.outflow.state._tag === "Waiting") yield* Worker.postpone(claimed)
})

/** Holds it or has it wait, by what is in its way. */
const hinder = (claimed: ClaimedOutflow, code: Obstacle.Code, reason: string) =>
  Obstacle.isHeld(code) ? hold(claimed, { code, reason }) : waitFor(claimed, code, reason)

/**
 * Signs nothing for a merchant that is frozen, and asks whenever something is signed. A payout that was not sent is
 * gathered again without its shares; everything else waits.
 */
const isFrozen = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  const { mode, partnerId } = outflow
  if (partnerId === undefined) return false
  const merchants = yield* Merchants.ofOutflow(outflow)
  const frozen = yield* Merchants.frozen({ mode, partnerId }, merchants)
  if (frozen.size === 0) return false
  const now = yield* Clock.currentTimeMillis
  if (outflow.state._tag === "Waiting" && outflow.purpose._tag === "Settle") {
    yield* decide(claimed, (current) => Outgoing.regather(current, now, now))
  } else {
    yield* outflow.state._tag === "Waiting"
      ? waitFor(claimed, "frozen", "the operator froze its merchant or partner")
      : Worker.postpone(claimed)
  }
  return true
})

/**
 * Signs no payout for a merchant whose destination is another one now, or changes: its shares are gathered again, and wait
 * as long as the change does. What was signed before goes out, as its bytes may be anywhere.
 */
const isPaidElsewhere = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  const destinations = destinationsOf(outflow)
  if (destinations === undefined) return false
  const { merchants, token } = destinations
  const now = yield* Clock.currentTimeMillis
  const lasts = yield* (yield* AccountStore).lastDestinations(token, merchants)
  if (SettlementMatching.maySend(outflow, lasts, now)) return false
  yield* decide(claimed, (current) => Outgoing.regather(current, now, now))
  return true
})

/** Holds what a test payment asks to be held. Live payments are not even read. */
const isHeldAsAsked = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { mode, purpose } = claimed.outflow
  const [id, ...others] = mode === "test" ? Outflow.paymentIds(claimed.outflow) : []
  if (id === undefined || others.length > 0) return false
  const payment = yield* (yield* PaymentStore).payment(id)
  if (TestOutcome.of(payment).holds !== purpose._tag) return false
  yield* hold(claimed, { code: "payee", reason: TestOutcome.reason })
  return true
})

/** Holds what may not go where it is to go. Lists change, so it is asked whenever something is signed. */
const isBarred = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { to, token } = claimed.outflow.movement
  const account = { chainId: token.chainId, address: to }
  const refused = yield* (yield* Screening).refused([account])
  if (refused.length > 0) {
    yield* hold(claimed, {
      code: "screening",
      reason: "screening refuses the receiving account",
    })
    return true
  }
  return yield* isUnlisted(claimed)
})

/** Leaves to other workers what this one's settings do not let go: the storage alone moves no money of the operator's. */
const isUnlisted = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { id, mode } = claimed.outflow
  const { accounts } = (yield* Chains).of(mode)
  if (Treasury.mayLeave(claimed.outflow, yield* TreasuryPolicy, accounts)) return false
  yield* Effect.logWarning("the setting treasury does not list the receiving account", {
    outflowId: id,
  })
  yield* Worker.postpone(claimed)
  return true
})

/** Sends it, unless something is in its way. */
const begin = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  // An account that its merchant replaced is no reason to hold anything.
  if ((yield* isFrozen(claimed)) || (yield* isPaidElsewhere(claimed))) return
  if (yield* isHeldAsAsked(claimed)) return
  if ((yield* isStopped(claimed)) || (yield* isBarred(claimed))) return
  if ((yield* lacks(claimed)) || (yield* isNeeded(claimed))) return
  const limit = yield* limitOf(outflow)
  if (limit !== null && (yield* isBeyond(claimed, limit))) return
  const chain = (yield* Chains).of(outflow.mode)
  const rehearsal = yield* Effect.result(chain.rehearse(orderOf(outflow)))
  if (Result.isFailure(rehearsal)) {
    const { failure } = rehearsal
    if (failure._tag !== "TransferRefused") return yield* failure
    const { message, reason } = failure
    return reason === "short" && outflow.purpose._tag === "Refund"
      ? yield* waitForFloat(claimed)
      : yield* hinder(claimed, codes[reason], message)
  }
  const destinations = destinationsOf(outflow)
  yield* Relayer.send({
    mode: outflow.mode,
    order: orderOf(outflow),
    subjects: {
      outflows: [outflow.id],
      payments: Outgoing.shownToSend(outflow),
      ...(destinations !== undefined && { destinations }),
    },
    commit: committing(Outgoing.sendWithin(limit, yield* commitOf(outflow))),
    hold: claimed.hold,
  }).pipe(Effect.catchTag("Overdrawn", (error) => overdrawn(claimed, error)))
})

/**
 * The ledger does not hold what the outflow takes. A payout was gathered when the merchant owed another amount, so its
 * shares are gathered again; a refund waits for credit or for the operator's money, and a withdrawal for that money; what
 * the service moves by itself is given up, and decided again from what is there then.
 */
const overdrawn = Effect.fnUntraced(function* (claimed: ClaimedOutflow, error: Overdrawn) {
  // Another process sent something meanwhile: what is left of the day is read again.
  if (error.isOfLimit) return yield* Worker.postpone(claimed)
  switch (claimed.outflow.purpose._tag) {
    case "Refund":
      return yield* error.isOfCredit ? waitForCredit(claimed) : waitForFloat(claimed)
    case "Settle":
      return yield* decide(claimed, (current, now) =>
        Outgoing.regather(current, now + Worker.pauseInMs(claimed.failures), now),
      )
    case "Withdraw":
      return yield* waitForFloat(claimed)
    case "Move":
    case "Sweep":
      return yield* decide(claimed, Outgoing.giveUp)
    case "Return":
    case "GiveBack":
      return yield* Effect.fail(error)
  }
})

/** The credit of the partner whose merchant's payment goes back. */
const creditOf = Effect.fnUntraced(function* ({ mode, partnerId }: Payment.Payment) {
  const partner = yield* (yield* AccountStore).partner(partnerId)
  // A command that gives late money back sends without the settings of a service: it lends no more than is usual.
  const defaults = Option.match(yield* Effect.serviceOption(Settings), {
    onNone: () => Credit.defaults,
    onSome: ({ credit }) => credit,
  })
  const terms: Credit.Terms = {
    credit: Merchant.creditOf(partner, mode, defaults),
    assets: yield* Assets,
  }
  return terms
})

/** Has a refund wait that lacks credit or money now, once all that its merchant has coming is kept for it. */
const lacks = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  if (outflow.purpose._tag !== "Refund") return false
  const payment = yield* Keeping.forRefund(outflow.purpose.paymentId)
  if (Payment.refundOf(payment)?.drawsOnFloat !== true) return false
  const { from: collecting, token } = outflow.movement
  const lent = Refunding.needOf(payment)
  const ledger = yield* LedgerStore
  if (lent > 0n) {
    const { merchantId } = payment
    const terms = yield* creditOf(payment)
    const debts = terms.credit._tag === "Unlimited" ? [] : yield* ledger.debts(payment)
    if (!Credit.covers(terms, [...debts, { merchantId, token, quantity: lent }])) {
      yield* waitForCredit(claimed)
      return true
    }
  }
  const draw = Outgoing.drawOf({ outflow, payments: [payment] })
  if ((yield* ledger.float(outflow.mode, { collecting, token })) >= draw) return false
  yield* waitForFloat(claimed)
  return true
})

/** Has a payout's shares gathered again if refunds need something of a merchant that it would pay. */
const isNeeded = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { mode, movement, partnerId, purpose } = claimed.outflow
  if (purpose._tag !== "Settle" || partnerId === undefined) return false
  const merchants = [...new Set(purpose.shares.map(({ merchantId }) => merchantId))]
  const inNeed = yield* Keeping.inNeed({ mode, partnerId }, movement.token, merchants)
  if (inNeed.length === 0) return false
  yield* decide(claimed, (current, now) => Outgoing.regather(current, now, now))
  return true
})

/** How a purpose commits: a refund draws on the partner's credit, as far as it must. */
const commitOf = Effect.fnUntraced(function* ({ purpose }: Outflow.Outflow) {
  if (purpose._tag !== "Refund") return Outgoing.send
  const payment = yield* (yield* PaymentStore).payment(purpose.paymentId)
  return Outgoing.sendOnCredit(yield* creditOf(payment))
})

/** What a day may send of what is counted with the outflow; null if its partner has no such limit. */
const limitOf = Effect.fnUntraced(function* (outflow: Outflow.Outflow) {
  const counted = DailyLimit.countedOf(outflow)
  if (counted === null) return null
  const partner = yield* (yield* AccountStore).partner(counted.partnerId)
  const limits = Merchant.limitsOf(partner, counted.mode)
  return DailyLimit.drawOf(counted, limits, yield* Assets, yield* Clock.currentTimeMillis)
})

/** Has what a day may not send any more wait, and says when it goes on. */
const isBeyond = Effect.fnUntraced(function* (claimed: ClaimedOutflow, draw: DailyLimit.Draw) {
  const sent = yield* (yield* OutflowStore).sentSince(draw, draw.since)
  const until = DailyLimit.goesOnAt(draw, sent, claimed.outflow.movement)
  const what = draw.kind === "payouts" ? "paid out" : "refunded"
  if (until === null) {
    const reason = `it is more than may be ${what} in a day for its partner: raise the limit with \`florin partners limits <partnerId>\``
    yield* waitFor(claimed, "limit", reason)
  } else if (until > draw.since + DailyLimit.dayInMs) {
    const at = DateTime.formatIso(DateTime.makeUnsafe(until))
    const reason = `its partner has reached what may be ${what} in a day: it is sent at ${at} or later`
    yield* waitFor(claimed, "limit", reason, until)
  } else return false
  return true
})

/** Says that the partner's merchants owe all that it may, and looks again later. */
const waitForCredit = (claimed: ClaimedOutflow) =>
  waitFor(
    claimed,
    "credit",
    "its partner has too little credit: grant more, or wait for more shares of its merchant",
  )

/** Says that the money is not there, and looks again later. */
const waitForFloat = (claimed: ClaimedOutflow) =>
  waitFor(claimed, "float", "there is not enough of the operator's money on the account: add to it")

/**
 * Its transaction finally reverted. What is in the way now says whether it is held; where nothing is, it is sent again, but
 * not for ever, because each revert costs gas.
 */
const reverted = Effect.fnUntraced(function* (claimed: ClaimedOutflow, txHash: string) {
  const { outflow } = claimed
  const rehearsal = yield* Effect.result(
    (yield* Chains).of(outflow.mode).rehearse(orderOf(outflow)),
  )
  if (Result.isFailure(rehearsal)) {
    const { failure } = rehearsal
    return failure._tag === "TransferRefused"
      ? yield* hinder(claimed, codes[failure.reason], failure.message)
      : yield* failure
  }
  const isLast = (outflow.reverts ?? 0) + 1 >= Obstacle.revertsMax
  const reason = `its transaction reverted, though nothing was in its way before and after (${txHash})`
  yield* hinder(claimed, isLast ? "reverting" : "reverted", reason)
})

/** Looks for what was sent, and sends the same bytes again if it is not there. */
const follow = Effect.fnUntraced(function* (claimed: ClaimedOutflow, slot: Lane.Slot) {
  const { outflow } = claimed
  const { mode, movement } = outflow
  const chain = (yield* Chains).of(mode)
  const relayed = yield* Relayer.transactionAt(slot)
  const sighting = yield* chain.look({ movement, relayed, attempt: null })
  switch (sighting._tag) {
    case "Final":
      return yield* decide(claimed, (current, now) => Outgoing.pay(current, sighting.evidence, now))
    case "Impossible": {
      if (sighting.movedOtherwise !== true) {
        return yield* reverted(claimed, sighting.txHash ?? relayed.hash)
      }
      const ending = Transfer.failureOf(sighting)
      // What the token did it may do from now on. It is stopped first, in case this process ends here.
      yield* Lanes.stopToken(mode, movement.token, `${outflow.id}: ${ending.reason}`)
      return yield* hold(claimed, ending)
    }
    case "Replaced":
      if ((yield* isFrozen(claimed)) || (yield* isStopped(claimed)) || (yield* isBarred(claimed)))
        return
      yield* Relayer.send({
        mode,
        order: orderOf(outflow),
        subjects: { outflows: [outflow.id], payments: [] },
        commit: committing(Outgoing.resend),
        hold: claimed.hold,
        replaced: relayed,
      })
      return
    case "Unseen":
      yield* Effect.ignore(Relayer.sendAgain(mode, relayed))
      return yield* Worker.wait(claimed, slot.takenAt)
    case "Included":
      return yield* Worker.wait(claimed, slot.takenAt)
  }
})

const work = Worker.outflows("send")

export const drain = Worker.drain(work, handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
