/**
 * Waits for a payment to change: signals wake the caller, and the storage has the data.
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

/**
 * Without a signal, the storage is read again after this time, so that a lost signal costs seconds and not the whole
 * wait.
 */
const rereadInMs = 5000

/**
 * Holds until `isDone` returns true or the time is up, and returns the payment as it is then. At capacity, and while
 * the process ends, it returns immediately instead of refusing. Interrupting it releases its place, even within an
 * uninterruptible call.
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

/** Holds until the status changes or is final. */
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
    // A payment expires by time alone, without a signal.
    const wakeAt = Payment.isOpen(payment)
      ? Math.min(endsAt, Math.max(now + 1, payment.expiresAt * 1000))
      : endsAt
    yield* Effect.timeoutOption(changed, Math.min(wakeAt - now, rereadInMs))
  }
})
