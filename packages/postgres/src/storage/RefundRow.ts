/**
 * A requested refund as a row: by what it is found and counted. How far it is, is in the row of its payment's entry.
 *
 * @module
 */
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import type * as Payment from "@florin/core/domain/payment/Payment"
import type * as Refund from "@florin/core/domain/payment/Refund"

export const of = (payment: Payment.Payment, refund: Refund.Refund) => {
  const token = PaymentFilter.tokenOf(payment)
  return {
    id: refund.id,
    payment_id: payment.id,
    partner_id: payment.partnerId,
    mode: payment.mode,
    merchant_id: payment.merchantId,
    chain_id: token?.chainId ?? null,
    token: token?.address ?? null,
    // Those of a list are counted by the date of their payments.
    created_at: payment.createdAt,
    requested_at: refund.requestedAt,
    // In the unit of the payment's amount.
    amount: refund.value.toString(),
  }
}

export const columns = {
  id: "text",
  payment_id: "text",
  partner_id: "text",
  mode: "text",
  merchant_id: "text",
  chain_id: "text",
  token: "text",
  created_at: "bigint",
  requested_at: "bigint",
  amount: "numeric",
}
