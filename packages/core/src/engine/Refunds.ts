/**
 * Giving payments back: asked for by the partner, looked after by the operator.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Mode from "../domain/Mode.ts"
import * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as Refund from "../domain/Refund.ts"
import * as Refunding from "../domain/Refunding.ts"
import * as Transfer from "../domain/Transfer.ts"
import type { Tenant } from "../ports/AccountStore.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Signals } from "../ports/Signals.ts"
import { NotFound } from "../ports/StorageError.ts"
import * as Payments from "./Payments.ts"

/** The refund is not held, or not in a way that lets it be sent again. */
export class RefundNotHeld extends Schema.TaggedError<RefundNotHeld>()("RefundNotHeld", {
  message: Schema.String,
}) {}

/** A refund with the payment that it gives back. */
export interface Refunded {
  readonly payment: Payment.Payment
  readonly refund: Refund.Refund
}

const isRefundId = Schema.is(Refund.RefundId)

const refunded = (payment: Payment.Payment): Result.Result<Refunded, NotFound> => {
  const refund = Payment.refundOf(payment)
  return refund === null ? Result.fail(NotFound.of("refund")) : Result.succeed({ payment, refund })
}

/** Asks for the whole of a payment to go back to who paid it. */
export const request = Effect.fn("Refunds.request")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  paymentId: PaymentId.PaymentId,
) {
  yield* Payments.get(tenant, merchantId, paymentId)
  const id = yield* (yield* Identifiers).refund
  const now = yield* Clock.currentTimeMillis
  const payment = yield* (yield* PaymentStore).modifyPayment(paymentId, (current) =>
    Result.map(Refunding.request(current, id, now), (change) => ({
      answer: change.payment,
      change,
    })),
  )
  yield* (yield* Signals).changed(paymentId)
  return yield* Effect.fromResult(refunded(payment))
})

/** A refund of the tenant and, where one is named, of the merchant. */
export const get = Effect.fn("Refunds.get")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  id: string,
) {
  if (!isRefundId(id)) return yield* NotFound.of("refund")
  const payment = yield* (yield* PaymentStore).paymentOfRefund(tenant, id)
  return merchantId === undefined || payment.merchantId === merchantId
    ? yield* Effect.fromResult(refunded(payment))
    : yield* NotFound.of("refund")
})

const whyNotRetried = (payment: Payment.Payment): string => {
  const state = Payment.refundOf(payment)?.state
  return state?._tag === "Held"
    ? Transfer.notSentAgain(state.reason)
    : "the payment has no refund that is held"
}

/** The operator tries a held refund again. */
export const retryHeld = Effect.fn("Refunds.retryHeld")(function* (id: PaymentId.PaymentId) {
  const now = yield* Clock.currentTimeMillis
  const payment = yield* (yield* PaymentStore).modifyPayment(id, (current) => {
    const change = Refunding.retry(current, now)
    return change === null
      ? Result.fail(new RefundNotHeld({ message: whyNotRetried(current) }))
      : Result.succeed({ answer: change.payment, change })
  })
  yield* (yield* Signals).changed(id)
  return yield* Effect.fromResult(refunded(payment))
})

/** What only an operator moves on: held settlements and refunds, and late money in suspense. */
export const stuck = Effect.fn("Refunds.stuck")(function* (mode: Mode.Mode) {
  return yield* (yield* PaymentStore).stuckPayments(mode)
})
