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
/** A disabled webhook still exists, but cannot be used. */
const refusals = ["not_found", "invalid_state"] as const

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
    summary: "Update a webhook",
    description: "Changes only the members that you send. Deliveries that wait go to the new URL.",
    params: one,
    headers,
    payload: Webhook.ChangeRequest,
    success: Webhook.Response,
    refusals,
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
    summary: "Rotate the secret. Both secrets sign for 24 hours",
    description:
      "The new secret is in this response only. Until the old one ends, each call has a signature of both.",
    params: one,
    headers: Headers.createOnce,
    success: Webhook.WithSecret.pipe(HttpApiSchema.status(201)),
    refusals: ["not_found", "invalid_state"],
  }),
  Endpoint.post("test", "/v1/webhooks/:id/test", {
    summary: "Send a test event to this webhook only",
    description: "The event has the type `webhook.test`. Its delivery is listed like any other.",
    params: one,
    headers,
    success: Webhook.Test.pipe(HttpApiSchema.status(201)),
    refusals,
  }),
  Endpoint.get("deliveries", "/v1/webhooks/:id/deliveries", {
    summary: "List deliveries with their attempts, newest first",
    description: "Each delivery has its event, its state and all attempts.",
    params: one,
    headers,
    query: Query.page,
    success: Webhook.DeliveryPage,
    refusals: ["not_found"],
  }),
  Endpoint.post("redeliver", "/v1/webhooks/:id/deliveries/:deliveryId/redeliver", {
    summary: "Redeliver one event",
    description: "Sends the event of a delivery again, with the same body.",
    params: {
      ...one,
      deliveryId: Text.deliveryId.annotate({ description: "The delivery's id" }),
    },
    headers,
    success: Webhook.Delivery,
    refusals,
  }),
  Endpoint.post("replay", "/v1/webhooks/:id/replay", {
    summary: "Replay the events of a period, in order",
    description: "Sends the events from `from` to `to` again, or only those that were given up.",
    params: one,
    headers,
    payload: Webhook.ReplayRequest,
    success: Webhook.Replayed,
    refusals,
  }),
)
