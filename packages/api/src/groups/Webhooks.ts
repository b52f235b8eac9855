/**
 * Webhooks: the endpoints for events, and the deliveries to them.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Text from "../wire/Text.ts"
import * as Webhook from "../wire/Webhook.ts"

const one = { id: Text.webhookId.annotate({ description: "The webhook's id" }) }
const headers = Headers.common
/** A disabled webhook still exists, but cannot be used. */
const error = Problem.errors("not_found", "invalid_state")

export const create = HttpApiEndpoint.post("create", "/v1/webhooks", {
  headers: Headers.createOnce,
  payload: Webhook.CreateRequest,
  success: Webhook.WithSecret.pipe(HttpApiSchema.status(201)),
  error: Problem.errors("missing_idempotency_key", "idempotency_conflict"),
})
  .annotate(OpenApi.Summary, "Create a webhook")
  .annotate(
    OpenApi.Description,
    "The service sends events to the URL, signed with the secret. The secret is in this response only; a repeated call with the same `Idempotency-Key` returns it again for a day. Without `types`, the webhook gets all events.",
  )

export const list = HttpApiEndpoint.get("list", "/v1/webhooks", {
  headers,
  success: Webhook.List,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List active webhooks, without their secrets")
  .annotate(OpenApi.Description, "Lists the webhooks that still receive events.")

export const get = HttpApiEndpoint.get("get", "/v1/webhooks/:id", {
  params: one,
  headers,
  success: Webhook.Response,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Get a webhook, even a deleted one")
  .annotate(OpenApi.Description, "Returns the URL, the types and the version of a webhook.")

export const change = HttpApiEndpoint.patch("change", "/v1/webhooks/:id", {
  params: one,
  headers,
  payload: Webhook.ChangeRequest,
  success: Webhook.Response,
  error,
})
  .annotate(OpenApi.Summary, "Update a webhook")
  .annotate(
    OpenApi.Description,
    "Changes only the members that you send. Deliveries that wait go to the new URL.",
  )

export const remove = HttpApiEndpoint.delete("remove", "/v1/webhooks/:id", {
  params: one,
  headers,
  success: Settlement.Deleted,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Delete a webhook. Its deliveries are kept")
  .annotate(OpenApi.Description, "Events are no longer sent to it. This cannot be undone.")

export const rotate = HttpApiEndpoint.post("rotate", "/v1/webhooks/:id/rotate", {
  params: one,
  headers: Headers.createOnce,
  success: Webhook.WithSecret.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(
    "not_found",
    "invalid_state",
    "missing_idempotency_key",
    "idempotency_conflict",
  ),
})
  .annotate(OpenApi.Summary, "Rotate the secret. Both secrets sign for 24 hours")
  .annotate(
    OpenApi.Description,
    "The new secret is in this response only. Until the old one ends, each call has a signature of both.",
  )

export const test = HttpApiEndpoint.post("test", "/v1/webhooks/:id/test", {
  params: one,
  headers,
  success: Webhook.Test.pipe(HttpApiSchema.status(201)),
  error,
})
  .annotate(OpenApi.Summary, "Send a test event to this webhook only")
  .annotate(
    OpenApi.Description,
    "The event has the type `webhook.test`. Its delivery is listed like any other.",
  )

export const deliveries = HttpApiEndpoint.get("deliveries", "/v1/webhooks/:id/deliveries", {
  params: one,
  headers,
  query: Query.page,
  success: Webhook.DeliveryPage,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "List deliveries with their attempts, newest first")
  .annotate(OpenApi.Description, "Each delivery has its event, its state and all attempts.")

export const redeliver = HttpApiEndpoint.post(
  "redeliver",
  "/v1/webhooks/:id/deliveries/:deliveryId/redeliver",
  {
    params: {
      ...one,
      deliveryId: Text.deliveryId.annotate({ description: "The delivery's id" }),
    },
    headers,
    success: Webhook.Delivery,
    error,
  },
)
  .annotate(OpenApi.Summary, "Redeliver one event")
  .annotate(OpenApi.Description, "Sends the event of a delivery again, with the same body.")

export const replay = HttpApiEndpoint.post("replay", "/v1/webhooks/:id/replay", {
  params: one,
  headers,
  payload: Webhook.ReplayRequest,
  success: Webhook.Replayed,
  error,
})
  .annotate(OpenApi.Summary, "Replay the events of a period, in order")
  .annotate(
    OpenApi.Description,
    "Sends the events from `from` to `to` again, or only those that were given up.",
  )

export const group = HttpApiGroup.make("webhooks")
  .add(create, list, get, change, remove, rotate, test, deliveries, redeliver, replay)
  .annotate(OpenApi.Description, "Webhooks: your URLs that receive events")
