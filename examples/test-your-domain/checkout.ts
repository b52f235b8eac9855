/**
 * A shop's own checkout and its orders. It calls Florin in its own process.
 *
 * @module
 */
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Payments from "@florin/core/engine/payment/Payments"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface Shop {
  readonly partner: Merchant.Partner
  readonly merchantId: MerchantId.MerchantId
  /** The order numbers of the parcels that were sent. */
  readonly parcels: Array<string>
}

export interface Order {
  readonly number: string
  readonly paymentId: PaymentId.PaymentId
}

export type OrderStatus = "waiting" | "on its way" | "too late" | "called off" | "refunded"

const tenantOf = (shop: Shop) => ({ partnerId: shop.partner.id, mode: "test" }) as const

/** Creates the payment. The order number is the idempotency key: an order that is placed twice has one payment. */
export const placeOrder = Effect.fn("Checkout.placeOrder")(function* (
  shop: Shop,
  number: string,
  cents: number,
) {
  const { payment } = yield* Payments.create({
    partner: shop.partner,
    mode: "test",
    merchantId: shop.merchantId,
    request: { referenceId: number, amount: { unit: "iso4217/USD", value: `${cents}` } },
    idempotencyKey: number,
  })
  const order: Order = { number, paymentId: payment.id }
  return order
})

/** Returns the status of an order in the shop's words. A paid order is shipped once. */
export const orderStatus = Effect.fn("Checkout.orderStatus")(function* (shop: Shop, order: Order) {
  const payment = yield* Payments.get(tenantOf(shop), shop.merchantId, order.paymentId)
  return statusOf(shop, order, payment, yield* Clock.currentTimeMillis)
})

const statusOf = (shop: Shop, order: Order, payment: Payment.Payment, now: number): OrderStatus => {
  switch (Payment.status(payment, now)) {
    case "requires_action":
    case "processing":
      return "waiting"
    case "expired":
      return "too late"
    case "cancelled":
    case "failed":
      return "called off"
    case "succeeded":
      if (Payment.refundOf(payment) !== null) return "refunded"
      if (!shop.parcels.includes(order.number)) shop.parcels.push(order.number)
      return "on its way"
  }
}

/** Refunds an order when the customer returns the goods. */
export const takeBack = Effect.fn("Checkout.takeBack")(function* (shop: Shop, order: Order) {
  yield* Refunds.request(tenantOf(shop), {
    merchantId: shop.merchantId,
    paymentId: order.paymentId,
  })
})
