/**
 * Gathers merchants' shares into payouts: all shares that wait for one destination, as soon as its payout policy allows
 * it.
 *
 * A payout goes to the destination in effect when its shares are gathered. The decision that gathers reads it, so that
 * no change comes in between. While a change of the destination waits, the shares wait, too.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Balance from "../domain/books/Balance.ts"
import * as Payouts from "../domain/books/Payouts.ts"
import * as Terms from "../domain/books/Terms.ts"
import type * as Caip from "../domain/chain/Caip.ts"
import * as Limits from "../domain/ground/Limits.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import * as Remembered from "../domain/ground/Remembered.ts"
import * as DailyLimit from "../domain/outflow/DailyLimit.ts"
import * as Merchant from "../domain/partner/Merchant.ts"
import * as PayoutPolicy from "../domain/partner/PayoutPolicy.ts"
import * as Change from "../domain/payment/Change.ts"
import type * as Entry from "../domain/payment/Entry.ts"
import * as Payment from "../domain/payment/Payment.ts"
import * as Keeping from "../engine/books/Keeping.ts"
import * as Merchants from "../engine/partner/Merchants.ts"
import * as Writes from "../engine/record/Writes.ts"
import { AccountStore, findMerchant, findPartner } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
import { type Claimed, DueWork } from "../ports/DueWork.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { debtsOf, LedgerStore } from "../ports/LedgerStore.ts"
import { OutflowStore, type PendingShare } from "../ports/OutflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Settings } from "../ports/Settings.ts"
import * as World from "../ports/World.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { payment } = claimed
  const token = Balance.tokenOfWaiting(payment)
  if (token === null) return yield* finish(claimed)
  yield* inTurn(
    claimed,
    Effect.gen(function* () {
      if (yield* isAimed(claimed, token)) yield* payOut(claimed)
    }),
  )
})

/** How many taken shares a process remembers: more than it has in work. */
const takenMost = 1000

/** What this process gathers now, by group, and the revisions at which it took shares lately. */
interface Gathering {
  readonly turns: Map<string, { readonly lock: Semaphore.Semaphore; users: number }>
  readonly taken: Map<PaymentId.PaymentId, number>
}

const gatheringOf = Remembered.memoize<OutflowStore["Service"], Gathering>(() => ({
  turns: new Map(),
  taken: new Map(),
}))

const noteTaken = ({ taken }: Gathering, payments: ReadonlyArray<Payment.Payment>): void => {
  for (const { id, revision } of payments) {
    taken.delete(id)
    taken.set(id, revision)
    const [oldest] = taken.keys()
    if (taken.size > takenMost && oldest !== undefined) taken.delete(oldest)
  }
}

/**
 * Works on one share of a group at a time: the first one is gathered with all others, whose work is then written, too.
 * A share that became due again after it was taken has a later revision. Should the lease on a taken share still be
 * valid, as after a restore of the database, the share is due again.
 */
const inTurn = Effect.fnUntraced(function* <E, R>(
  claimed: Claimed,
  work: Effect.Effect<void, E, R>,
) {
  const { payment } = claimed
  const { taken, turns } = gatheringOf(yield* OutflowStore)
  const group = Balance.groupOf(payment)
  const key = group === null ? payment.id : Balance.groupKey(group)
  const turn = turns.get(key) ?? { lock: Semaphore.makeUnsafe(1), users: 0 }
  turns.set(key, turn)
  turn.users += 1
  const unlessTaken = Effect.gen(function* () {
    if ((taken.get(payment.id) ?? -1) <= payment.revision) return yield* work
    taken.delete(payment.id)
    yield* lookAgainUnlessTaken(claimed, yield* Clock.currentTimeMillis)
  })
  yield* Effect.ensuring(
    turn.lock.withPermits(1)(unlessTaken),
    Effect.sync(() => {
      turn.users -= 1
      if (turn.users === 0) turns.delete(key)
    }),
  )
})

const lookAgainAt = ({ lease }: Claimed, at: number) =>
  Effect.flatMap(DueWork, (work) => work.postpone(lease, at, 0))

/** The same, unless somebody wrote its work in the meantime. */
const lookAgainUnlessTaken = (claimed: Claimed, at: number) =>
  lookAgainAt(claimed, at).pipe(Effect.catchTag("LeaseLost", () => Effect.void))

/** Ends the work on a share of which nothing is left to pay out. */
const finish = Effect.fnUntraced(function* (claimed: Claimed) {
  // It may be the one that was due for the merchant's others.
  if (yield* aimOthers(claimed)) {
    return yield* lookAgainAt(claimed, yield* Clock.currentTimeMillis)
  }
  const refunded = Balance.refundAwaited(claimed.payment)
  yield* refunded === null ? Worker.endWork(claimed) : settleNetted(claimed, refunded)
})

/** Settles a share that paid off debt, once the transfer of the refund that it paid off is final. */
const settleNetted = Effect.fnUntraced(function* (
  claimed: Claimed,
  { paymentId, refundId }: Entry.RefundOf,
) {
  const refunded = yield* (yield* PaymentStore).payment(paymentId)
  const refund = Payment.refunds(refunded).find(({ id }) => id === refundId)
  if (refund?.state._tag !== "Succeeded") {
    return yield* Worker.wait(claimed, claimed.payment.updatedAt)
  }
  const { txHash } = refund.state
  yield* Worker.write(claimed, (current, now) =>
    Result.succeed(Balance.recordPaidOff(current, txHash, now)),
  )
})

// --- where a share goes

/** Whether the share goes where it was planned. If not, it is aimed elsewhere, or waits. */
const isAimed = Effect.fnUntraced(function* (claimed: Claimed, token: Caip.Token) {
  const { payment } = claimed
  const now = yield* Clock.currentTimeMillis
  const [last] = yield* (yield* AccountStore).destinations([payment.merchantId], token)
  const route = Balance.routeOf(payment, last, now)
  if (route._tag === "Pays" && (yield* aimOthers(claimed))) {
    yield* lookAgainAt(claimed, now)
  } else if (Balance.aim(payment, route, now) !== null) {
    // Whatever happened to the share in the meantime, its work is due again, so that no waiting share is forgotten.
    yield* Worker.write(claimed, (current, at) =>
      Result.succeed(
        Balance.aim(current, route, at) ?? Change.make(current, at, { due: { settle: at } }),
      ),
    )
  } else if (route._tag === "Waits") {
    // A change can be cancelled, and confirmed, at any time.
    yield* lookAgainAt(claimed, Math.min(route.until, now + Worker.frozenPauseInMs))
  } else if (route._tag === "Owed") yield* Worker.endWork(claimed)
  else return true
  return false
})

/**
 * Makes other shares that the merchant is owed in the token wait to be gathered, too, oldest first; returns whether
 * more may be left. Registering a destination makes only one share due. Its work stays due until all others are
 * written, so that none is forgotten, however many there are.
 */
const aimOthers = Effect.fnUntraced(function* ({ lease, payment }: Claimed) {
  const token = Balance.tokenUnplanned(payment)
  if (token === null) return false
  const { id, merchantId } = payment
  const owed = yield* (yield* OutflowStore).waitingShares(
    { _tag: "Owed", merchantId, token },
    Limits.sharesPerOutflowMax,
  )
  const others = owed.flatMap(({ paymentId }) => (paymentId === id ? [] : [paymentId]))
  if (others.length === 0) return false
  const now = yield* Clock.currentTimeMillis
  const written = yield* Writes.write(
    { payments: others, destinations: { token, merchants: [merchantId] } },
    ({ destinations: [last], payments }) => {
      const changes = payments.flatMap((each, index) => {
        const route = Balance.routeOf(each, last, now)
        // While a change waits, one share waits for all others.
        return route._tag === "Waits" && index > 0 ? [] : (Balance.aim(each, route, now) ?? [])
      })
      return Result.succeed(changes.length === 0 ? null : { payments: changes, outflows: [] })
    },
    lease,
  )
  return owed.length === Limits.sharesPerOutflowMax && written !== null
})

// --- when it goes

/** Pays out the share with all others of its group, once it is its turn. */
const payOut = Effect.fnUntraced(function* (claimed: Claimed) {
  const { payment } = claimed
  const { merchantId, mode, partnerId } = payment
  const group = Balance.groupOf(payment)
  const accounts = yield* AccountStore
  const partner = yield* findPartner(accounts, partnerId)
  const merchant = yield* findMerchant(accounts, { partnerId, mode }, merchantId)
  const policy = Merchant.payoutsOf(merchant, partner, (yield* Settings).payouts)
  const now = yield* Clock.currentTimeMillis
  const turn = Terms.turnOf(payment, { merchant, partner, policy }, now)
  if (group === null || turn === null) return yield* Worker.endWork(claimed)
  if (turn.waitsFor === "thaw") return yield* lookAgainAt(claimed, now + Worker.frozenPauseInMs)
  const isHeld = (Balance.heldUntil(payment) ?? 0) > now
  if (turn.waitsFor === "limits" || isHeld) {
    // Shares that are held back until the same time are paid out together, by the policy, from then on.
    const back =
      turn.waitsFor === "limits"
        ? { from: turn.from, dueAt: turn.dueAt }
        : { from: null, dueAt: now }
    return yield* Worker.write(claimed, (current) =>
      Result.succeed(Balance.holdBack(current, back, now)),
    )
  }
  if (turn.dueAt > now && !(yield* isEnough(policy, group, now))) {
    return yield* lookAgainAt(claimed, turn.dueAt)
  }
  const limits = Merchant.limitsOf(partner, mode)
  const most = DailyLimit.payoutMost(limits, (yield* Assets).find(group.token))
  while (!(yield* gather(claimed, group, { limits, most })));
})

/** Whether the shares that wait in a group are worth a transfer now, no matter their age. */
const isEnough = Effect.fnUntraced(function* (
  policy: PayoutPolicy.PayoutPolicy,
  group: Balance.Group,
  now: number,
) {
  if (!PayoutPolicy.countsUnits(policy)) return false
  // Read after the share was stored, so that if two shares reach the quantity together, the later one sees both.
  const waiting = yield* (yield* OutflowStore).pendingQuantity(group, now)
  return PayoutPolicy.isEnough(policy, (yield* Assets).find(group.token), waiting)
})

// --- together with others

/**
 * Takes what is available in the group, in order, up to the limits of one payout. Returns whether nothing is left to do
 * for the claimed share now: it was taken, or is looked at again. Otherwise only others were taken.
 */
const gather = Effect.fnUntraced(function* (
  claimed: Claimed,
  group: Balance.Group,
  bounds: Payouts.Bounds,
) {
  const { payment } = claimed
  const { mode, token } = group
  const { mayShare } = yield* World.of(mode)
  const now = yield* Clock.currentTimeMillis
  const shares = yield* available(claimed, group, now)
  const merchants = [...new Set(shares.map(({ merchantId }) => merchantId))]
  const isEmpty = Balance.pendingQuantity(payment) === 0n
  const inNeed = isEmpty ? [] : yield* Keeping.listWaiting(group, token, merchants)
  const kept = yield* Effect.forEach(inNeed, Keeping.forRefund)
  if (kept.some(({ isKept }) => isKept)) {
    // Refunds come first. What they leave is gathered after that.
    yield* lookAgainUnlessTaken(claimed, now)
    return true
  }
  const debts = yield* debtsOf(yield* LedgerStore, mode, token, merchants)
  const refunds = yield* lastRefunds(group, debts)
  const outflowId = yield* (yield* Identifiers).outflow
  const gathered = yield* Writes.write(
    {
      payments: shares.map(({ paymentId }) => paymentId),
      destinations: { token, merchants },
    },
    ({ destinations: lasts, payments }) => {
      const sharing = payments.length === 1 ? payments : payments.filter(mayShare)
      const terms = { debts, lasts, refunds }
      return Result.succeed(Payouts.gather(sharing, group, terms, outflowId, now, bounds))
    },
  )
  const taken = (gathered?.payments ?? []).map((change) => change.payment)
  noteTaken(gatheringOf(yield* OutflowStore), taken)
  if (taken.some(({ id }) => id === payment.id)) return true
  if (taken.length > 0) return false
  // It was taken by another worker or a refund, or its destination changed meanwhile.
  yield* lookAgainUnlessTaken(claimed, now)
  return true
})

/**
 * The oldest shares of the group that may be in a payout now, with the claimed one, which may be younger than as many as
 * one payout carries. A share of which nothing is left, or that must share with no other, goes alone.
 */
const available = Effect.fnUntraced(function* (
  { payment }: Claimed,
  group: Balance.Group,
  now: number,
) {
  const { id: paymentId, merchantId } = payment
  const own: PendingShare = { paymentId, merchantId }
  const { mayShare } = yield* World.of(group.mode)
  if (Balance.pendingQuantity(payment) === 0n || !mayShare(payment)) return [own]
  const limit = Limits.sharesPerOutflowMax
  const oldest = yield* (yield* OutflowStore).waitingShares({ _tag: "Group", group, now }, limit)
  const barred = yield* barredFrom(group, oldest, merchantId)
  const free = oldest.filter((each) => !barred.has(each.merchantId))
  return free.some((each) => each.paymentId === paymentId)
    ? free
    : [...free.slice(0, limit - 1), own]
})

/**
 * The merchants whose shares are not gathered for a group now: frozen merchants, and merchants other than the claimed
 * share's that are paid elsewhere. This only keeps them out of the way; the decision itself checks again.
 */
const barredFrom = Effect.fnUntraced(function* (
  group: Balance.Group,
  oldest: ReadonlyArray<PendingShare>,
  ownId: MerchantId.MerchantId,
) {
  const others = [...new Set(oldest.map(({ merchantId }) => merchantId))].filter(
    (each) => each !== ownId,
  )
  if (others.length === 0) return new Set<MerchantId.MerchantId>()
  const frozen = yield* Merchants.listFrozen(group, others)
  const now = yield* Clock.currentTimeMillis
  const lasts = yield* (yield* AccountStore).destinations(others, group.token)
  const elsewhere = lasts.filter((last) => !Balance.leadsTo(group.destination, last, now))
  return new Set([...frozen, ...elsewhere.map(({ merchantId }) => merchantId)])
})

/** The last refund of each merchant that owes something: if its share is netted in full, that refund settles it. */
const lastRefunds = Effect.fnUntraced(function* (group: Balance.Group, debts: Balance.Debts) {
  const payments = yield* PaymentStore
  const indebted = [...debts].filter(([, debt]) => debt > 0n)
  const found = yield* Effect.forEach(indebted, ([merchantId]) =>
    Effect.map(payments.lastSentRefund(group, group.token, merchantId), (last) =>
      last === null ? [] : [[merchantId, last] as const],
    ),
  )
  return new Map(found.flat())
})

export const { drain, layer } = Worker.of(Worker.payments("settle"), handle)
