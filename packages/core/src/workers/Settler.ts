/**
 * Gathers merchants' shares into payouts: all that wait for one destination, as soon as its payout policy says so.
 *
 * The destination in effect when a share is gathered is the one that is paid. It is read in the decision that gathers, so
 * that no change comes between the two. While a change waits, so do the shares.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Caip from "../domain/Caip.ts"
import * as Change from "../domain/Change.ts"
import * as DailyLimit from "../domain/DailyLimit.ts"
import * as Limits from "../domain/Limits.ts"
import * as Merchant from "../domain/Merchant.ts"
import type * as Payment from "../domain/Payment.ts"
import * as PayoutPolicy from "../domain/PayoutPolicy.ts"
import * as SettlementMatching from "../domain/SettlementMatching.ts"
import * as TestOutcome from "../domain/TestOutcome.ts"
import * as Debts from "../engine/Debts.ts"
import * as Keeping from "../engine/Keeping.ts"
import * as Merchants from "../engine/Merchants.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
import { type Claimed, DueWork } from "../ports/DueWork.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { OutflowStore, type PendingShare } from "../ports/OutflowStore.ts"
import { Settings } from "../ports/Settings.ts"
import { Signals } from "../ports/Signals.ts"
import * as Worker from "./Worker.ts"

/** What a round of gathering did: the claimed share waits no more, others do not, or nothing changed. */
type Progress = "done" | "some" | "none"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { hold, payment } = claimed
  const token = SettlementMatching.tokenOfWaiting(payment)
  if (token === null) return yield* Worker.nothing(claimed)
  const now = yield* Clock.currentTimeMillis
  const { merchantId } = payment
  const [last] = yield* (yield* AccountStore).lastDestinations(token, [merchantId])
  const route = SettlementMatching.routeOf(payment, last, now)
  if (route._tag === "Pays" && (yield* settleOthers(claimed, token))) {
    return yield* (yield* DueWork).postpone(hold, now)
  }
  if (SettlementMatching.aim(payment, route, now) !== null) {
    // Whatever became of the share meanwhile, its work is due: a share that waits is never forgotten.
    return yield* Worker.write(claimed, (current, at) =>
      Result.succeed(
        SettlementMatching.aim(current, route, at) ??
          Change.make(current, at, { due: { settle: at } }),
      ),
    )
  }
  const group = SettlementMatching.groupOf(payment)
  if (route._tag === "Waits") {
    // A change can be cancelled, and confirmed, at any time.
    const lookAt = Math.min(route.until, now + Worker.frozenPauseInMs)
    return yield* (yield* DueWork).postpone(hold, lookAt)
  }
  if (group === null) return yield* Worker.nothing(claimed)
  if ((yield* Merchants.frozen(group, [merchantId])).has(merchantId)) {
    return yield* (yield* DueWork).postpone(hold, now + Worker.frozenPauseInMs)
  }
  const partner = yield* (yield* AccountStore).partner(payment.partnerId)
  const limits = Merchant.limitsOf(partner, payment.mode)
  const policy = yield* policyOf(payment, partner)
  const heldUntil = SettlementMatching.heldUntil(payment) ?? 0
  const payableAt = SettlementMatching.payableAt(payment, limits, now)
  if (payableAt > now || heldUntil > now) {
    // Shares that are held back for the same time are paid out together, by the policy, from then on.
    const held = payableAt > now ? { from: payableAt } : { from: null }
    const dueAt = payableAt > now ? PayoutPolicy.dueAt(policy, payableAt) : now
    return yield* Worker.write(claimed, (current) =>
      Result.succeed(SettlementMatching.holdBack(current, { ...held, dueAt }, now)),
    )
  }
  const since = payment.state._tag === "Succeeded" ? payment.state.succeededAt : payment.updatedAt
  const dueAt = yield* gatherAt(policy, group, Math.max(since, heldUntil), now)
  if (dueAt > now) {
    return yield* (yield* DueWork).postpone(hold, dueAt)
  }
  const most = DailyLimit.payoutMost(limits, (yield* Assets).find(group.token))
  // The claimed share may be behind more of them than one transfer pays, or than are paid at all now: then it goes alone.
  const isEmpty = SettlementMatching.pendingQuantity(payment) === 0n
  for (let goesAlone = isEmpty || TestOutcome.of(payment).holds === "Settle"; ;) {
    const progress: Progress = yield* gather(claimed, group, { limits, most }, goesAlone)
    if (progress === "done") return
    goesAlone = progress === "none"
  }
})

/**
 * Has other shares that the merchant is owed in the token wait to be gathered, too, the oldest first; returns whether more
 * may be left. Registering a destination makes only one share due: its work stays due until all others are written, so
 * none is forgotten, however many there are.
 */
const settleOthers = Effect.fnUntraced(function* ({ hold, payment }: Claimed, token: Caip.Token) {
  if (SettlementMatching.tokenOwed(payment) === null) return false
  const { id, merchantId } = payment
  const outflows = yield* OutflowStore
  const owed = yield* outflows.owedShares(merchantId, token, Limits.sharesPerOutflowMax)
  const others = owed.filter((each) => each !== id)
  if (others.length === 0) return false
  const now = yield* Clock.currentTimeMillis
  const changed = yield* outflows.modify(
    { outflows: [], payments: others, destinations: { token, merchants: [merchantId] } },
    ({ destinations: [last], payments }) => {
      const changes = payments.flatMap(
        (each) =>
          SettlementMatching.aim(each, SettlementMatching.routeOf(each, last, now), now) ?? [],
      )
      const write = changes.length === 0 ? null : { payments: changes, outflows: [] }
      return Result.succeed({ answer: changes.map((each) => each.payment.id), write })
    },
    hold,
  )
  yield* Effect.forEach(changed, (yield* Signals).changed, { discard: true })
  return owed.length === Limits.sharesPerOutflowMax && changed.length > 0
})

/**
 * The merchants of shares that are not gathered for a group now: frozen ones, and others than the claimed share's that are
 * paid elsewhere. They are kept out of its way; what counts is what the decision is shown.
 */
const barredFrom = Effect.fnUntraced(function* (
  group: SettlementMatching.Group,
  oldest: ReadonlyArray<PendingShare>,
  ownId: Merchant.MerchantId,
) {
  const merchants = [...new Set(oldest.map(({ merchantId }) => merchantId))]
  const frozen = yield* Merchants.frozen(group, merchants)
  const others = merchants.filter((each) => each !== ownId)
  if (others.length === 0) return frozen
  const now = yield* Clock.currentTimeMillis
  const lasts = yield* (yield* AccountStore).lastDestinations(group.token, others)
  const elsewhere = lasts.filter(
    (last) => !SettlementMatching.leadsTo(group.destination, last, now),
  )
  return new Set([...frozen, ...elsewhere.map(({ merchantId }) => merchantId)])
})

const policyOf = Effect.fnUntraced(function* (
  { merchantId, mode, partnerId }: Payment.Payment,
  partner: Merchant.Partner,
) {
  const merchant = yield* (yield* AccountStore).merchant({ partnerId, mode }, merchantId)
  return Merchant.payoutsOf(merchant, partner, (yield* Settings).payouts)
})

/** When a share that may be paid out since then is to be gathered, with all others of its group. */
const gatherAt = Effect.fnUntraced(function* (
  policy: PayoutPolicy.PayoutPolicy,
  group: SettlementMatching.Group,
  since: number,
  now: number,
) {
  const dueAt = PayoutPolicy.dueAt(policy, since)
  if (!PayoutPolicy.countsUnits(policy)) return dueAt
  // Read after the share was stored: of two that reach the quantity together, the later one sees both.
  const waiting = yield* (yield* OutflowStore).pendingQuantity(group, now)
  const asset = (yield* Assets).find(group.token)
  return PayoutPolicy.isEnough(policy, asset, waiting) ? since : dueAt
})

/** Gathers the oldest shares of a group, or the claimed one alone. */
const gather = Effect.fnUntraced(function* (
  claimed: Claimed,
  group: SettlementMatching.Group,
  bounds: SettlementMatching.Bounds,
  goesAlone: boolean,
) {
  const { id, merchantId: ownId } = claimed.payment
  const isEmpty = goesAlone && SettlementMatching.pendingQuantity(claimed.payment) === 0n
  const outflows = yield* OutflowStore
  const now = yield* Clock.currentTimeMillis
  const oldest = yield* outflows.pendingShares(group, Limits.sharesPerOutflowMax, now)
  const barred = yield* barredFrom(group, oldest, ownId)
  const free = oldest.filter(({ merchantId }) => !barred.has(merchantId))
  // Barred shares may be all that is read before the claimed one, which then goes alone.
  const isBehind = barred.size > 0 && free.every(({ paymentId }) => paymentId !== id)
  const isAlone = goesAlone || isBehind
  const shares = isAlone ? [{ paymentId: id, merchantId: ownId }] : free
  const isWaiting =
    oldest.length === Limits.sharesPerOutflowMax || oldest.some(({ paymentId }) => paymentId === id)
  if (!isWaiting) {
    // Another worker gathered it, or a refund took it.
    yield* Worker.nothing(claimed).pipe(Effect.catchTag("LeaseLost", () => Effect.void))
    return "done" as const
  }
  const merchants = [...new Set(shares.map(({ merchantId }) => merchantId))]
  const inNeed = isEmpty ? [] : yield* Keeping.inNeed(group, group.token, merchants)
  if (inNeed.length > 0) {
    // Refunds come first. What they leave is gathered next time.
    yield* Effect.forEach(inNeed, Keeping.forRefund, { discard: true })
    return "some" as const
  }
  const debts = yield* Debts.of(group.mode, group.token, merchants)
  const outflowId = yield* (yield* Identifiers).outflow
  const gathered = yield* outflows.modify(
    {
      outflows: [],
      payments: shares.map(({ paymentId }) => paymentId),
      destinations: { token: group.token, merchants },
    },
    ({ destinations: lasts, payments }) => {
      const write = SettlementMatching.gather(
        payments,
        group,
        { debts, lasts },
        outflowId,
        now,
        bounds,
      )
      const changed = (write?.payments ?? []).map(({ payment }) => payment.id)
      const own = lasts.find(({ merchantId }) => merchantId === ownId)
      const isElsewhere = !SettlementMatching.leadsTo(group.destination, own, now)
      return Result.succeed({ answer: { changed, isElsewhere }, write })
    },
    null,
  )
  const signals = yield* Signals
  const { changed, isElsewhere } = gathered
  yield* Effect.forEach(changed, signals.changed, { discard: true })
  if (isElsewhere) {
    // Its destination was changed since it was claimed: it is looked at again.
    yield* (yield* DueWork).postpone(claimed.hold, now)
    return "done" as const
  }
  if (isAlone || changed.includes(id)) return "done" as const
  return changed.length === 0 ? ("none" as const) : ("some" as const)
})

const work = Worker.payments("settle")

export const drain = Worker.drain(work, handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
