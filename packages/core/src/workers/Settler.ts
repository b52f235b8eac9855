/**
 * Gathers merchants' shares into payouts: all that wait for one destination, as soon as its payout policy says so.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Limits from "../domain/Limits.ts"
import * as Merchant from "../domain/Merchant.ts"
import type * as Payment from "../domain/Payment.ts"
import * as PayoutPolicy from "../domain/PayoutPolicy.ts"
import * as SettlementMatching from "../domain/SettlementMatching.ts"
import * as Debts from "../engine/Debts.ts"
import * as Keeping from "../engine/Keeping.ts"
import * as Merchants from "../engine/Merchants.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
import { type Claimed, DueWork } from "../ports/DueWork.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { Settings } from "../ports/Settings.ts"
import { Signals } from "../ports/Signals.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { hold, payment } = claimed
  const group = SettlementMatching.groupOf(payment)
  if (group === null) return yield* Worker.nothing(claimed)
  const now = yield* Clock.currentTimeMillis
  const { merchantId } = payment
  const isFrozen = (yield* Merchants.frozen(group, [merchantId])).has(merchantId)
  const dueAt = isFrozen ? now + Worker.frozenPauseInMs : yield* gatherAt(payment, group)
  if (dueAt > now) {
    return yield* (yield* DueWork).postpone(hold, dueAt)
  }
  // The claimed share may be behind more of them than one transfer pays.
  while (!(yield* gather(claimed, group)));
})

/** When the share is to be gathered, with all others of its group. */
const gatherAt = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  group: SettlementMatching.Group,
) {
  const { merchantId, mode, partnerId, state } = payment
  const accounts = yield* AccountStore
  const policy = Merchant.payoutsOf(
    yield* accounts.merchant({ partnerId, mode }, merchantId),
    yield* accounts.partner(partnerId),
    (yield* Settings).payouts,
  )
  const since = state._tag === "Succeeded" ? state.succeededAt : payment.updatedAt
  const dueAt = PayoutPolicy.dueAt(policy, since)
  if (!PayoutPolicy.countsUnits(policy)) return dueAt
  // Read after the share was stored: of two that reach the quantity together, the later one sees both.
  const waiting = yield* (yield* OutflowStore).pendingQuantity(group)
  const asset = (yield* Assets).find(group.token)
  return PayoutPolicy.isEnough(policy, asset, waiting) ? since : dueAt
})

/** Gathers the oldest shares of a group; returns whether the claimed one waits no more. */
const gather = Effect.fnUntraced(function* (claimed: Claimed, group: SettlementMatching.Group) {
  const { id, merchantId: ownId } = claimed.payment
  const outflows = yield* OutflowStore
  const oldest = yield* outflows.pendingShares(group, Limits.sharesPerOutflowMax)
  const frozen = yield* Merchants.frozen(
    group,
    oldest.map(({ merchantId }) => merchantId),
  )
  const free = oldest.filter(({ merchantId }) => !frozen.has(merchantId))
  // Frozen shares may be all that is read before the claimed one, which then goes alone.
  const isAlone = frozen.size > 0 && free.every(({ paymentId }) => paymentId !== id)
  const shares = isAlone ? [{ paymentId: id, merchantId: ownId }] : free
  const isWaiting =
    oldest.length === Limits.sharesPerOutflowMax || oldest.some(({ paymentId }) => paymentId === id)
  if (!isWaiting) {
    // Another worker gathered it, or a refund took it.
    yield* Worker.nothing(claimed).pipe(Effect.catchTag("LeaseLost", () => Effect.void))
    return true
  }
  const merchants = [...new Set(shares.map(({ merchantId }) => merchantId))]
  const inNeed = yield* outflows.refundsInNeed(group.mode, group.token, merchants)
  if (inNeed.length > 0) {
    // Refunds come first. What they leave is gathered next time.
    yield* Effect.forEach(inNeed, Keeping.forRefund, { discard: true })
    return false
  }
  const debts = yield* Debts.of(group.mode, group.token, merchants)
  const outflowId = yield* (yield* Identifiers).outflow
  const now = yield* Clock.currentTimeMillis
  const gathered = yield* outflows.modify(
    { outflows: [], payments: shares.map(({ paymentId }) => paymentId) },
    ({ payments }) => {
      const write = SettlementMatching.gather(payments, group, debts, outflowId, now)
      const answer = (write?.payments ?? []).map(({ payment }) => payment.id)
      return Result.succeed({ answer, write })
    },
    null,
  )
  const signals = yield* Signals
  yield* Effect.forEach(gathered, signals.changed, { discard: true })
  return isAlone || gathered.includes(id)
})

const work = Worker.payments("settle")

export const drain = Worker.drain(work, handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
