/**
 * Webhook endpoints and deliveries to them, on the wire.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Domain from "@florin/core/domain/payment/Event"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as Event from "./Event.ts"
import * as Members from "./Members.ts"
import * as Pages from "./Page.ts"
import * as Text from "./Text.ts"

const types = Schema.NullOr(Schema.Array(Schema.String)).annotate({
  description: `The types of events that the webhook gets: some of ${Domain.eventTypes.join(", ")}. Null: all, including those that later releases add`,
  [Text.nullWord]: "all",
})
const version = Schema.NullOr(Schema.String).annotate({
  description: "The API version of new events. Null: pinned, as the partner is",
  [Text.nullWord]: "pinned",
})

export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}
export const Webhook = Schema.Struct({
  id: Text.webhookId,
  url: Schema.String,
  types,
  version,
  createdAt: Text.dateTime,
  disabledAt: Schema.NullOr(Text.dateTime).annotate({
    description: "When it was disabled; null if it is enabled",
  }),
}).annotate({ identifier: "Webhook" })

export interface Response extends Schema.Schema.Type<typeof Response> {}
export const Response = Schema.Struct({ webhook: Webhook }).annotate({
  identifier: "WebhookResponse",
})

export interface WithSecret extends Schema.Schema.Type<typeof WithSecret> {}
export const WithSecret = Schema.Struct({
  webhook: Webhook,
  secret: Text.plain("The secret with which your server verifies each call. It is not shown again"),
}).annotate({ identifier: "WebhookWithSecret" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({ webhooks: Schema.Array(Webhook) }).annotate({
  identifier: "WebhookList",
})

const url = Text.plain(
  "The URL to which events are sent: https, on a host that is reachable from the internet",
)

export interface CreateRequest extends Schema.Schema.Type<typeof CreateRequest> {}
export const CreateRequest = Schema.Struct({
  url,
  types: Schema.optionalKey(types),
  version: Schema.optionalKey(version),
}).annotate({ identifier: "CreateWebhookRequest" })

export interface ChangeRequest extends Schema.Schema.Type<typeof ChangeRequest> {}
export const ChangeRequest = Schema.Struct(Members.optional({ url, types, version })).annotate({
  identifier: "ChangeWebhookRequest",
})

export interface Test extends Schema.Schema.Type<typeof Test> {}
export const Test = Schema.Struct({
  eventId: Text.eventId,
  deliveryId: Text.deliveryId.annotate({
    description:
      "The id of the delivery. It is in the list once the service has created the delivery",
  }),
}).annotate({ identifier: "WebhookTest" })

/** The states of a delivery, and their internal names. */
export const states = { pending: "pending", delivered: "delivered", given_up: "givenUp" } as const
const State = Schema.Literals(["pending", "delivered", "given_up"]).annotate({
  description:
    "`given_up`: the last attempt failed, or the endpoint was disabled. The service does not retry it automatically",
})

export interface Delivery extends Schema.Schema.Type<typeof Delivery> {}
export const Delivery = Schema.Struct({
  id: Text.deliveryId,
  eventId: Text.eventId,
  version: Text.plain("The API version of every attempt"),
  state: State,
  dueAt: Schema.NullOr(Text.dateTime).annotate({ description: "The time of the next attempt" }),
  attempts: Schema.Array(
    Schema.Struct({
      at: Text.dateTime,
      status: Schema.NullOr(Schema.Int).annotate({
        description: "The HTTP status of the response; null if there was none",
      }),
      error: Schema.NullOr(Schema.String),
    }),
  ),
}).annotate({ identifier: "Delivery" })

const ListedDelivery = Schema.Struct({ ...Delivery.fields, event: Event.Event }).annotate({
  identifier: "ListedDelivery",
})

export interface DeliveryPage extends Schema.Schema.Type<typeof DeliveryPage> {}
export const DeliveryPage = Pages.of(ListedDelivery, "DeliveryPage")

export interface PaymentDeliveries extends Schema.Schema.Type<typeof PaymentDeliveries> {}
export const PaymentDeliveries = Schema.Struct({
  deliveries: Schema.Array(
    Schema.Struct({
      ...ListedDelivery.fields,
      webhookId: Text.webhookId,
      host: Text.plain("The host of the webhook's URL"),
      isDisabled: Schema.Boolean.annotate({ description: "Whether the webhook is disabled" }),
    }).annotate({ identifier: "PaymentDelivery" }),
  ),
}).annotate({ identifier: "PaymentDeliveries" })

export interface ReplayRequest extends Schema.Schema.Type<typeof ReplayRequest> {}
export const ReplayRequest = Schema.Struct({
  from: Text.time("Start of the period: events at this time or later, in RFC 3339 format"),
  ...Members.optional({
    to: Text.time(
      `End of the period: events before this time, at most ${Limits.webhookReplayMaxInMs / 86_400_000} days after \`from\`. Default: now`,
    ),
    state: State.annotate({ description: "Only deliveries in this state. Default: all states" }),
  }),
}).annotate({ identifier: "ReplayRequest" })

export interface Replayed extends Schema.Schema.Type<typeof Replayed> {}
export const Replayed = Schema.Struct({
  deliveries: Schema.Int.annotate({ description: "The number of deliveries that are sent again" }),
}).annotate({ identifier: "Replayed" })

const owner = {
  partnerId: Text.partnerId.annotate({ description: "The partner whose events it gets" }),
  mode: Mode.Mode.annotate({ description: "The mode of these events" }),
}

/** A webhook of any partner, as the operator sees it. */
export interface Owned extends Schema.Schema.Type<typeof Owned> {}
export const Owned = Schema.Struct({ ...Webhook.fields, ...owner }).annotate({
  identifier: "OwnedWebhook",
})

export const OwnedList = Schema.Struct({ webhooks: Schema.Array(Owned) }).annotate({
  identifier: "OwnedWebhookList",
})

export interface OwnedWithSecret extends Schema.Schema.Type<typeof OwnedWithSecret> {}
export const OwnedWithSecret = Schema.Struct({ ...WithSecret.fields, webhook: Owned }).annotate({
  identifier: "OwnedWebhookWithSecret",
})

export const OwnedCreateRequest = Schema.Struct({ ...owner, ...CreateRequest.fields }).annotate({
  identifier: "CreateOwnedWebhookRequest",
})

export const Sealed = Schema.Struct({
  sealed: Schema.Array(Text.webhookId),
  refused: Schema.Array(Text.webhookId).annotate({
    description:
      "Webhooks whose secret the vault cannot open: add the key that sealed it, or rotate it",
  }),
}).annotate({ identifier: "SealedWebhooks" })

/** A disabled webhook still exists, but cannot be used. */
const refusals = ["not_found", "invalid_state"] as const

/** What each of these calls is for a partner, and for the operator. */
export const calls = {
  change: {
    description:
      "Only the given members change, and the secret stays the same. Deliveries that wait go to the new URL.",
    payload: ChangeRequest,
    refusals,
  },
  rotate: {
    summary: "Rotate the secret. Both secrets sign for 24 hours",
    description:
      "The new secret is shown once. Until the old one ends, each call has a signature of both, so that the receiver can switch at any time. A second rotation within that time ends the first secret immediately.",
    refusals,
  },
  test: {
    summary: "Send a test event to this webhook only",
    description: "The event has the type `webhook.test`. Its delivery is listed like any other.",
    success: Test.pipe(HttpApiSchema.status(201)),
    refusals,
  },
  deliveries: {
    summary: "List deliveries with their attempts, newest first",
    description: "Each delivery has its event, its state and all attempts.",
    success: DeliveryPage,
    refusals: ["not_found"],
  },
  redeliver: {
    summary: "Redeliver one event",
    description: "Sends the event of a delivery again, with the same body.",
    success: Delivery,
    refusals,
  },
  replay: {
    summary: "Replay the events of a period, in order",
    description: `Sends the events from \`from\` to \`to\` again, or only those that were given up, at most ${Limits.webhookReplayMax / 1000},000. Fix the receiver first.`,
    payload: ReplayRequest,
    success: Replayed,
    refusals,
  },
} as const
