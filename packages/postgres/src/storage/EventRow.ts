/**
 * An event of a payment as a row. It keeps of its payment only what the payment's rows do not have: what was promised, and
 * how it was paid, is in the payment's row, and how it was settled in that of its share. If a transfer moves to another
 * block, or what was settled changes, the write that changes it first leaves the former one in the payment's events.
 *
 * @module
 */
import * as Event from "@florin/core/domain/payment/Event"
import type * as Payment from "@florin/core/domain/payment/Payment"
import type * as Refund from "@florin/core/domain/payment/Refund"
import type * as Schema from "effect/Schema"
import * as Document from "./Document.ts"
import * as PaymentRow from "./PaymentRow.ts"

/** The members of a document that are of the event itself; those of its payment are next to them. */
const ofEvent = new Set(["type", "refundId"])

/** The members of a state that the payment's row has. */
const ofRow = new Set(["attempt", "charge", "transfer", "succeededAt"])

const stateOf = (type: Event.PaymentEventType, whole: Schema.JsonObject): Schema.JsonObject => {
  const state = PaymentRow.partition(whole, ofRow).outside
  const { entry } = state
  return type === "payment.settled" && PaymentRow.isObject(entry) && "settled" in entry
    ? // Only when and by which transaction, with which the audit compares.
      { ...state, refunds: null, entry: { settled: entry["settled"] ?? null } }
    : state
}

export const columns = {
  event_id: "text",
  tenant: "text",
  state_version: "integer",
  created_at: "bigint",
  revision: "integer",
  event: "jsonb",
}

export const of = (
  type: Event.PaymentEventType,
  payment: Payment.Payment,
  refundId?: Refund.RefundId,
) => {
  const { createdAt, id, stateVersion } = Event.make(type, payment, refundId)
  const { reports = [], state, auditedSince } = PaymentRow.jsonOf(payment)
  return {
    event_id: id,
    tenant: `${payment.partnerId}/${payment.mode}`,
    state_version: stateVersion,
    created_at: createdAt,
    revision: payment.revision,
    event: {
      type,
      ...(refundId !== undefined && { refundId }),
      ...(PaymentRow.isObject(state) && { state: stateOf(type, state) }),
      ...(payment.reports.length > 0 && { reports }),
      ...(auditedSince !== undefined && { auditedSince }),
    },
  }
}

/** An event as JSON, of the parts that the view `whole_events` has. */
const wholeOf = (parts: unknown): unknown => {
  if (!PaymentRow.isObject(parts) || !PaymentRow.isObject(parts["own"])) return parts
  const { columns: own, own: document, payment, revision = null } = parts
  if (!PaymentRow.isObject(own)) return parts
  const { inside, outside } = PaymentRow.partition(document, ofEvent)
  if (!("state" in document)) return { ...document, ...own }
  const { createdAt: updatedAt = null, stateVersion = null } = own
  const counters = { revision, stateVersion, updatedAt }
  return {
    ...inside,
    ...own,
    payment: PaymentRow.wholeOf(payment, { ...outside, ...counters }),
  }
}

const whole = <A>(document: Document.Document<A>): Document.Document<A> => ({
  ...document,
  decode: (column) => document.decode(wholeOf(column)),
})

/** Any event, and those of payments. */
export const announced = whole(Document.of(Event.Announced))
export const ofPayment = whole(Document.of(Event.Event))
