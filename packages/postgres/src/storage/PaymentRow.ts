/**
 * A payment as a row: the values that lists search, sort and count are columns, and the document holds all of it.
 *
 * @module
 */
import * as Balance from "@florin/core/domain/books/Balance"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Document from "./Document.ts"
import type * as Records from "./Records.ts"

export const document = Document.of(Payment.Payment)

/** The values of a payment's columns. */
const row = (payment: Payment.Payment) => {
  const token = PaymentFilter.tokenOf(payment)
  const group = Balance.groupOf(payment)
  return {
    id: payment.id,
    partner_id: payment.partnerId,
    mode: payment.mode,
    merchant_id: payment.merchantId,
    revision: payment.revision,
    created_at: payment.createdAt,
    expires_at: payment.expiresAt,
    // The stored status: whether an open payment is expired depends on the time of the query.
    status: Payment.status(payment, Number.NEGATIVE_INFINITY),
    // In ASCII lower case, the form in which lists search for it.
    reference: PaymentFilter.foldAscii(payment.referenceId),
    // The group of the requested unit.
    amount_group: PaymentSort.groupOf(payment.amount.unit),
    amount: payment.amount.quantity.toString(),
    // The chain of the token in which it was paid or is requested.
    chain_id: token?.chainId ?? null,
    token: token?.address ?? null,
    // The address that paid; statistics count customers by it.
    payer: Payment.attemptOf(payment)?.option.account.address ?? null,
    refund_id: Payment.refundOf(payment)?.id ?? null,
    is_stuck: Payment.isStuck(payment),
    // Only while its share waits to be gathered.
    payout_group: group === null ? null : Balance.groupKey(group),
    payout_quantity: group === null ? null : Balance.pendingQuantity(payment).toString(),
    // Only while it is held back.
    payout_from: Balance.heldUntil(payment),
    // Only while its refund needs something of the merchant's other shares.
    refund_need: Refunding.needKeyOf(payment),
    // Its merchant has no destination in effect for it.
    is_owed: Balance.tokenOwed(payment) !== null,
    document: document.json(payment),
  }
}

export const table: Records.Table<Payment.Payment> = {
  name: "payments",
  what: "payment",
  document,
  row,
  // Its owner, its amount, and its creation time.
  fixed: {
    id: "text",
    partner_id: "text",
    mode: "text",
    merchant_id: "text",
    created_at: "bigint",
    amount_group: "text",
    amount: "numeric",
  },
  changing: {
    revision: "integer",
    expires_at: "bigint",
    status: "text",
    reference: "text",
    chain_id: "text",
    token: "text",
    payer: "text",
    refund_id: "text",
    is_stuck: "boolean",
    payout_group: "text",
    payout_quantity: "numeric",
    payout_from: "bigint",
    refund_need: "text",
    is_owed: "boolean",
    document: "jsonb",
  },
}
