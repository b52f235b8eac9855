/**
 * Events as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Event"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as SharePayout from "@florin/core/domain/books/SharePayout"
import * as Family from "@florin/core/domain/chain/Family"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as HeldView from "./HeldView.ts"
import * as PayoutView from "./PayoutView.ts"
import * as TimeView from "./TimeView.ts"

/** What changed of a destination, and who changed it. */
export const destinationChange = (event: Event.DestinationEvent) => ({
  settlementId: event.destinationId,
  asset: event.assetText,
  from: event.from,
  to: event.to,
  takesEffectAt: TimeView.isoOrNull(event.takesEffectAt),
  keyId: event.actor._tag === "Key" ? event.actor.keyId : null,
  requestId: event.requestId,
})

const ofDestination = (event: Event.DestinationEvent): Wire.SettlementDestinationEvent => {
  const { settlementId, ...change } = destinationChange(event)
  return {
    id: event.id,
    type: event.type,
    timestamp: TimeView.iso(event.createdAt),
    data: { settlementId, merchantId: event.merchantId, ...change },
  }
}

const ofRefund = (payment: Payment.Payment, refund: Refund.Refund, known: Family.Known) => ({
  refundId: refund.id,
  status: Refund.status(refund),
  amount: Amount.format(Refund.amount(refund), known),
  ...(Refunding.isElsewhere(payment, refund) && {
    destination: Family.formatAccount(known, refund.to),
  }),
  ...HeldView.refund(refund),
})

/**
 * The payment as it was right after the change. The only data of the payer in it is the account, which the partner sees
 * anyway.
 */
export const ofPayment = (
  { createdAt, id, payment, refundId, stateVersion, type }: Event.Event,
  known: Family.Known,
): Wire.PaymentEvent => {
  const { failureCode, info, status } = Payment.report(payment, createdAt)
  const refunds = Payment.refunds(payment)
  const refund = refunds.find((each) => each.id === refundId) ?? Payment.refundOf(payment)
  const refunded = Payment.refunded(payment)
  const settled = Payment.payoutOf(payment)
  return {
    id,
    type,
    timestamp: TimeView.iso(createdAt),
    data: {
      paymentId: payment.id,
      merchantId: payment.merchantId,
      referenceId: payment.referenceId,
      payment_state_version: stateVersion,
      status,
      ...(status === "failed" && { failureCode }),
      amount: Amount.format(payment.amount, known),
      expiresAt: payment.expiresAt,
      metadata: payment.metadata,
      buyer: Payment.attemptOf(payment)?.buyer.accountText ?? null,
      info: info && { optionAmount: Amount.format(info.optionAmount, known), txId: info.txId },
      settlement: settled && { amount: Amount.format(settled.amount, known), txId: settled.txId },
      ...HeldView.settlement(payment),
      ...PayoutView.ofShare(payment, SharePayout.of(payment, null, createdAt), known),
      refund: refund && ofRefund(payment, refund, known),
      ...(refunded && {
        refunds: refunds.map((each) => ofRefund(payment, each, known)),
        refunded: Amount.format(refunded, known),
      }),
    },
  }
}

const ofTest = ({ createdAt, endpointId, id, type }: Event.TestEvent): Wire.TestEvent => ({
  id,
  type,
  timestamp: TimeView.iso(createdAt),
  data: { webhookId: endpointId },
})

export const event = (announced: Event.Announced, known: Family.Known): Wire.Event => {
  if (Event.isOfPayment(announced)) return ofPayment(announced, known)
  return announced.type === Event.webhookTest ? ofTest(announced) : ofDestination(announced)
}
