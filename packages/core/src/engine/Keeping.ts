/**
 * Keeping what a merchant still has coming for a refund of money that it already had.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Limits from "../domain/Limits.ts"
import * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as Refunding from "../domain/Refunding.ts"
import * as SettlementMatching from "../domain/SettlementMatching.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Signals } from "../ports/Signals.ts"

/**
 * Keeps the merchant's shares that wait to be gathered for the refund of a payment, until it needs nothing or none are
 * left. Returns the payment as it is then.
 */
export const forRefund = Effect.fn("Keeping.forRefund")(function* (id: PaymentId.PaymentId) {
  const store = yield* OutflowStore
  const signals = yield* Signals
  for (;;) {
    const payment = yield* (yield* PaymentStore).payment(id)
    const refund = Payment.refundOf(payment)
    if (refund === null || Refunding.needOf(payment) === 0n) return payment
    const { merchantId } = payment
    const limit = Limits.sharesPerOutflowMax
    const shares = yield* store.pendingSharesOf(payment, refund.token, merchantId, limit)
    if (shares.length === 0) return payment
    const now = yield* Clock.currentTimeMillis
    const changed = yield* store.modify(
      { outflows: [], payments: [...new Set([id, ...shares])] },
      ({ payments }) => {
        const [refunded] = payments
        const write =
          refunded === undefined ? null : SettlementMatching.keep(refunded, payments, now)
        return Result.succeed({
          answer: (write?.payments ?? []).map((each) => each.payment.id),
          write,
        })
      },
      null,
    )
    yield* Effect.forEach(changed, signals.changed, { discard: true })
  }
})
