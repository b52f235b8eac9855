/**
 * What the service announces: each event carries the payment as it was right after the change, and its version.
 *
 * @module
 */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Payment from "./Payment.ts"
import * as Refund from "./Refund.ts"

export const eventTypes = [
  "payment.created",
  "payment.processing",
  "payment.succeeded",
  "payment.failed",
  "payment.expired",
  "payment.cancelled",
  "payment.settled",
  "refund.pending",
  "refund.processing",
  "refund.succeeded",
  "refund.held",
] as const
export type EventType = (typeof eventTypes)[number]
export const EventType = Schema.Literals(eventTypes)

/** An announced change. Its id follows from payment and version, so the same change never has two. */
export interface Event extends Schema.Schema.Type<typeof Event> {}
export const Event = Schema.Struct({
  id: Schema.String,
  type: EventType,
  /** Counts up from 0 with each event of a payment: `payment_state_version` on the wire. */
  stateVersion: Schema.Int,
  /** Epoch milliseconds. */
  createdAt: Schema.Int,
  payment: Payment.Payment,
})

export const make = (type: EventType, payment: Payment.Payment): Event => ({
  id: `evt_${payment.id.slice("pay_".length)}${payment.stateVersion.toString().padStart(4, "0")}`,
  type,
  stateVersion: payment.stateVersion,
  createdAt: payment.updatedAt,
  payment,
})

/**
 * An event as it is told, with the payment's state at that time. It names the payer's account, as the partner is told it
 * anyway, and nothing else about the payer.
 */
export const toWire = (event: Event) => {
  const { payment } = event
  const report = Payment.report(payment, event.createdAt)
  const refund = Payment.refundOf(payment)
  const settled = Payment.settled(payment)
  return {
    id: event.id,
    type: event.type,
    timestamp: DateTime.formatIso(DateTime.makeUnsafe(event.createdAt)),
    data: {
      paymentId: payment.id,
      merchantId: payment.merchantId,
      referenceId: payment.referenceId,
      payment_state_version: event.stateVersion,
      status: report.status,
      ...(report.status === "failed" && { failureCode: report.failureCode }),
      amount: Amount.format(payment.amount),
      expiresAt: payment.expiresAt,
      metadata: payment.metadata,
      buyer: Payment.attemptOf(payment)?.buyer.accountText ?? null,
      info: report.info && {
        optionAmount: Amount.format(report.info.optionAmount),
        txId: report.info.txId,
      },
      settlement: settled && { amount: Amount.format(settled.amount), txId: settled.txId },
      refund: refund && {
        refundId: refund.id,
        status: Refund.status(refund),
        amount: Amount.format(Refund.amount(refund)),
      },
    },
  }
}

/** The body of a webhook. */
export const toJson = (event: Event): string => JSON.stringify(toWire(event))
