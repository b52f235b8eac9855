/**
 * Events on the wire, both in the feed and in the body of a webhook.
 *
 * @module
 */
import * as Domain from "@florin/core/domain/payment/Event"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Held from "./Held.ts"
import * as Payment from "./Payment.ts"
import * as Payout from "./Payout.ts"
import * as Refund from "./Refund.ts"
import * as Text from "./Text.ts"

const common = {
  id: Text.eventId.annotate({
    description:
      "The id of the event. It is the same in the feed, in the stream and in every attempt of a webhook",
  }),
  timestamp: Text.dateTime,
}

const refund = Schema.Struct({
  refundId: Text.refundId,
  status: Schema.Literals(Refund.statuses),
  amount: Amount.Quantity,
  destination: Schema.optionalKey(Text.account).annotateKey({
    description: "The account to which it goes, if that is not the one that paid",
  }),
  held: Schema.optionalKey(Held.Held),
}).annotate({ identifier: "EventRefund" })

export interface PaymentEvent extends Schema.Schema.Type<typeof PaymentEvent> {}
export const PaymentEvent = Schema.Struct({
  ...common,
  type: Schema.Literals(Domain.paymentEventTypes).annotate({ identifier: "PaymentEventType" }),
  data: Schema.Struct({
    paymentId: Text.paymentId,
    merchantId: Text.merchantId,
    referenceId: Schema.String,
    payment_state_version: Schema.Int.annotate({
      description: "Counts up from 0 with each event of the payment",
    }),
    status: Payment.Status,
    failureCode: Payment.failureCode,
    amount: Amount.Quantity,
    expiresAt: Schema.Int.annotate({ format: "int64", description: "Unix seconds" }),
    metadata: Payment.Metadata,
    buyer: Schema.NullOr(Text.account).annotate({
      description: "The payer's account in CAIP-10 form, once the payment is confirmed",
    }),
    info: Schema.NullOr(Schema.Struct({ optionAmount: Amount.Quantity, txId: Schema.String })),
    settlement: Schema.NullOr(Schema.Struct({ amount: Amount.Quantity, txId: Schema.String })),
    settlementHeld: Schema.optionalKey(Held.Held),
    payout: Schema.optionalKey(Payout.SharePayout),
    refund: Schema.NullOr(refund).annotateKey({
      description:
        "In a refund's event, that refund; otherwise the one that was requested last. Null if there is none",
    }),
    refunds: Schema.optionalKey(Schema.Array(refund)).annotateKey({
      description: "All refunds, oldest first",
    }),
    refunded: Schema.optionalKey(Amount.Quantity).annotateKey({
      description: "The sum of its refunds, sent or not yet",
    }),
  }).annotate({ description: "The payment right after the change" }),
}).annotate({ identifier: "PaymentEvent" })

export interface SettlementDestinationEvent extends Schema.Schema.Type<
  typeof SettlementDestinationEvent
> {}
export const SettlementDestinationEvent = Schema.Struct({
  ...common,
  type: Schema.Literal(Domain.destinationChanged),
  data: Schema.Struct({
    settlementId: Text.settlementId,
    merchantId: Text.merchantId,
    asset: Text.asset,
    from: Schema.NullOr(Text.account).annotate({
      description: "The previous destination; null if there was none",
    }),
    to: Schema.NullOr(Text.account).annotate({
      description: "The new destination; null once the destination is deleted",
    }),
    takesEffectAt: Schema.NullOr(
      Text.time("The earliest time of a payout to `to`; null if that is now"),
    ),
    keyId: Schema.NullOr(Text.keyId).annotate({
      description: "The key that made the change; null if the operator did",
    }),
    requestId: Schema.NullOr(Schema.String),
  }),
}).annotate({ identifier: "SettlementDestinationEvent" })

export interface TestEvent extends Schema.Schema.Type<typeof TestEvent> {}
export const TestEvent = Schema.Struct({
  ...common,
  type: Schema.Literal(Domain.webhookTest),
  data: Schema.Struct({
    webhookId: Text.webhookId.annotate({ description: "The only endpoint to which it is sent" }),
  }),
}).annotate({ identifier: "TestEvent" })

export type Event = typeof Event.Type
export const Event = Schema.Union([PaymentEvent, SettlementDestinationEvent, TestEvent]).annotate({
  identifier: "Event",
})

export type Type = Event["type"]

type Narrowed<E extends Event, T extends Type> = E extends Event
  ? T extends E["type"]
    ? Omit<E, "type"> & { readonly type: T }
    : never
  : never

/** Events as one shape for each type, so that `type` determines the shape of `data`; or only those of some types. */
export type OfType<T extends Type = Type> = T extends Type ? Narrowed<Event, T> : never

/** An event in a stream. Its id is the feed's cursor after it. */
export const Streamed = Schema.Struct({
  id: Text.plain("To resume after this event, send it as Last-Event-ID"),
  /** The event as in the feed. With a description of its own, it would become another shape in the document. */
  data: Schema.fromJsonString(Event),
}).annotate({ identifier: "StreamedEvent" })

export interface Page extends Schema.Schema.Type<typeof Page> {}
export const Page = Schema.Struct({
  data: Schema.Array(Event),
  nextCursor: Text.plain("The cursor of the next page. It also returns events that happen later"),
  hasMore: Schema.Boolean.annotate({ description: "Whether there are more events now" }),
}).annotate({ identifier: "EventPage" })
