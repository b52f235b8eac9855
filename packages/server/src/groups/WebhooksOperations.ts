/**
 * Webhooks over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Webhooks"
import * as Wire from "@florin/api/wire/Webhook"
import * as Events from "@florin/core/engine/Events"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as WebhookView from "../views/WebhookView.ts"

const idOf = (call: Operation.Call): string => call.param("id")

export const operations = Operation.partner(Contract.group, {
  create: ({ idempotencyKey, tenant }, body) =>
    Effect.map(Events.createEndpoint(tenant, body, { idempotencyKey }), (made) =>
      Operation.replyCreated(WebhookView.webhookWithSecret(made), made.replayed),
    ),

  list: ({ tenant }) =>
    Effect.map(Events.listEnabled(tenant), (endpoints) =>
      Operation.ok({ webhooks: endpoints.map(WebhookView.webhook) }),
    ),

  get: (call) =>
    Effect.map(Events.getEndpoint(call.tenant, idOf(call)), (endpoint) =>
      Operation.ok({ webhook: WebhookView.webhook(endpoint) }),
    ),

  change: (call, body) =>
    Effect.map(Events.changeEndpoint(call.tenant, idOf(call), body), (endpoint) =>
      Operation.ok({ webhook: WebhookView.webhook(endpoint) }),
    ),

  remove: (call) =>
    Effect.map(Events.disableEndpoint(call.tenant, idOf(call)), ({ id }) =>
      Operation.ok({ id, deleted: true } as const),
    ),

  rotate: (call) =>
    Effect.map(
      Events.rotateSecret(call.tenant, idOf(call), { idempotencyKey: call.idempotencyKey }),
      (made) => Operation.replyCreated(WebhookView.webhookWithSecret(made), made.replayed),
    ),

  test: (call) =>
    Effect.map(Events.testEndpoint(call.tenant, idOf(call)), (sent) =>
      Operation.replyCreated(sent, false),
    ),

  deliveries: (call) =>
    Effect.map(
      Events.deliveries(call.tenant, idOf(call), call.query.limit, call.query.cursor),
      ({ items, nextCursor }) =>
        Operation.ok({
          data: items.map((each) => WebhookView.listedDelivery(each, call.display.catalog)),
          nextCursor,
        }),
    ),

  redeliver: (call) =>
    Effect.map(Events.redeliver(call.tenant, idOf(call), call.param("deliveryId")), (delivery) =>
      Operation.ok(WebhookView.delivery(delivery)),
    ),

  replay: (call, { state, ...range }) =>
    Effect.map(
      Events.replayRange(call.tenant, idOf(call), {
        ...range,
        state: state && Wire.states[state],
      }),
      (deliveries) => Operation.ok({ deliveries }),
    ),
})
