/**
 * Webhooks of partners: their endpoints, and the deliveries to them.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Text from "../wire/Text.ts"
import * as Webhook from "../wire/Webhook.ts"
import * as Endpoint from "./Endpoint.ts"

const params = { webhookId: Text.webhookId.annotate({ description: "The webhook's id" }) }
/** A disabled webhook still exists, but cannot be used. */
const error = Problem.errors("not_found", "invalid_state")

const create = HttpApiEndpoint.post("create", "/operator/v1/webhooks", {
  headers: Endpoint.once,
  payload: Webhook.OwnedCreateRequest,
  success: Webhook.OwnedWithSecret.pipe(HttpApiSchema.status(201)),
  error: Problem.errors("not_found", "missing_idempotency_key", "idempotency_conflict"),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "webhook.created",
    summary: "Create a webhook for a partner",
    description:
      "The service sends the partner's events to the URL, signed with the secret. The secret is shown once. The webhook gets all events, also those of later releases, unless types are named.",
  }),
)

const list = HttpApiEndpoint.get("list", "/operator/v1/webhooks", {
  query: {
    partnerId: Schema.optionalKey(
      Text.partnerId.annotate({ description: "Only the webhooks of this partner" }),
    ),
    mode: Schema.optionalKey(Mode.Mode.annotate({ description: "Only webhooks of this mode" })),
  },
  success: Webhook.OwnedList,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "support",
    summary: "List webhooks, without their secrets",
    description:
      "Lists the webhooks of one partner or of all, also disabled ones, the oldest first. A URL often contains a token, so a key that only reads cannot list them.",
  }),
)

const change = HttpApiEndpoint.patch("change", "/operator/v1/webhooks/:webhookId", {
  params,
  payload: Webhook.ChangeRequest,
  success: Webhook.Owned,
  error,
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "webhook.changed",
    summary: "Change a webhook",
    description:
      "Only the given members change, and the secret stays the same. Deliveries that wait go to the new URL.",
  }),
)

const disable = HttpApiEndpoint.delete("disable", "/operator/v1/webhooks/:webhookId", {
  params,
  success: Webhook.Owned,
  error: Problem.errors("not_found"),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "webhook.disabled",
    summary: "Disable a webhook. Its deliveries are kept",
    description:
      "Events are no longer sent to it, also not those that wait. This cannot be undone: create another webhook to send events to its URL again.",
  }),
)

const rotate = HttpApiEndpoint.post("rotate", "/operator/v1/webhooks/:webhookId/rotate", {
  params,
  headers: Endpoint.once,
  success: Webhook.OwnedWithSecret.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(
    "not_found",
    "invalid_state",
    "missing_idempotency_key",
    "idempotency_conflict",
  ),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "webhook.secret_rotated",
    summary: "Rotate the secret. Both secrets sign for 24 hours",
    description:
      "The new secret is shown once. Until the old one ends, each call has a signature of both, so that the receiver can switch at any time. A second rotation within that time ends the first secret immediately.",
  }),
)

const test = HttpApiEndpoint.post("test", "/operator/v1/webhooks/:webhookId/test", {
  params,
  success: Webhook.Test.pipe(HttpApiSchema.status(201)),
  error,
}).pipe(
  Endpoint.write({
    scope: "support",
    action: "webhook.tested",
    summary: "Send a test event to this webhook only",
    description: "The event has the type `webhook.test`. Its delivery is listed like any other.",
  }),
)

const sealSecrets = HttpApiEndpoint.post("sealSecrets", "/operator/v1/webhooks/seal-secrets", {
  success: Webhook.Sealed,
  error: Problem.errors(),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "webhook.secret_sealed",
    summary: "Encrypt the secrets of all webhooks with the first vault key",
    description:
      "Do it after you put a new vault key first and before you remove the old one, and once after an upgrade from a release that stored secrets in plain text. Receivers notice nothing. Doing it again is safe.",
  }),
)

const deliveries = HttpApiEndpoint.get(
  "deliveries",
  "/operator/v1/webhooks/:webhookId/deliveries",
  {
    params,
    query: Query.page,
    success: Webhook.DeliveryPage,
    error: Problem.errors("not_found"),
  },
).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List deliveries with their attempts, newest first",
    description: "Each delivery has its event, its state and all attempts.",
  }),
)

const deliveriesOfPayment = HttpApiEndpoint.get(
  "deliveriesOfPayment",
  "/operator/v1/payments/:paymentId/deliveries",
  {
    params: { paymentId: Text.paymentId.annotate({ description: "The payment's id, pay_…" }) },
    success: Webhook.PaymentDeliveries,
    error: Problem.errors("not_found"),
  },
).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List the deliveries of a payment's events to all webhooks",
    description:
      "Lists each event and webhook, in order, also deliveries that a worker is about to create.",
  }),
)

const redeliver = HttpApiEndpoint.post(
  "redeliver",
  "/operator/v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver",
  {
    params: {
      ...params,
      deliveryId: Text.deliveryId.annotate({ description: "The delivery's id" }),
    },
    success: Webhook.Delivery,
    error,
  },
).pipe(
  Endpoint.write({
    scope: "support",
    action: "webhook.replayed",
    summary: "Redeliver one event",
    description: "Sends the event of a delivery again, with the same body.",
  }),
)

const replay = HttpApiEndpoint.post("replay", "/operator/v1/webhooks/:webhookId/replay", {
  params,
  payload: Webhook.ReplayRequest,
  success: Webhook.Replayed,
  error,
}).pipe(
  Endpoint.write({
    scope: "support",
    action: "webhook.replayed",
    summary: "Replay the events of a period, in order",
    description: `Sends the events from \`from\` to \`to\` again, or only those that were given up, at most ${Limits.webhookReplayMax.toLocaleString("en")}. Fix the receiver first.`,
  }),
)

export const group = Endpoint.group(
  "webhooks",
  "Webhooks of partners: the URLs that receive their events",
  create,
  list,
  change,
  disable,
  rotate,
  test,
  sealSecrets,
  deliveries,
  deliveriesOfPayment,
  redeliver,
  replay,
)
