/**
 * Webhooks of partners over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Webhooks"
import * as Wire from "@florin/api/wire/Webhook"
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Events from "@florin/core/engine/Events"
import * as PaymentDeliveries from "@florin/core/engine/PaymentDeliveries"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as WebhookView from "../views/WebhookView.ts"
import * as Read from "./Read.ts"

const shown = (endpoint: Webhook.Listed) => Operation.ok(WebhookView.owned(endpoint))

const unveiled = (made: Events.WithSecret) => ({
  status: 201 as const,
  body: WebhookView.ownedWithSecret(made),
})

/** The webhook in the path, with its owner. */
const named = ({ param }: Operation.OperatorCall) => {
  const id = param("webhookId")
  return Effect.map(Events.ownerOf(id), (tenant) => ({ id, tenant }))
}

export const operations = Operation.operator(Contract.group, {
  create: Effect.fnUntraced(function* (_, { mode, partnerId, ...wanted }) {
    const id = yield* Effect.fromResult(Read.partnerId(partnerId))
    yield* findPartner(yield* AccountStore, id)
    return unveiled(yield* Events.createEndpoint({ partnerId: id, mode }, wanted))
  }),

  list: Effect.fnUntraced(function* ({ query: { mode, partnerId } }) {
    const endpoints = yield* Events.listEndpoints({
      ...(mode !== undefined && { mode }),
      ...(partnerId !== undefined && {
        partnerId: yield* Effect.fromResult(Read.partnerId(partnerId)),
      }),
    })
    return Operation.ok({ webhooks: endpoints.map(WebhookView.owned) })
  }),

  change: Effect.fnUntraced(function* (call, { types, url, version }) {
    const { id, tenant } = yield* named(call)
    return shown(yield* Events.changeEndpoint(tenant, id, { types, url, version }))
  }),

  disable: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* named(call)
    return shown(yield* Events.disableEndpoint(tenant, id))
  }),

  rotate: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* named(call)
    return unveiled(yield* Events.rotateSecret(tenant, id))
  }),

  test: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* named(call)
    return Operation.replyCreated(yield* Events.testEndpoint(tenant, id), false)
  }),

  sealSecrets: () => Effect.map(Events.sealSecrets(), Operation.ok),

  deliveries: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* named(call)
    const { cursor, limit } = call.query
    const { items, nextCursor } = yield* Events.deliveries(tenant, id, limit, cursor)
    const data = items.map((each) => WebhookView.listedDelivery(each, call.display.catalog))
    return Operation.ok({ data, nextCursor })
  }),

  deliveriesOfPayment: Effect.fnUntraced(function* (call) {
    const found = yield* PaymentDeliveries.list(yield* Read.paymentId(call))
    const deliveries = found.map((each) => WebhookView.paymentDelivery(each, call.display.catalog))
    return Operation.ok({ deliveries })
  }),

  redeliver: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* named(call)
    const delivery = yield* Events.redeliver(tenant, id, call.param("deliveryId"))
    return Operation.ok(WebhookView.delivery(delivery))
  }),

  replay: Effect.fnUntraced(function* (call, { from, state, to }) {
    const { id, tenant } = yield* named(call)
    const range = { from, to, state: state && Wire.states[state] }
    return Operation.ok({ deliveries: yield* Events.replayRange(tenant, id, range) })
  }),
})
