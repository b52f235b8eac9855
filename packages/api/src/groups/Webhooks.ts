/**
 * Webhooks: the endpoints for events, and the deliveries to them.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Text from "../wire/Text.ts"
import * as Webhook from "../wire/Webhook.ts"

const headers = Headers.common

/** What the calls about one webhook have in common. */
const one = {
  params: { id: Text.webhookId.annotate({ description: "The webhook's id" }) },
  headers,
  refusals: ["not_found"],
} as const

export const group = Endpoint.group(
  "webhooks",
  "Webhooks: your URLs that receive events",
  Endpoint.post("create", "/v1/webhooks", {
    summary: "Create a webhook",
    description:
      "The service sends events to the URL, signed with the secret. The secret is in this response only; a repeated call with the same `Idempotency-Key` returns it again for a day. Without `types`, the webhook gets all events.",
    headers: Headers.createOnce,
    payload: Webhook.CreateRequest,
    success: Endpoint.created(Webhook.WithSecret),
  }),
  Endpoint.get("list", "/v1/webhooks", {
    summary: "List active webhooks, without their secrets",
    description: "Lists the webhooks that still receive events.",
    headers,
    success: Webhook.List,
  }),
  Endpoint.get("get", "/v1/webhooks/:id", {
    ...one,
    summary: "Get a webhook, even a deleted one",
    description: "Returns the URL, the types and the version of a webhook.",
    success: Webhook.Response,
  }),
  Endpoint.patch("change", "/v1/webhooks/:id", {
    ...one,
    ...Webhook.calls.change,
    summary: "Update a webhook",
    success: Webhook.Response,
  }),
  Endpoint.delete("remove", "/v1/webhooks/:id", {
    ...one,
    summary: "Delete a webhook. Its deliveries are kept",
    description: "Events are no longer sent to it. This cannot be undone.",
    success: Settlement.Deleted,
  }),
  Endpoint.post("rotate", "/v1/webhooks/:id/rotate", {
    ...one,
    ...Webhook.calls.rotate,
    headers: Headers.createOnce,
    success: Endpoint.created(Webhook.WithSecret),
  }),
  Endpoint.post("test", "/v1/webhooks/:id/test", { ...one, ...Webhook.calls.test }),
  Endpoint.get("deliveries", "/v1/webhooks/:id/deliveries", {
    ...one,
    ...Webhook.calls.deliveries,
    query: Query.page,
  }),
  Endpoint.post("redeliver", "/v1/webhooks/:id/deliveries/:deliveryId/redeliver", {
    ...Webhook.calls.redeliver,
    params: {
      ...one.params,
      deliveryId: Text.deliveryId.annotate({ description: "The delivery's id" }),
    },
    headers,
  }),
  Endpoint.post("replay", "/v1/webhooks/:id/replay", {
    ...one,
    ...Webhook.calls.replay,
  }),
)
