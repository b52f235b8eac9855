/**
 * The events that the service announces. An event of a payment carries the payment as it was right after the change,
 * and its version.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as MerchantId from "../ground/MerchantId.ts"
import * as Mode from "../ground/Mode.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import * as AuditLog from "../partner/AuditLog.ts"
import * as SettlementDestination from "../partner/SettlementDestination.ts"
import * as Payment from "./Payment.ts"
import * as Refund from "./Refund.ts"

/** Types of events of payments. */
export const paymentEventTypes = [
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
export type PaymentEventType = (typeof paymentEventTypes)[number]

/** A destination of a merchant was changed, confirmed or deleted, or a change of it was cancelled. */
export const destinationChanged = "settlement_destination.changed"

/** Tests a webhook endpoint. Endpoints do not subscribe to it: it is sent only to the endpoint under test. */
export const webhookTest = "webhook.test"

/** The types to which endpoints subscribe. */
export const eventTypes = [...paymentEventTypes, destinationChanged] as const
export type EventType = (typeof eventTypes)[number]
export const EventType = Schema.Literals(eventTypes)

/** An event without its subject: enough to decide to which endpoints it is sent. */
export interface Notice extends Schema.Schema.Type<typeof Notice> {}
export const Notice = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals([...eventTypes, webhookTest]),
  /** The only endpoint that it is sent to; absent if it goes to all that subscribe to its type. */
  endpointId: Schema.optionalKey(Schema.String),
  /** Counts up from 0 with each event of a payment or a destination: `payment_state_version` on the wire. */
  stateVersion: Schema.Int,
  /** Epoch milliseconds. */
  createdAt: Schema.Int,
})

/** An announced change. Its id follows from payment and version, so the same change never has two. */
export interface Event extends Schema.Schema.Type<typeof Event> {}
export const Event = Schema.Struct({
  ...Notice.fields,
  type: Schema.Literals(paymentEventTypes),
  payment: Payment.Payment,
  /** The refund that changed, if one did. */
  refundId: Schema.optionalKey(Refund.RefundId),
})

/** An account that a merchant is paid at was replaced. It is also an entry of the destination's history. */
export interface DestinationEvent extends Schema.Schema.Type<typeof DestinationEvent> {}
export const DestinationEvent = Schema.Struct({
  ...Notice.fields,
  type: Schema.Literal(destinationChanged),
  partnerId: PartnerId.PartnerId,
  mode: Mode.Mode,
  merchantId: MerchantId.MerchantId,
  destinationId: SettlementDestination.SettlementDestinationId,
  /** The asset as it was sent. */
  assetText: Schema.String,
  /** The account before and after the change, as it was sent; null for none. */
  from: Schema.NullOr(Schema.String),
  to: Schema.NullOr(Schema.String),
  /** When `to` is paid at the earliest; null if that is now. */
  takesEffectAt: Schema.NullOr(Schema.Int),
  actor: AuditLog.Actor,
  requestId: Schema.NullOr(Schema.String),
})

/** An event that only shows that it arrived. */
export interface TestEvent extends Schema.Schema.Type<typeof TestEvent> {}
export const TestEvent = Schema.Struct({
  ...Notice.fields,
  type: Schema.Literal(webhookTest),
  endpointId: Schema.String,
  partnerId: PartnerId.PartnerId,
  mode: Mode.Mode,
})

/** Any announced event. */
export type Announced = Event | DestinationEvent | TestEvent
export const Announced = Schema.Union([DestinationEvent, TestEvent, Event])

export const isOfPayment = (event: Announced): event is Event => "payment" in event

/** The owner of an event. */
export const tenantOf = (
  event: Announced,
): { readonly partnerId: PartnerId.PartnerId; readonly mode: Mode.Mode } =>
  isOfPayment(event) ? event.payment : event

const idOf = (subject: string, prefix: string, version: number): string =>
  `evt_${subject.slice(prefix.length)}${version.toString().padStart(4, "0")}`

/** The ids of the events that a payment can have had until now. */
export const idsOf = ({ id, stateVersion }: Payment.Payment): ReadonlyArray<string> =>
  Array.from({ length: stateVersion + 1 }, (_, version) => idOf(id, "pay_", version))

/**
 * The event of a change that incremented a destination's version; null if it did not, for example because the same
 * account was sent in another spelling.
 */
export const ofDestination = (
  before: SettlementDestination.SettlementDestination | null,
  after: SettlementDestination.SettlementDestination,
  by: {
    readonly partnerId: PartnerId.PartnerId
    readonly mode: Mode.Mode
    readonly acting: AuditLog.Acting
    readonly now: number
  },
): DestinationEvent | null => {
  const {
    assetText,
    changes = 0,
    deletedAt,
    destinationText,
    id,
    merchantId,
    takesEffectAt,
  } = after
  const counted = before?.id === id ? (before.changes ?? 0) : 0
  if (changes === counted) return null
  const stateVersion = changes - 1
  const { acting, mode, now, partnerId } = by
  return {
    id: idOf(id, "crypto_", stateVersion),
    type: destinationChanged,
    stateVersion,
    createdAt: now,
    partnerId,
    mode,
    merchantId,
    destinationId: id,
    assetText,
    from: before?.destinationText ?? null,
    to: deletedAt === undefined ? destinationText : null,
    takesEffectAt: deletedAt === undefined ? (takesEffectAt ?? null) : null,
    ...acting,
  }
}

export const make = (
  type: PaymentEventType,
  payment: Payment.Payment,
  refundId?: Refund.RefundId,
): Event => ({
  id: idOf(payment.id, "pay_", payment.stateVersion),
  type,
  stateVersion: payment.stateVersion,
  createdAt: payment.updatedAt,
  payment,
  ...(refundId !== undefined && { refundId }),
})
