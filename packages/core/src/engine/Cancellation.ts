/**
 * Cancels a payment, for either side. Cancelling again returns the same result.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import * as PaymentTransition from "../domain/payment/PaymentTransition.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Signals } from "../ports/Signals.ts"
import { recordDeed } from "./AuditLog.ts"
import * as Expiry from "./Expiry.ts"
import * as Metrics from "./Metrics.ts"

const cancelNow = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  reason: Payment.CancelledReason,
) {
  const now = yield* Clock.currentTimeMillis
  const write = (yield* PaymentStore).modifyPayment(id, (current) =>
    Result.map(PaymentTransition.cancel(current, reason, now), (change) => ({
      result: { payment: change?.payment ?? current, change },
      change,
    })),
  )
  // A payer's cancellation is not a write of the partner, so it is not in the audit log.
  const { change: written, payment } = yield* reason === "cancelled_by_merchant"
    ? recordDeed(write, ({ change, payment: { mode, partnerId } }) =>
        change !== null
          ? { action: "payment.cancelled", partnerId, mode, subject: id, changes: [] }
          : null,
      )
    : write
  yield* Metrics.recordChanges(written === null ? [] : [written])
  yield* (yield* Signals).changed(id)
  return payment
})

/** Cancels a payment that the caller may access. */
export const cancel = (id: PaymentId.PaymentId, reason: Payment.CancelledReason) =>
  Expiry.settle(id, cancelNow(id, reason))
