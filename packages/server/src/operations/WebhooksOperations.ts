/**
 * Webhooks over HTTP: of a partner, and of all partners for the operator.
 *
 * @module
 */
import * as OfPartner from "@florin/api/groups/Webhooks"
import * as OfOperator from "@florin/api/operator/Webhooks"
import * as Wire from "@florin/api/wire/Webhook"
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Events from "@florin/core/engine/notify/Events"
import * as PaymentDeliveries from "@florin/core/engine/notify/PaymentDeliveries"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import * as Effect from "effect/Effect"
import * as WebhookView from "../views/WebhookView.ts"
import * as Members from "./Members.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

/** The webhook in the path, with its owner. */
const namedByPartner = ({ param, tenant }: Operation.PartnerCall) =>
  Effect.succeed({ id: param("id"), tenant })

const namedByOperator = ({ param }: Operation.OperatorCall) => {
  const id = param("webhookId")
  return Effect.map(Events.ownerOf(id), (tenant) => ({ id, tenant }))
}

interface Page {
  readonly cursor?: string
  readonly limit?: number
}

/** What a partner and the operator do alike, once the webhook in the path is found. */
const ofDeliveries = <C extends Operation.AnyCall>(
  find: (call: C) => ReturnType<typeof namedByOperator>,
) => ({
  test: Effect.fnUntraced(function* (call: C) {
    const { id, tenant } = yield* find(call)
    return yield* Events.testEndpoint(tenant, id)
  }),

  deliveries: Effect.fnUntraced(function* (call: C & { readonly query: Page }) {
    const { id, tenant } = yield* find(call)
    const { cursor, limit } = call.query
    const { items, nextCursor } = yield* Events.deliveries(tenant, id, limit, cursor)
    const data = items.map((each) => WebhookView.listedDelivery(each, call.display.catalog))
    return { data, nextCursor }
  }),

  redeliver: Effect.fnUntraced(function* (call: C) {
    const { id, tenant } = yield* find(call)
    return WebhookView.delivery(yield* Events.redeliver(tenant, id, call.param("deliveryId")))
  }),

  replay: Effect.fnUntraced(function* (call: C, { from, state, to }: Wire.ReplayRequest) {
    const { id, tenant } = yield* find(call)
    const range = { from, to, state: state && Wire.states[state] }
    return { deliveries: yield* Events.replayRange(tenant, id, range) }
  }),
})

const shown = (endpoint: Webhook.Listed) => ({ webhook: WebhookView.webhook(endpoint) })

const unveiled = (made: Events.WithSecret) =>
  Operation.once(WebhookView.withSecret(WebhookView.webhook)(made), made.replayed)

export const partner = Operation.partner(OfPartner.group, {
  ...ofDeliveries(namedByPartner),

  create: ({ idempotencyKey, tenant }, body) =>
    Effect.map(Events.createEndpoint(tenant, body, { idempotencyKey }), unveiled),

  list: ({ tenant }) =>
    Effect.map(Events.listEndpoints(tenant, "enabled"), (endpoints) => ({
      webhooks: endpoints.map(WebhookView.webhook),
    })),

  get: ({ param, tenant }) => Effect.map(Events.getEndpoint(tenant, param("id")), shown),

  change: ({ param, tenant }, body) =>
    Effect.map(Events.changeEndpoint(tenant, param("id"), body), shown),

  remove: ({ param, tenant }) =>
    Effect.map(Events.disableEndpoint(tenant, param("id")), Operation.deleted),

  rotate: ({ idempotencyKey, param, tenant }) =>
    Effect.map(Events.rotateSecret(tenant, param("id"), { idempotencyKey }), unveiled),
})

const withSecret = WebhookView.withSecret(WebhookView.owned)

export const operator = Operation.operator(OfOperator.group, {
  ...ofDeliveries(namedByOperator),

  create: Effect.fnUntraced(function* (_, { mode, partnerId, ...wanted }) {
    const id = yield* Effect.fromResult(Read.partnerId(partnerId))
    yield* findPartner(yield* AccountStore, id)
    return withSecret(yield* Events.createEndpoint({ partnerId: id, mode }, wanted))
  }),

  list: Effect.fnUntraced(function* ({ query: { mode, partnerId: owner } }) {
    const partnerId = yield* Read.optional(owner, Read.partnerId)
    const endpoints = yield* Events.listEndpoints(Members.given({ mode, partnerId }))
    return { webhooks: endpoints.map(WebhookView.owned) }
  }),

  change: Effect.fnUntraced(function* (call, { types, url, version }) {
    const { id, tenant } = yield* namedByOperator(call)
    return WebhookView.owned(yield* Events.changeEndpoint(tenant, id, { types, url, version }))
  }),

  disable: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* namedByOperator(call)
    return WebhookView.owned(yield* Events.disableEndpoint(tenant, id))
  }),

  rotate: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* namedByOperator(call)
    return withSecret(yield* Events.rotateSecret(tenant, id))
  }),

  sealSecrets: () => Events.sealSecrets(),

  deliveriesOfPayment: Effect.fnUntraced(function* (call) {
    const found = yield* PaymentDeliveries.list(yield* Read.idOfPayment(call))
    return {
      deliveries: found.map((each) => WebhookView.paymentDelivery(each, call.display.catalog)),
    }
  }),
})
