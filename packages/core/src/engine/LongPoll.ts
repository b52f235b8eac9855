/**
 * Waiting for a payment to change: signals wake, storage tells.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Limits from "../domain/Limits.ts"
import * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as PaymentState from "../domain/PaymentState.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Signals } from "../ports/Signals.ts"

/** Without a signal the storage is read again after this: a lost wake-up costs seconds, not the whole wait. */
const rereadInMs = 5000

/**
 * Holds until `isDone` says so or the time is up, and answers the payment as it is then. At capacity it answers at once
 * instead of refusing, and so it does while the process ends. Interrupting it frees its place, also within a call that
 * is not to be interrupted otherwise.
 */
export const hold = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  maxPollInMs: number,
  isDone: (payment: Payment.Payment, now: number) => boolean,
) {
  const signals = yield* Signals
  const startedAt = yield* Clock.currentTimeMillis
  const { all, here } = signals.watching(payment.id)
  const isFull =
    signals.isClosed() ||
    all >= Limits.longPollParkedMax ||
    here >= Limits.longPollParkedPerPaymentMax
  if (maxPollInMs <= 0 || isDone(payment, startedAt) || isFull) return payment
  const endsAt = startedAt + Math.min(maxPollInMs, Limits.longPollMaxInMs)
  return yield* Effect.interruptible(Effect.scoped(park(payment.id, endsAt, isDone)))
})

/** Holds until the status is another one, or a final one. */
export const untilChange = (payment: Payment.Payment, maxPollInMs: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => {
    const before = Payment.status(payment, at)
    return hold(payment, maxPollInMs, (each, now) => {
      const current = Payment.status(each, now)
      return current !== before || PaymentState.isFinal(current)
    })
  })

const park = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  endsAt: number,
  isDone: (payment: Payment.Payment, now: number) => boolean,
) {
  const payments = yield* PaymentStore
  const signals = yield* Signals
  const changed = yield* signals.watch(id)
  for (;;) {
    const payment = yield* payments.payment(id)
    const now = yield* Clock.currentTimeMillis
    if (isDone(payment, now) || now >= endsAt || signals.isClosed()) return payment
    // Time alone expires a payment, and sends no signal.
    const wakeAt = Payment.isOpen(payment)
      ? Math.min(endsAt, Math.max(now + 1, payment.expiresAt * 1000))
      : endsAt
    yield* Effect.timeoutOption(changed, Math.min(wakeAt - now, rereadInMs))
  }
})
