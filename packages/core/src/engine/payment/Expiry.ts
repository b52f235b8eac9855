/**
 * Requests that come when a payment's time is over. Its expiry is stored before anybody hears of it, so that a confirm that
 * came earlier, and is still being written, is never accepted after it.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentState from "../../domain/payment/PaymentState.ts"
import * as PaymentTransition from "../../domain/payment/PaymentTransition.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import * as Writes from "../record/Writes.ts"

/** Writes the expiry of a payment whose time is over, unless something else came first. Returns what it is now. */
const write = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
  const now = yield* Clock.currentTimeMillis
  const { payment } = yield* Writes.writePayment(id, (current) =>
    Result.succeed(Result.getOrElse(PaymentTransition.expire(current, now), () => null)),
  )
    // An expiry claims and draws nothing, and has no lease.
    .pipe(Effect.catchTag(["ClaimTaken", "LeaseLost", "Overdrawn", "Uncovered"], Effect.die))
  return payment
})

/** A payment as it may be shown. */
export const seen = (payment: Payment.Payment) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Payment.isOverdue(payment, now) ? write(payment.id) : Effect.succeed(payment),
  )

/** Reads a payment to show it. */
export const read = (id: PaymentId.PaymentId) =>
  PaymentStore.pipe(
    Effect.flatMap((payments) => payments.payment(id)),
    Effect.flatMap(seen),
  )

const isExpiry = (error: unknown): boolean =>
  error instanceof PaymentState.StateRefused && error.refusal === "payment_expired"

/**
 * Carries out a request to change a payment. If it is refused because the payment's time is over, and a confirm came
 * first, it is carried out again.
 */
export const settle = <A, E, R>(
  id: PaymentId.PaymentId,
  request: Effect.Effect<A, E | PaymentState.StateRefused, R>,
) =>
  request.pipe(
    Effect.catch((error) =>
      isExpiry(error)
        ? Effect.flatMap(write(id), ({ state }) =>
            state._tag === "Expired" ? Effect.fail(error) : request,
          )
        : Effect.fail(error),
    ),
  )
