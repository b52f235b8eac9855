/**
 * Cancels a payment, for either side. Cancelling again returns the same result.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentTransition from "../../domain/payment/PaymentTransition.ts"
import { recordDeed } from "../record/AuditLog.ts"
import * as Writes from "../record/Writes.ts"
import * as Expiry from "./Expiry.ts"

const cancelNow = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  reason: Payment.CancelledReason,
) {
  const now = yield* Clock.currentTimeMillis
  const write = Writes.decidePayment(id, (current) =>
    PaymentTransition.cancel(current, reason, now),
  )
  // A payer's cancellation is not a write of the partner, so it is not in the audit log.
  const { change: written, payment } = yield* reason === "cancelled_by_merchant"
    ? recordDeed(write, ({ change, payment: { mode, partnerId } }) =>
        change !== null
          ? { action: "payment.cancelled", partnerId, mode, subject: id, changes: [] }
          : null,
      )
    : write
  yield* Writes.announce(written === null ? [] : [written])
  return payment
})

/** Cancels a payment that the caller may access. */
export const cancel = (id: PaymentId.PaymentId, reason: Payment.CancelledReason) =>
  Expiry.settle(id, cancelNow(id, reason))
