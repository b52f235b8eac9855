/**
 * Waits for a payment to change: signals wake the caller, and the storage has the data.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Limits from "../domain/ground/Limits.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import * as Payment from "../domain/payment/Payment.ts"
import * as PaymentState from "../domain/payment/PaymentState.ts"
import { Signals } from "../ports/Signals.ts"
import * as Expiry from "./Expiry.ts"

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
  isDone: (payment: Payment.Payment) => boolean,
) {
  const signals = yield* Signals
  const startedAt = yield* Clock.currentTimeMillis
  const { all, here } = signals.watching(payment.id)
  const isFull =
    signals.isClosed() ||
    all >= Limits.longPollParkedMax ||
    here >= Limits.longPollParkedPerPaymentMax
  if (maxPollInMs <= 0 || isDone(payment) || isFull) return payment
  const endsAt = startedAt + Math.min(maxPollInMs, Limits.longPollMaxInMs)
  return yield* Effect.interruptible(Effect.scoped(park(payment.id, endsAt, isDone)))
})

/** Holds until the status changes or is final. */
export const untilChange = (payment: Payment.Payment, maxPollInMs: number) =>
  hold(payment, maxPollInMs, (each) => {
    const current = Payment.stored(each)
    return current !== Payment.stored(payment) || PaymentState.isFinal(current)
  })

const park = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  endsAt: number,
  isDone: (payment: Payment.Payment) => boolean,
) {
  const signals = yield* Signals
  const changed = yield* signals.watch(id)
  for (;;) {
    const payment = yield* Expiry.read(id)
    const now = yield* Clock.currentTimeMillis
    if (isDone(payment) || now >= endsAt || signals.isClosed()) return payment
    // A payment expires by time alone, without a signal.
    const wakeAt = Payment.isOpen(payment)
      ? Math.min(endsAt, Math.max(now + 1, payment.expiresAt * 1000))
      : endsAt
    yield* Effect.timeoutOption(changed, Math.min(wakeAt - now, rereadInMs))
  }
})
