/**
 * Sends all outgoing money, whatever it is for: rehearses, signs, stores and broadcasts each outflow, and tracks it
 * until it is paid. If the destination is the obstacle, the outflow is held for an operator. Everything else is retried
 * for as long as it takes.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Outgoing from "../domain/books/Outgoing.ts"
import * as Payouts from "../domain/books/Payouts.ts"
import * as Refunding from "../domain/books/Refunding.ts"
import * as Caip from "../domain/chain/Caip.ts"
import * as Obstacle from "../domain/chain/Obstacle.ts"
import * as Transfer from "../domain/chain/Transfer.ts"
import * as Rfc3339 from "../domain/ground/Rfc3339.ts"
import * as Credit from "../domain/money/Credit.ts"
import * as DailyLimit from "../domain/outflow/DailyLimit.ts"
import type * as Lane from "../domain/outflow/Lane.ts"
import * as Outflow from "../domain/outflow/Outflow.ts"
import * as Treasury from "../domain/outflow/Treasury.ts"
import * as Merchant from "../domain/partner/Merchant.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import * as Refund from "../domain/payment/Refund.ts"
import * as Keeping from "../engine/books/Keeping.ts"
import * as Lanes from "../engine/chain/Lanes.ts"
import * as Relayer from "../engine/chain/Relayer.ts"
import * as Merchants from "../engine/partner/Merchants.ts"
import { AccountStore, findPartner } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
import { Chains, type TransferRefused } from "../ports/Chain.ts"
import type { ClaimedOutflow } from "../ports/DueWork.ts"
import { floatOf, LedgerStore, owingOf } from "../ports/LedgerStore.ts"
import { OutflowStore, type Subjects } from "../ports/OutflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Screening } from "../ports/Screening.ts"
import { Settings } from "../ports/Settings.ts"
import type { Overdrawn } from "../ports/StorageError.ts"
import { TreasuryPolicy } from "../ports/TreasuryPolicy.ts"
import * as World from "../ports/World.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { state } = claimed.outflow
  switch (state._tag) {
    case "Waiting":
      return yield* begin(claimed).pipe(
        // It still fails: a chain that does not respond is paused.
        Effect.tapErrorTag("ChainUnavailable", ({ message }) => logWait(claimed, "node", message)),
        Effect.catchTag("SendingHalted", ({ message }) => waitFor(claimed, "halted", message)),
      )
    case "Sent":
      return yield* follow(claimed, state.slot)
    default:
      return yield* Worker.writeOutflow(claimed, [], () => null)
  }
})

const decide = (claimed: ClaimedOutflow, decision: Worker.OutflowDecision) =>
  Worker.writeOutflow(claimed, Outflow.paymentIds(claimed.outflow), decision)

/** Cancels a payout, and gathers its shares again. */
const gatherAgain = (claimed: ClaimedOutflow) =>
  decide(claimed, (current, now) => Outgoing.regather(current, now, now))

const orderOf = ({ movement }: Outflow.Outflow) => ({ _tag: "Send", movement }) as const

/** The merchants whose destinations a payout depends on. */
const destinationsOf = (outflow: Outflow.Outflow): Subjects["destinations"] => {
  const merchants = Outflow.merchantsOf(outflow)
  return merchants.length === 0 ? undefined : { token: outflow.movement.token, merchants }
}

const subjectsOf = (outflow: Outflow.Outflow): Subjects => {
  const destinations = destinationsOf(outflow)
  return {
    outflows: [outflow.id],
    payments: Outgoing.shownToSend(outflow),
    ...(destinations !== undefined && { destinations }),
  }
}

/** Commits to the outflow as it is read, if its destination is still allowed. */
const committing =
  (commit: typeof Outgoing.send): Relayer.Sending["commit"] =>
  ({ destinations, outflows: [outflow], payments }, slot, now) =>
    outflow === undefined || !Payouts.maySend(outflow, destinations, now)
      ? null
      : commit({ outflow, payments }, slot, now)

/** What a refusal by the chain means for outgoing money. The last three are refusals of a payer's money. */
const codes: { readonly [R in TransferRefused["reason"]]: Obstacle.Code } = {
  paused: "paused",
  payee: "payee",
  blocked: "blocked",
  short: "short",
  barred: "blocked",
  spent: "blocked",
  late: "blocked",
}

const aboutOf = (
  { outflow: { id, mode, partnerId, purpose } }: ClaimedOutflow,
  { code, reason }: { readonly code: Obstacle.Code; readonly reason: string },
) => ({ outflowId: id, for: purpose._tag, partnerId, mode, code, message: reason })

/** Holds it for an operator, and logs it. */
const hold = Effect.fnUntraced(function* (claimed: ClaimedOutflow, ending: Transfer.Ending) {
  yield* decide(claimed, (current, now) => Outgoing.hold(current, ending, now))
  const what = "a payout, refund or return is held: `florin payouts list --state held`"
  yield* Effect.logError(what, aboutOf(claimed, ending))
})

/**
 * Makes it wait while its token is stopped. A transaction that was signed before is still sent, because nodes may
 * already have its bytes.
 */
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

const logWait = Effect.fnUntraced(function* (
  claimed: ClaimedOutflow,
  code: Obstacle.WaitCode,
  reason: string,
  until?: number,
) {
  const why = { code, reason, ...(until !== undefined && { until }) }
  const now = yield* Clock.currentTimeMillis
  if (Outflow.wait(claimed.outflow, why, now) === null) return
  const dueAt = now + Worker.pauseInMs(0)
  yield* decide(claimed, (current) => Outgoing.wait(current, why, dueAt, now))
  yield* Effect.logWarning(
    "a payout, refund or return waits, and is retried",
    aboutOf(claimed, why),
  )
})

/** Makes it wait for an obstacle that ends by itself. */
const waitFor = Effect.fnUntraced(function* (
  claimed: ClaimedOutflow,
  code: Obstacle.WaitCode,
  reason: string,
  until?: number,
) {
  yield* logWait(claimed, code, reason, until)
  // A sent outflow becomes due again; a waiting one keeps its work, and its pauses grow.
  if (claimed.outflow.state._tag === "Waiting") yield* Worker.postpone(claimed)
})

const hinder = (claimed: ClaimedOutflow, code: Obstacle.Code, reason: string) =>
  Obstacle.isHeld(code) ? hold(claimed, { code, reason }) : waitFor(claimed, code, reason)

/**
 * Signs nothing for a frozen merchant; this is checked at every signing. A payout that was not sent is gathered again
 * without its shares. Everything else waits.
 */
const isFrozen = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  const { mode, partnerId } = outflow
  if (partnerId === undefined) return false
  const merchants = yield* Merchants.ofOutflow(outflow)
  const frozen = yield* Merchants.listFrozen({ mode, partnerId }, merchants)
  if (frozen.size === 0) return false
  if (outflow.state._tag !== "Waiting") yield* Worker.postpone(claimed)
  else if (Outflow.sharesOf(outflow).length > 0) yield* gatherAgain(claimed)
  else yield* waitFor(claimed, "frozen", "the operator froze its merchant or partner")
  return true
})

/**
 * Signs no payout for a merchant whose destination was replaced or is being changed: its shares are gathered again, and
 * wait until the change takes effect. A transaction that was signed before is still sent, because nodes may already
 * have its bytes.
 */
const isPaidElsewhere = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  const destinations = destinationsOf(outflow)
  if (destinations === undefined) return false
  const { merchants, token } = destinations
  const now = yield* Clock.currentTimeMillis
  const lasts = yield* (yield* AccountStore).destinations(merchants, token)
  if (Payouts.maySend(outflow, lasts, now)) return false
  yield* gatherAgain(claimed)
  return true
})

/** Holds money whose destination is refused. Lists change, so this is checked at every signing. */
const isBarred = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { to, token } = claimed.outflow.movement
  const account = { chainId: token.chainId, address: to }
  const refused = yield* (yield* Screening).refused([account])
  if (refused.length === 0) return yield* isUnlisted(claimed)
  yield* hinder(claimed, "screening", "screening refuses the receiving account")
  return true
})

/**
 * Leaves movements that this worker's settings do not allow to other workers: an entry in the storage alone never moves
 * the operator's money.
 */
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

const begin = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  // An account that the merchant has replaced is no reason to hold anything.
  if ((yield* isFrozen(claimed)) || (yield* isPaidElsewhere(claimed))) return
  yield* send(claimed).pipe(
    Effect.catchTag("TransferRefused", ({ message, reason }) =>
      reason === "short" && claimed.outflow.purpose._tag === "Refund"
        ? waitForFloat(claimed)
        : hinder(claimed, codes[reason], message),
    ),
  )
})

const send = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  yield* (yield* World.of(outflow.mode)).admit(outflow)
  if ((yield* isStopped(claimed)) || (yield* isBarred(claimed))) return
  if ((yield* lacks(claimed)) || (yield* isNeeded(claimed))) return
  const limit = yield* limitOf(outflow)
  if (limit !== null && (yield* isBeyond(claimed, limit))) return
  yield* (yield* Chains).of(outflow.mode).rehearse(orderOf(outflow))
  yield* Relayer.send({
    mode: outflow.mode,
    order: orderOf(outflow),
    subjects: subjectsOf(outflow),
    commit: committing(Outgoing.sendWithin(limit, yield* commitOf(outflow))),
    lease: claimed.lease,
  }).pipe(Effect.catchTag("Overdrawn", (error) => overdrawn(claimed, error)))
})

const overdrawn = Effect.fnUntraced(function* (claimed: ClaimedOutflow, error: Overdrawn) {
  // Another process sent something in the meantime: the rest of the daily limit is read again.
  if (error.isOfLimit) return yield* Worker.postpone(claimed)
  switch (Outflow.factsOf(claimed.outflow).ifOverdrawn) {
    case "wait":
      return yield* error.isOfCredit ? waitForCredit(claimed) : waitForFloat(claimed)
    case "gather":
      return yield* decide(claimed, (current, now) =>
        Outgoing.regather(current, now + Worker.pauseInMs(claimed.failures), now),
      )
    case "give up":
      return yield* decide(claimed, Outgoing.giveUp)
    case "fail":
      return yield* Effect.fail(error)
  }
})

/** The credit of the partner whose merchant's payment is refunded. */
const creditOf = Effect.fnUntraced(function* ({ mode, partnerId }: Payment.Payment) {
  const partner = yield* findPartner(yield* AccountStore, partnerId)
  // A command that sends late money back runs without the settings of a service, so it uses the default credit.
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

/**
 * Makes a refund wait that lacks credit or money now, after all money that its merchant is still owed is kept for it.
 */
const lacks = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  if (outflow.purpose._tag !== "Refund") return false
  const { payment } = yield* Keeping.forRefund(outflow.purpose.paymentId)
  const refund = Refunding.carriedBy(payment, outflow.id)
  if (refund === null || !Refund.drawsOnFloat(refund)) return false
  const { from: collecting, token } = outflow.movement
  const lent = Refund.need(refund)
  const ledger = yield* LedgerStore
  if (lent > 0n) {
    const { mode, partnerId } = payment
    const terms = yield* creditOf(payment)
    const owing = terms.credit._tag === "Unlimited" ? [] : yield* owingOf(ledger, mode, partnerId)
    if (!Credit.covers(terms, [...owing, { token, quantity: lent }])) {
      yield* waitForCredit(claimed)
      return true
    }
  }
  const draw = Outgoing.drawOf({ outflow, payments: [payment] })
  if ((yield* floatOf(ledger, outflow.mode, { collecting, token })) >= draw) return false
  yield* waitForFloat(claimed)
  return true
})

/** Gathers a payout's shares again if refunds need money of a merchant that it would pay. */
const isNeeded = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { mode, movement, partnerId } = claimed.outflow
  const merchants = Outflow.merchantsOf(claimed.outflow)
  if (merchants.length === 0 || partnerId === undefined) return false
  const inNeed = yield* Keeping.listWaiting({ mode, partnerId }, movement.token, merchants)
  if (inNeed.length === 0) return false
  yield* gatherAgain(claimed)
  return true
})

/** How an outflow commits, by its purpose: a refund draws on the partner's credit if it must. */
const commitOf = Effect.fnUntraced(function* ({ purpose }: Outflow.Outflow) {
  if (purpose._tag !== "Refund") return Outgoing.send
  const payment = yield* (yield* PaymentStore).payment(purpose.paymentId)
  return Outgoing.sendOnCredit(yield* creditOf(payment))
})

/** The daily limit that applies to the outflow; null if its partner has none. */
const limitOf = Effect.fnUntraced(function* (outflow: Outflow.Outflow) {
  const counted = DailyLimit.countedOf(outflow)
  if (counted === null) return null
  const partner = yield* findPartner(yield* AccountStore, counted.partnerId)
  const limits = Merchant.limitsOf(partner, counted.mode)
  return DailyLimit.drawOf(counted, limits, yield* Assets, yield* Clock.currentTimeMillis)
})

/** Makes an outflow wait that exceeds the rest of the daily limit, and logs the time at which it continues. */
const isBeyond = Effect.fnUntraced(function* (claimed: ClaimedOutflow, draw: DailyLimit.Draw) {
  const sent = yield* (yield* OutflowStore).sentSince(draw, draw.since)
  const until = DailyLimit.goesOnAt(draw, sent, claimed.outflow.movement)
  const [what, raise] =
    draw.kind === "payouts"
      ? ["paid out", "`florin partners change <partnerId> --payouts-per-day <amounts>`"]
      : ["refunded", "`florin partners change <partnerId> --refunds-per-day <amounts>`"]
  if (until === null && Outflow.sharesOf(claimed.outflow).length > 1) {
    // The limit was lowered after they were gathered.
    yield* gatherAgain(claimed)
  } else if (until === null) {
    const reason = `it is more than may be ${what} in a day for its partner: raise the limit with ${raise}`
    yield* waitFor(claimed, "limit", reason)
  } else if (until > draw.since + DailyLimit.dayInMs) {
    const at = Rfc3339.format(until)
    const reason = `its partner has reached what may be ${what} in a day: it is sent at ${at} or later`
    yield* waitFor(claimed, "limit", reason, until)
  } else return false
  return true
})

const waitForCredit = (claimed: ClaimedOutflow) =>
  waitFor(
    claimed,
    "credit",
    "its merchant's shares and its partner's credit do not cover it: wait for more sales of the merchant, or grant the partner more credit",
  )

const waitForFloat = (claimed: ClaimedOutflow) =>
  waitFor(claimed, "float", "there is not enough of the operator's money on the account: add to it")

/**
 * Its transaction finally reverted. The current obstacle decides whether it is held. Without an obstacle it is sent
 * again, but not forever, because each revert costs gas.
 */
const reverted = Effect.fnUntraced(function* (claimed: ClaimedOutflow, txHash: string) {
  const { outflow } = claimed
  const isLast = (outflow.reverts ?? 0) + 1 >= Obstacle.revertsMax
  const found = `its transaction reverted, although the checks before and after it found no obstacle (${txHash})`
  const chain = (yield* Chains).of(outflow.mode)
  yield* chain.rehearse(orderOf(outflow)).pipe(
    Effect.andThen(hinder(claimed, isLast ? "reverting" : "reverted", found)),
    Effect.catchTag("TransferRefused", ({ message, reason }) =>
      hinder(claimed, codes[reason], message),
    ),
  )
})

/** Looks for the sent transaction, and sends the same bytes again if it is not there. */
const follow = Effect.fnUntraced(function* (claimed: ClaimedOutflow, slot: Lane.Slot) {
  const { outflow } = claimed
  const { mode, movement } = outflow
  const chain = (yield* Chains).of(mode)
  const relayed = yield* Relayer.transactionAt(slot)
  const observation = yield* chain.look({ movement, relayed, attempt: null })
  switch (observation._tag) {
    case "Final":
      return yield* decide(claimed, (current, now) =>
        Outgoing.pay(current, observation.evidence, now),
      )
    case "Impossible": {
      if (observation.movedOtherwise !== true) {
        return yield* reverted(claimed, observation.txHash ?? relayed.hash)
      }
      const ending = Transfer.failureOf(observation)
      const isKnown = ending.moved !== undefined
      const why = isKnown
        ? ending.reason
        : `${ending.reason}, and no node says what: configure one that keeps old states`
      // The token may do the same again. It is stopped first, in case this process ends here.
      yield* Lanes.stopToken(mode, movement.token, `${outflow.id}: ${why}`)
      // Nobody can decide about it before it is known what moved.
      return yield* isKnown ? hold(claimed, ending) : Worker.postpone(claimed)
    }
    case "Replaced": {
      if ((yield* isFrozen(claimed)) || (yield* isStopped(claimed)) || (yield* isBarred(claimed)))
        return
      const isSigned = yield* Relayer.send({
        mode,
        order: orderOf(outflow),
        subjects: subjectsOf(outflow),
        commit: committing(Outgoing.resend),
        lease: claimed.lease,
        replaced: relayed,
      })
      // As one that waits, it is gathered again for the new destination.
      return isSigned
        ? undefined
        : yield* waitFor(claimed, "destination", "a merchant changed its destination meanwhile")
    }
    case "Unseen":
      yield* Effect.ignore(Relayer.sendAgain(mode, relayed))
      return yield* Worker.wait(claimed, slot.takenAt)
    case "Included":
      return yield* Worker.wait(claimed, slot.takenAt)
  }
})

export const { drain, layer } = Worker.of(Worker.outflows("send"), handle)
