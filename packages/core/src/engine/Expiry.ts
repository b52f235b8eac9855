/**
 * Requests that come when a payment's time is over.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as PaymentState from "../domain/PaymentState.ts"
import * as PaymentTransition from "../domain/PaymentTransition.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Signals } from "../ports/Signals.ts"
import * as Metrics from "./Metrics.ts"

/** Writes the expiry of a payment whose time is over. Returns whether the payment is expired now. */
const write = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
  const now = yield* Clock.currentTimeMillis
  const { change, payment } = yield* (yield* PaymentStore).modifyPayment(id, (current) => {
    const expired = Result.getOrElse(PaymentTransition.expire(current, now), () => null)
    return Result.succeed({
      result: { change: expired, payment: expired?.payment ?? current },
      change: expired,
    })
  })
  if (change !== null) {
    yield* Metrics.recordChanges([change])
    yield* (yield* Signals).changed(id)
  }
  return payment.state._tag === "Expired"
})

const isRefusal = Schema.is(PaymentState.StateRefused)
const isExpiry = (error: unknown): boolean =>
  isRefusal(error) && error.refusal === "payment_expired"

/**
 * Carries out a request to change a payment. A refusal because its time is over is written before the caller gets it:
 * otherwise a confirm that read its clock earlier could still be accepted after it. If that confirm was first, the
 * request is carried out again.
 */
export const settle = <A, E, R>(
  id: PaymentId.PaymentId,
  request: Effect.Effect<A, E | PaymentState.StateRefused, R>,
) =>
  request.pipe(
    Effect.catch((error) =>
      isExpiry(error)
        ? Effect.flatMap(write(id), (isExpired) => (isExpired ? Effect.fail(error) : request))
        : Effect.fail(error),
    ),
  )
