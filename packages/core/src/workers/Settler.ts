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
import * as Balance from "../domain/books/Balance.ts"
import * as Payouts from "../domain/books/Payouts.ts"
import type * as Caip from "../domain/chain/Caip.ts"
import * as Limits from "../domain/ground/Limits.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import * as DailyLimit from "../domain/outflow/DailyLimit.ts"
import * as Merchant from "../domain/partner/Merchant.ts"
import * as PayoutPolicy from "../domain/partner/PayoutPolicy.ts"
import * as Change from "../domain/payment/Change.ts"
import * as Payment from "../domain/payment/Payment.ts"
import * as Debts from "../engine/Debts.ts"
import * as Keeping from "../engine/Keeping.ts"
import * as Merchants from "../engine/Merchants.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
import { type Claimed, DueWork } from "../ports/DueWork.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { OutflowStore, type PendingShare } from "../ports/OutflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Settings } from "../ports/Settings.ts"
import { Signals } from "../ports/Signals.ts"
import * as World from "../ports/World.ts"
import * as Worker from "./Worker.ts"

/**
 * The result of a round of gathering: the claimed share no longer waits, only others no longer wait, or nothing
 * changed.
 */
type Progress = "done" | "some" | "none"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { lease, payment } = claimed
  const refunded = Balance.refundAwaited(payment)
  if (refunded !== null) return yield* settleNetted(claimed, refunded)
  const token = Balance.tokenOfWaiting(payment)
  if (token === null) return yield* Worker.endWork(claimed)
  const now = yield* Clock.currentTimeMillis
  const { merchantId } = payment
  const [last] = yield* (yield* AccountStore).lastDestinations(token, [merchantId])
  const route = Balance.routeOf(payment, last, now)
  if (route._tag === "Pays" && (yield* settleOthers(claimed, token))) {
    return yield* (yield* DueWork).postpone(lease, now, 0)
  }
  if (Balance.aim(payment, route, now) !== null) {
    // Whatever happened to the share in the meantime, its work is due again, so that no waiting share is forgotten.
    return yield* Worker.write(claimed, (current, at) =>
      Result.succeed(
        Balance.aim(current, route, at) ?? Change.make(current, at, { due: { settle: at } }),
      ),
    )
  }
  const group = Balance.groupOf(payment)
  if (route._tag === "Waits") {
    // A change can be cancelled, and confirmed, at any time.
    const lookAt = Math.min(route.until, now + Worker.frozenPauseInMs)
    return yield* (yield* DueWork).postpone(lease, lookAt, 0)
  }
  if (group === null) return yield* Worker.endWork(claimed)
  if ((yield* Merchants.listFrozen(group, [merchantId])).has(merchantId)) {
    return yield* (yield* DueWork).postpone(lease, now + Worker.frozenPauseInMs, 0)
  }
  const partner = yield* (yield* AccountStore).partner(payment.partnerId)
  const limits = Merchant.limitsOf(partner, payment.mode)
  const policy = yield* policyOf(payment, partner)
  const heldUntil = Balance.heldUntil(payment) ?? 0
  const payableAt = Balance.payableAt(payment, limits, now)
  if (payableAt > now || heldUntil > now) {
    // Shares that are held back until the same time are paid out together, by the policy, from then on.
    const held = payableAt > now ? { from: payableAt } : { from: null }
    const dueAt = payableAt > now ? PayoutPolicy.dueAt(policy, payableAt) : now
    return yield* Worker.write(claimed, (current) =>
      Result.succeed(Balance.holdBack(current, { ...held, dueAt }, now)),
    )
  }
  const since = payment.state._tag === "Succeeded" ? payment.state.succeededAt : payment.updatedAt
  const dueAt = yield* gatherAt(policy, group, Math.max(since, heldUntil), now)
  if (dueAt > now) {
    return yield* (yield* DueWork).postpone(lease, dueAt, 0)
  }
  const most = DailyLimit.payoutMost(limits, (yield* Assets).find(group.token))
  // There may be more older shares than one transfer pays, or than are paid at all now. Then the claimed share is paid
  // alone.
  for (let goesAlone = Balance.pendingQuantity(payment) === 0n; ;) {
    const progress: Progress = yield* gather(claimed, group, { limits, most }, goesAlone)
    if (progress === "done") return
    goesAlone = progress === "none"
  }
})

/** Settles a share that paid off debt, once the transfer of the refund that it paid off is final. */
const settleNetted = Effect.fnUntraced(function* (claimed: Claimed, refunded: PaymentId.PaymentId) {
  const refund = Payment.refundOf(yield* (yield* PaymentStore).payment(refunded))
  if (refund?.state._tag !== "Succeeded") {
    return yield* Worker.wait(claimed, claimed.payment.updatedAt)
  }
  const { txHash } = refund.state
  yield* Worker.write(claimed, (current, now) =>
    Result.succeed(Balance.recordPaidOff(current, txHash, now)),
  )
})

/** The last refund of each merchant that owes something: if its share is netted in full, that refund settles it. */
const lastRefunds = Effect.fnUntraced(function* (group: Balance.Group, debts: Balance.Debts) {
  const payments = yield* PaymentStore
  const indebted = [...debts].filter(([, debt]) => debt > 0n)
  const found = yield* Effect.forEach(indebted, ([merchantId]) =>
    Effect.map(payments.lastSentRefund(group, group.token, merchantId), (id) =>
      id === null ? [] : [[merchantId, id] as const],
    ),
  )
  return new Map(found.flat())
})

/**
 * Makes other shares that the merchant is owed in the token wait to be gathered, too, oldest first; returns whether
 * more may be left. Registering a destination makes only one share due. Its work stays due until all others are
 * written, so that none is forgotten, however many there are.
 */
const settleOthers = Effect.fnUntraced(function* ({ lease, payment }: Claimed, token: Caip.Token) {
  if (Balance.tokenOwed(payment) === null) return false
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
        (each) => Balance.aim(each, Balance.routeOf(each, last, now), now) ?? [],
      )
      const write = changes.length === 0 ? null : { payments: changes, outflows: [] }
      return Result.succeed({ result: changes.map((each) => each.payment.id), write })
    },
    lease,
  )
  yield* Effect.forEach(changed, (yield* Signals).changed, { discard: true })
  return owed.length === Limits.sharesPerOutflowMax && changed.length > 0
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
  const merchants = [...new Set(oldest.map(({ merchantId }) => merchantId))]
  const frozen = yield* Merchants.listFrozen(group, merchants)
  const others = merchants.filter((each) => each !== ownId)
  if (others.length === 0) return frozen
  const now = yield* Clock.currentTimeMillis
  const lasts = yield* (yield* AccountStore).lastDestinations(group.token, others)
  const elsewhere = lasts.filter((last) => !Balance.leadsTo(group.destination, last, now))
  return new Set([...frozen, ...elsewhere.map(({ merchantId }) => merchantId)])
})

const policyOf = Effect.fnUntraced(function* (
  { merchantId, mode, partnerId }: Payment.Payment,
  partner: Merchant.Partner,
) {
  const merchant = yield* (yield* AccountStore).merchant({ partnerId, mode }, merchantId)
  return Merchant.payoutsOf(merchant, partner, (yield* Settings).payouts)
})

/** When to gather a share that may be paid out from a given time on, with all others of its group. */
const gatherAt = Effect.fnUntraced(function* (
  policy: PayoutPolicy.PayoutPolicy,
  group: Balance.Group,
  since: number,
  now: number,
) {
  const dueAt = PayoutPolicy.dueAt(policy, since)
  if (!PayoutPolicy.countsUnits(policy)) return dueAt
  // Read after the share was stored, so that if two shares reach the quantity together, the later one sees both.
  const waiting = yield* (yield* OutflowStore).pendingQuantity(group, now)
  const asset = (yield* Assets).find(group.token)
  return PayoutPolicy.isEnough(policy, asset, waiting) ? since : dueAt
})

/** Gathers the oldest shares of a group, or only the claimed one. */
const gather = Effect.fnUntraced(function* (
  claimed: Claimed,
  group: Balance.Group,
  bounds: Payouts.Bounds,
  goesAlone: boolean,
) {
  const { id, merchantId: ownId } = claimed.payment
  const isEmpty = goesAlone && Balance.pendingQuantity(claimed.payment) === 0n
  const outflows = yield* OutflowStore
  const now = yield* Clock.currentTimeMillis
  const oldest = yield* outflows.pendingShares(group, Limits.sharesPerOutflowMax, now)
  const barred = yield* barredFrom(group, oldest, ownId)
  const free = oldest.filter(({ merchantId }) => !barred.has(merchantId))
  // All shares read before the claimed one may be barred. Then the claimed one is paid alone.
  const isBehind = barred.size > 0 && free.every(({ paymentId }) => paymentId !== id)
  const isAlone = goesAlone || isBehind
  const shares = isAlone ? [{ paymentId: id, merchantId: ownId }] : free
  const isWaiting =
    oldest.length === Limits.sharesPerOutflowMax || oldest.some(({ paymentId }) => paymentId === id)
  if (!isWaiting) {
    // Another worker gathered it, or a refund took it.
    yield* Worker.endWork(claimed).pipe(Effect.catchTag("LeaseLost", () => Effect.void))
    return "done" as const
  }
  const merchants = [...new Set(shares.map(({ merchantId }) => merchantId))]
  const inNeed = isEmpty ? [] : yield* Keeping.listWaiting(group, group.token, merchants)
  if (inNeed.length > 0) {
    // Refunds come first. What they leave is gathered in the next round.
    yield* Effect.forEach(inNeed, Keeping.forRefund, { discard: true })
    return "some" as const
  }
  const debts = yield* Debts.of(group.mode, group.token, merchants)
  const refunds = yield* lastRefunds(group, debts)
  const outflowId = yield* (yield* Identifiers).outflow
  const { mayShare } = yield* World.of(group.mode)
  const { changed, isElsewhere } = yield* outflows.modify(
    {
      outflows: [],
      payments: shares.map(({ paymentId }) => paymentId),
      destinations: { token: group.token, merchants },
    },
    ({ destinations: lasts, payments }) => {
      const write = Payouts.gather(
        payments.length === 1 ? payments : payments.filter(mayShare),
        group,
        { debts, lasts, refunds },
        outflowId,
        now,
        bounds,
      )
      const written = (write?.payments ?? []).map(({ payment }) => payment.id)
      const own = lasts.find(({ merchantId }) => merchantId === ownId)
      const leads = Balance.leadsTo(group.destination, own, now)
      return Result.succeed({ result: { changed: written, isElsewhere: !leads }, write })
    },
    null,
  )
  yield* Effect.forEach(changed, (yield* Signals).changed, { discard: true })
  if (isElsewhere) {
    // Its destination has changed since it was claimed: look at it again.
    yield* (yield* DueWork).postpone(claimed.lease, now, 0)
    return "done" as const
  }
  if (isAlone || changed.includes(id)) return "done" as const
  return changed.length === 0 ? ("none" as const) : ("some" as const)
})

const work = Worker.payments("settle")

export const drain = Worker.drain(work, handle)

/** Runs the worker until the layer's scope closes. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
