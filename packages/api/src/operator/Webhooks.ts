/**
 * Webhooks of partners: their endpoints, and the deliveries to them.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Schema from "effect/Schema"
import * as Query from "../Query.ts"
import * as Text from "../wire/Text.ts"
import * as Webhook from "../wire/Webhook.ts"
import * as Endpoint from "./Endpoint.ts"

/** What the calls about one webhook have in common. */
const one = {
  params: { webhookId: Text.webhookId.annotate({ description: "The webhook's id" }) },
  refusals: ["not_found"],
} as const

export const group = Endpoint.group(
  "webhooks",
  "Webhooks of partners: the URLs that receive their events",
  Endpoint.post("create", "/operator/v1/webhooks", {
    scope: "admin",
    action: "webhook.created",
    summary: "Create a webhook for a partner",
    description:
      "The service sends the partner's events to the URL, signed with the secret. The secret is shown once. The webhook gets all events, also those of later releases, unless types are named.",
    headers: Endpoint.once,
    payload: Webhook.OwnedCreateRequest,
    success: Endpoint.created(Webhook.OwnedWithSecret),
    refusals: ["not_found"],
  }),
  Endpoint.get("list", "/operator/v1/webhooks", {
    scope: "support",
    summary: "List webhooks, without their secrets",
    description:
      "Lists the webhooks of one partner or of all, also disabled ones, the oldest first. A URL often contains a token, so a key that only reads cannot list them.",
    query: {
      partnerId: Schema.optionalKey(
        Text.partnerId.annotate({ description: "Only the webhooks of this partner" }),
      ),
      mode: Schema.optionalKey(Mode.Mode.annotate({ description: "Only webhooks of this mode" })),
    },
    success: Webhook.OwnedList,
  }),
  Endpoint.patch("change", "/operator/v1/webhooks/:webhookId", {
    ...one,
    ...Webhook.calls.change,
    scope: "admin",
    action: "webhook.changed",
    summary: "Change a webhook",
    success: Webhook.Owned,
  }),
  Endpoint.delete("disable", "/operator/v1/webhooks/:webhookId", {
    ...one,
    scope: "admin",
    action: "webhook.disabled",
    summary: "Disable a webhook. Its deliveries are kept",
    description:
      "Events are no longer sent to it, also not those that wait. This cannot be undone: create another webhook to send events to its URL again.",
    success: Webhook.Owned,
  }),
  Endpoint.post("rotate", "/operator/v1/webhooks/:webhookId/rotate", {
    ...one,
    ...Webhook.calls.rotate,
    scope: "admin",
    action: "webhook.secret_rotated",
    headers: Endpoint.once,
    success: Endpoint.created(Webhook.OwnedWithSecret),
  }),
  Endpoint.post("test", "/operator/v1/webhooks/:webhookId/test", {
    ...one,
    ...Webhook.calls.test,
    scope: "support",
    action: "webhook.tested",
  }),
  Endpoint.post("sealSecrets", "/operator/v1/webhooks/seal-secrets", {
    scope: "admin",
    action: "webhook.secret_sealed",
    summary: "Encrypt the secrets of all webhooks with the first vault key",
    description:
      "Do it after you put a new vault key first and before you remove the old one, and once after an upgrade from a release that stored secrets in plain text. Receivers notice nothing. Doing it again is safe.",
    success: Webhook.Sealed,
  }),
  Endpoint.get("deliveries", "/operator/v1/webhooks/:webhookId/deliveries", {
    ...one,
    ...Webhook.calls.deliveries,
    query: Query.page,
    scope: "read",
  }),
  Endpoint.get("deliveriesOfPayment", "/operator/v1/payments/:paymentId/deliveries", {
    scope: "read",
    summary: "List the deliveries of a payment's events to all webhooks",
    description:
      "Lists each event and webhook, in order, also deliveries that a worker is about to create.",
    params: { paymentId: Text.paymentId.annotate({ description: "The payment's id, pay_…" }) },
    success: Webhook.PaymentDeliveries,
    refusals: ["not_found"],
  }),
  Endpoint.post("redeliver", "/operator/v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver", {
    ...Webhook.calls.redeliver,
    scope: "support",
    action: "webhook.replayed",
    params: {
      ...one.params,
      deliveryId: Text.deliveryId.annotate({ description: "The delivery's id" }),
    },
  }),
  Endpoint.post("replay", "/operator/v1/webhooks/:webhookId/replay", {
    ...one,
    ...Webhook.calls.replay,
    scope: "support",
    action: "webhook.replayed",
  }),
)
