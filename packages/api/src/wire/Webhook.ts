/**
 * Webhook endpoints and deliveries to them, on the wire.
 *
 * @module
 */
import * as Domain from "@florin/core/domain/Event"
import * as Limits from "@florin/core/domain/Limits"
import * as Schema from "effect/Schema"
import * as Event from "./Event.ts"
import * as Text from "./Text.ts"

const dateTime = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, with milliseconds, in UTC",
})

const types = Schema.NullOr(Schema.Array(Schema.String)).annotate({
  description: `Which events it is sent: some of ${Domain.eventTypes.join(", ")}. Null: all, those that later releases add included`,
})
const version = Schema.NullOr(Schema.String).annotate({
  description:
    "The API version that it is shown new events in. Null: the version that the partner is pinned to",
})

export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}
export const Webhook = Schema.Struct({
  id: Text.webhookId,
  url: Schema.String,
  types,
  version,
  createdAt: dateTime,
  disabledAt: Schema.NullOr(dateTime).annotate({
    description: "Since when it is not called any more; null while it is",
  }),
}).annotate({ identifier: "Webhook" })

export interface Answer extends Schema.Schema.Type<typeof Answer> {}
export const Answer = Schema.Struct({ webhook: Webhook }).annotate({ identifier: "WebhookAnswer" })

export interface Unveiled extends Schema.Schema.Type<typeof Unveiled> {}
export const Unveiled = Schema.Struct({
  webhook: Webhook,
  secret: Schema.String.annotate({
    description: "What its receiver checks each call with. It is not shown again",
  }),
}).annotate({ identifier: "WebhookWithSecret" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({ webhooks: Schema.Array(Webhook) }).annotate({
  identifier: "WebhookList",
})

const url = Schema.String.annotate({
  description: "Where events are sent: https, to a host that the internet reaches",
})

export interface CreateRequest extends Schema.Schema.Type<typeof CreateRequest> {}
export const CreateRequest = Schema.Struct({
  url,
  types: Schema.optionalKey(types),
  version: Schema.optionalKey(version),
}).annotate({ identifier: "CreateWebhookRequest" })

export interface ChangeRequest extends Schema.Schema.Type<typeof ChangeRequest> {}
export const ChangeRequest = Schema.Struct({
  url: Schema.optionalKey(url),
  types: Schema.optionalKey(types),
  version: Schema.optionalKey(version),
}).annotate({ identifier: "ChangeWebhookRequest" })

export interface Test extends Schema.Schema.Type<typeof Test> {}
export const Test = Schema.Struct({
  eventId: Text.eventId,
  deliveryId: Text.deliveryId.annotate({
    description: "Among the deliveries once it is under way",
  }),
}).annotate({ identifier: "WebhookTest" })

/** What became of a delivery, and its name inside. */
export const states = { pending: "pending", delivered: "delivered", given_up: "givenUp" } as const
const State = Schema.Literals(["pending", "delivered", "given_up"]).annotate({
  description:
    "`given_up`: its last attempt failed, or the endpoint was disabled. It is not tried again by itself",
})

export interface Delivery extends Schema.Schema.Type<typeof Delivery> {}
export const Delivery = Schema.Struct({
  id: Text.deliveryId,
  eventId: Text.eventId,
  version: Schema.String.annotate({ description: "The API version that every attempt shows" }),
  state: State,
  dueAt: Schema.NullOr(dateTime).annotate({ description: "When it is tried next" }),
  attempts: Schema.Array(
    Schema.Struct({
      at: dateTime,
      status: Schema.NullOr(Schema.Int).annotate({
        description: "The HTTP status of the response; null without one",
      }),
      error: Schema.NullOr(Schema.String),
    }),
  ),
}).annotate({ identifier: "Delivery" })

export interface DeliveryPage extends Schema.Schema.Type<typeof DeliveryPage> {}
export const DeliveryPage = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({ ...Delivery.fields, event: Event.Event }).annotate({
      identifier: "ListedDelivery",
    }),
  ),
  nextCursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "DeliveryPage" })

export interface ReplayRequest extends Schema.Schema.Type<typeof ReplayRequest> {}
export const ReplayRequest = Schema.Struct({
  from: Schema.String.annotate({
    format: "date-time",
    description: "Events that happened then or later: RFC 3339",
  }),
  to: Schema.optionalKey(
    Schema.String.annotate({
      format: "date-time",
      description: `Events that happened earlier, at most ${Limits.webhookReplayMaxInMs / 86_400_000} days after \`from\`. Now, if it is not sent`,
    }),
  ),
  state: Schema.optionalKey(
    State.annotate({ description: "Only deliveries in this state; any, if it is not sent" }),
  ),
}).annotate({ identifier: "ReplayRequest" })

export interface Replayed extends Schema.Schema.Type<typeof Replayed> {}
export const Replayed = Schema.Struct({
  deliveries: Schema.Int.annotate({ description: "How many are sent again" }),
}).annotate({ identifier: "Replayed" })
