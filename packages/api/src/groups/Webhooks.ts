/**
 * Webhooks: the endpoints for events, and the deliveries to them.
 *
 * @module
 */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Text from "../wire/Text.ts"
import * as Webhook from "../wire/Webhook.ts"

const one = { id: Text.webhookId.annotate({ description: "The webhook's id" }) }
const headers = Headers.common

export const group = Endpoint.group(
  "webhooks",
  "Webhooks: your URLs that receive events",
  Endpoint.post("create", "/v1/webhooks", {
    summary: "Create a webhook",
    description:
      "The service sends events to the URL, signed with the secret. The secret is in this response only; a repeated call with the same `Idempotency-Key` returns it again for a day. Without `types`, the webhook gets all events.",
    headers: Headers.createOnce,
    payload: Webhook.CreateRequest,
    success: Webhook.WithSecret.pipe(HttpApiSchema.status(201)),
  }),
  Endpoint.get("list", "/v1/webhooks", {
    summary: "List active webhooks, without their secrets",
    description: "Lists the webhooks that still receive events.",
    headers,
    success: Webhook.List,
  }),
  Endpoint.get("get", "/v1/webhooks/:id", {
    summary: "Get a webhook, even a deleted one",
    description: "Returns the URL, the types and the version of a webhook.",
    params: one,
    headers,
    success: Webhook.Response,
    refusals: ["not_found"],
  }),
  Endpoint.patch("change", "/v1/webhooks/:id", {
    ...Webhook.calls.change,
    summary: "Update a webhook",
    params: one,
    headers,
    success: Webhook.Response,
  }),
  Endpoint.delete("remove", "/v1/webhooks/:id", {
    summary: "Delete a webhook. Its deliveries are kept",
    description: "Events are no longer sent to it. This cannot be undone.",
    params: one,
    headers,
    success: Settlement.Deleted,
    refusals: ["not_found"],
  }),
  Endpoint.post("rotate", "/v1/webhooks/:id/rotate", {
    ...Webhook.calls.rotate,
    params: one,
    headers: Headers.createOnce,
    success: Webhook.WithSecret.pipe(HttpApiSchema.status(201)),
  }),
  Endpoint.post("test", "/v1/webhooks/:id/test", { ...Webhook.calls.test, params: one, headers }),
  Endpoint.get("deliveries", "/v1/webhooks/:id/deliveries", {
    ...Webhook.calls.deliveries,
    query: Query.page,
    params: one,
    headers,
  }),
  Endpoint.post("redeliver", "/v1/webhooks/:id/deliveries/:deliveryId/redeliver", {
    ...Webhook.calls.redeliver,
    params: {
      ...one,
      deliveryId: Text.deliveryId.annotate({ description: "The delivery's id" }),
    },
    headers,
  }),
  Endpoint.post("replay", "/v1/webhooks/:id/replay", {
    ...Webhook.calls.replay,
    params: one,
    headers,
  }),
)
