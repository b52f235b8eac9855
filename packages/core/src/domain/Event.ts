/**
 * What the service announces: each event carries the payment as it was right after the change, and its version.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Payment from "./Payment.ts"

export const eventTypes = [
  "payment.created",
  "payment.processing",
  "payment.succeeded",
  "payment.failed",
  "payment.expired",
  "payment.cancelled",
  "payment.settled",
  "settlement.held",
  "refund.pending",
  "refund.processing",
  "refund.succeeded",
  "refund.held",
] as const
export type EventType = (typeof eventTypes)[number]
export const EventType = Schema.Literals(eventTypes)

/** An event without its payment: enough to decide which endpoints it is sent to. */
export interface Notice extends Schema.Schema.Type<typeof Notice> {}
export const Notice = Schema.Struct({
  id: Schema.String,
  type: EventType,
  /** Counts up from 0 with each event of a payment: `payment_state_version` on the wire. */
  stateVersion: Schema.Int,
  /** Epoch milliseconds. */
  createdAt: Schema.Int,
})

/** An announced change. Its id follows from payment and version, so the same change never has two. */
export interface Event extends Schema.Schema.Type<typeof Event> {}
export const Event = Schema.Struct({ ...Notice.fields, payment: Payment.Payment })

export const make = (type: EventType, payment: Payment.Payment): Event => ({
  id: `evt_${payment.id.slice("pay_".length)}${payment.stateVersion.toString().padStart(4, "0")}`,
  type,
  stateVersion: payment.stateVersion,
  createdAt: payment.updatedAt,
  payment,
})
