/**
 * The webhooks of one payment: which of its events were sent to which endpoint.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Webhook from "../../domain/notify/Webhook.ts"
import type * as Event from "../../domain/payment/Event.ts"
import { AccountStore, findPartner } from "../../ports/AccountStore.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"

/** A delivery of an event to an endpoint. */
export interface Sent {
  readonly delivery: Webhook.Delivery
  readonly event: Event.Event
  readonly endpoint: Webhook.Endpoint
}

/** Every event with each of its endpoints, in order: existing deliveries, and those that a worker is about to create. */
export const list = Effect.fn("PaymentDeliveries.list")(function* (id: PaymentId.PaymentId) {
  const outbox = yield* Outbox
  const { mode, partnerId } = yield* (yield* PaymentStore).payment(id)
  const endpoints = yield* outbox.endpoints({ mode, partnerId })
  const events = yield* outbox.eventsOf(id)
  // Read first: an event that is fanned out in the meantime is then among the existing webhooks, and is shown once.
  const waiting = new Set((yield* outbox.eventsOf(id, "waiting")).map((event) => event.id))
  const made = yield* outbox.deliveriesById(
    endpoints.flatMap((endpoint) =>
      events.map((event) => Webhook.deliveryId(endpoint.id, event.id)),
    ),
  )
  const partner = yield* findPartner(yield* AccountStore, partnerId)
  return events.flatMap((event) =>
    endpoints.flatMap((endpoint): ReadonlyArray<Sent> => {
      const deliveryId = Webhook.deliveryId(endpoint.id, event.id)
      const delivery =
        made.find((each) => each.id === deliveryId) ??
        (waiting.has(event.id) ? Webhook.deliveryOf(event, endpoint, partner) : null)
      return delivery === null ? [] : [{ delivery, event, endpoint }]
    }),
  )
})
