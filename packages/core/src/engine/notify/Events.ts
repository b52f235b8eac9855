/**
 * Events for partners: a feed to read, and webhooks that the service calls.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Conflict from "../../domain/ground/Conflict.ts"
import * as Invalid from "../../domain/ground/Invalid.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import * as Mode from "../../domain/ground/Mode.ts"
import * as Cursor from "../../domain/list/Cursor.ts"
import * as Page from "../../domain/list/Page.ts"
import * as PageLimit from "../../domain/list/PageLimit.ts"
import * as SequenceCursor from "../../domain/list/SequenceCursor.ts"
import * as Webhook from "../../domain/notify/Webhook.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as Event from "../../domain/payment/Event.ts"
import type { Tenant } from "../../ports/AccountStore.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { Outbox } from "../../ports/Outbox.ts"
import type { Once } from "../../ports/ResponseStore.ts"
import { Settings } from "../../ports/Settings.ts"
import { idReader, NotFound, requireOne } from "../../ports/StorageError.ts"
import { recordChange, recordDeed } from "../record/AuditLog.ts"
import * as StoredResponse from "../record/StoredResponse.ts"
import * as WebhookSecrets from "./WebhookSecrets.ts"

const secretByteCount = 32

/**
 * A page of the tenant's events, in order. There is always a cursor: it continues after this page, also for events that
 * happen later.
 */
export const feed = Effect.fn("Events.feed")(function* (
  tenant: Tenant,
  cursor: string | undefined,
  limit: PageLimit.Raw,
) {
  const { sealKey } = yield* Settings
  const size = yield* Effect.fromResult(PageLimit.parse(limit))
  const scope = { ...tenant, list: "events" } as const
  const after = (yield* Effect.fromResult(SequenceCursor.read(sealKey, scope, cursor))) ?? 0
  const entries = yield* (yield* Outbox).events(tenant, after, size + 1)
  const { hasMore, items } = Page.cut(entries, size)
  return {
    items: items.map((each) => each.event),
    hasMore,
    nextCursor: SequenceCursor.encode(sealKey, scope, items.at(-1)?.sequence ?? after),
  }
})

/** A path or a query may hold a secret, so the audit log keeps the origin only. */
const originOf = (url: string): string => /^https?:\/\/[^/?#]+/u.exec(url)?.[0] ?? ""

const differences = AuditLog.differences<Webhook.Endpoint>({
  kept: {
    url: ({ url }) => originOf(url),
    types: ({ types }) => (types === "all" ? null : types.join(",")),
    version: ({ version }) => version ?? null,
  },
  hidden: { path: ({ url }) => url.slice(originOf(url).length) },
})

const readDelivery = Schema.decodeUnknownResult(Schema.Tuple([Webhook.DeliveryId]))

/** For a request that may be sent twice, such as one over HTTP: then its key is required. */
export interface Repeatable {
  readonly idempotencyKey: string | undefined
}

const onceOf = (repeatable: Repeatable | undefined, request: StoredResponse.Request) =>
  repeatable === undefined
    ? Result.succeed(null)
    : StoredResponse.requireOnce(repeatable.idempotencyKey, request)

const deedOf = (
  action: AuditLog.Action,
  tenant: Tenant,
  subject: Webhook.EndpointId,
  changes: ReadonlyArray<AuditLog.Change>,
): AuditLog.Deed => ({ ...tenant, action, subject, changes })

const readId = idReader("webhook", Webhook.EndpointId)
const readDeliveryId = idReader("delivery", Webhook.DeliveryId)

/** An endpoint of the tenant, or of any for null. */
const endpointOf = Effect.fnUntraced(function* (tenant: Tenant | null, id: string) {
  const endpointId = yield* Effect.fromResult(readId(id))
  return yield* requireOne("webhook", (yield* Outbox).endpoints(tenant, { id: endpointId }))
})

/** The same endpoint, if it is enabled. */
const called = (endpoint: Webhook.Endpoint): Result.Result<Webhook.Endpoint, Conflict.Conflict> =>
  endpoint.disabledAt === null
    ? Result.succeed(endpoint)
    : Result.fail(Conflict.of("the endpoint is disabled: create a new one"))

/** A new secret for an endpoint, in the form in which it is stored. */
const newSecret = Effect.fnUntraced(function* (id: Webhook.EndpointId) {
  const random = yield* (yield* Identifiers).randomBytes(secretByteCount)
  const secret = yield* Effect.orDie(Effect.fromResult(Webhook.makeSecret(random)))
  return yield* WebhookSecrets.seal(id, secret)
})

/** An endpoint with its new secret. The secret is shown only this once. */
export interface WithSecret {
  readonly endpoint: Webhook.Listed
  readonly secret: Webhook.Secret
  /** Whether this is the response to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean
}

/** Responses are remembered as the stored endpoint, so the secret in them is sealed like the endpoint's secret. */
const stored = StoredResponse.codec(Webhook.Endpoint)

/** Writes an endpoint with a new secret, once per key if there is one, and shows the secret. */
const unveiling = Effect.fnUntraced(function* <E, R>(
  once: Once | null,
  write: Effect.Effect<Webhook.Endpoint, E, R>,
  deed: (endpoint: Webhook.Endpoint) => AuditLog.Deed,
) {
  const responded = yield* StoredResponse.respond(once, stored, write, deed)
  const { replayed, written: endpoint } = responded
  const { current } = endpoint.secrets
  const secret = yield* Effect.orDie(WebhookSecrets.open(endpoint.id, current))
  return { endpoint: Webhook.withoutSecrets(endpoint), secret, replayed } satisfies WithSecret
})

export interface NewEndpoint extends Webhook.Wanted {
  readonly url: string
}

/** Adds an endpoint if `mayAdd` allows it next to the tenant's enabled endpoints. */
const adding = Effect.fnUntraced(function* <E>(
  tenant: Tenant,
  { types = null, url, version = null }: NewEndpoint,
  policy: Webhook.UrlPolicy,
  mayAdd: (called: ReadonlyArray<Webhook.Endpoint>) => Result.Result<void, E>,
  repeatable?: Repeatable,
) {
  const { mode, partnerId } = tenant
  const once = yield* Effect.fromResult(
    onceOf(repeatable, { tenant, endpoint: "POST /v1/webhooks", body: { types, url, version } }),
  )
  const outbox = yield* Outbox
  const id = yield* (yield* Identifiers).endpoint
  const endpoint = yield* Effect.fromResult(
    Webhook.createEndpoint(
      { id, partnerId, mode, url, types, version, secret: yield* newSecret(id) },
      policy,
      yield* Clock.currentTimeMillis,
    ),
  )
  return yield* unveiling(
    once,
    Effect.as(outbox.putEndpoint(endpoint, mayAdd), endpoint),
    (written) =>
      deedOf("webhook.created", tenant, written.id, [AuditLog.became("url", originOf(url))]),
  )
})

/** An enabled endpoint with the same address exists already. */
class EndpointThere extends Schema.TaggedError<EndpointThere>()("EndpointThere", {
  id: Webhook.EndpointId,
}) {}

/**
 * Returns the enabled endpoint for all events of a handler, by its address, or creates it. If several processes ask at the
 * same time, only one creates it.
 */
export const requireEndpoint = Effect.fn("Events.requireEndpoint")(function* (
  tenant: Tenant,
  url: string,
) {
  const mayAdd = (
    present: ReadonlyArray<Webhook.Endpoint>,
  ): Result.Result<void, EndpointThere | Invalid.InvalidInput> => {
    const there = present.find((each) => each.url === url)
    return there === undefined
      ? Webhook.mayAdd(present)
      : Result.fail(new EndpointThere({ id: there.id }))
  }
  // The address names a handler in this process, and no host.
  return yield* adding(tenant, { url }, { allowPrivate: true }, mayAdd).pipe(
    Effect.map(({ endpoint }) => endpoint),
    Effect.catchTag("EndpointThere", ({ id }) => changeEndpoint(tenant, id, { types: null })),
  )
})

/** Adds an endpoint that receives all later events, if the service may call its address. */
export const createEndpoint = Effect.fn("Events.createEndpoint")(function* (
  tenant: Tenant,
  request: NewEndpoint,
  repeatable?: Repeatable,
) {
  const { allowPrivateWebhooks: allowPrivate } = yield* Settings
  return yield* adding(tenant, request, { allowPrivate }, Webhook.mayAdd, repeatable)
})

/** The owner of an endpoint that the operator names by its id alone. */
export const ownerOf = (id: string) =>
  Effect.map(endpointOf(null, id), ({ mode, partnerId }): Tenant => ({ partnerId, mode }))

/** An endpoint of the tenant, also if it is disabled. */
export const getEndpoint = Effect.fn("Events.getEndpoint")(function* (tenant: Tenant, id: string) {
  return Webhook.withoutSecrets(yield* endpointOf(tenant, id))
})

/** The endpoints of a tenant, of a partner or of all, without their secrets: also the disabled ones, or only the enabled. */
export const listEndpoints = Effect.fn("Events.listEndpoints")(function* (
  { mode, partnerId }: Partial<Tenant>,
  only?: "enabled",
) {
  const outbox = yield* Outbox
  const modes = mode === undefined ? Mode.Mode.literals : [mode]
  const tenants =
    partnerId === undefined ? [null] : modes.map((each) => ({ partnerId, mode: each }))
  const found = yield* Effect.forEach(tenants, (tenant) => outbox.endpoints(tenant, only))
  return found
    .flat()
    .filter((each) => modes.includes(each.mode))
    .map(Webhook.withoutSecrets)
})

/** Changes only the named members of an endpoint, if the service may call its address. */
export const changeEndpoint = Effect.fn("Events.changeEndpoint")(function* (
  tenant: Tenant,
  id: string,
  wanted: Webhook.Wanted,
) {
  const { allowPrivateWebhooks: allowPrivate } = yield* Settings
  const endpointId = yield* Effect.fromResult(readId(id))
  const outbox = yield* Outbox
  const changed = yield* recordChange(
    (decide) => outbox.modifyEndpoint(tenant, endpointId, decide),
    (current: Webhook.Endpoint) =>
      Result.flatMap(called(current), (each) =>
        Webhook.changeEndpoint(each, wanted, { allowPrivate }),
      ),
    (before, after) => {
      const changes = differences(before, after)
      return changes.length === 0 ? null : deedOf("webhook.changed", tenant, after.id, changes)
    },
  )
  return Webhook.withoutSecrets(changed)
})

/** Announces an event that goes only to this endpoint, signed and retried like any other. */
export const testEndpoint = Effect.fn("Events.testEndpoint")(function* (
  { mode, partnerId }: Tenant,
  id: string,
) {
  const tenant = { partnerId, mode }
  const { id: endpointId } = yield* Effect.fromResult(called(yield* endpointOf(tenant, id)))
  const event: Event.TestEvent = {
    id: yield* (yield* Identifiers).event,
    type: Event.webhookTest,
    stateVersion: 0,
    createdAt: yield* Clock.currentTimeMillis,
    endpointId,
    ...tenant,
  }
  yield* recordDeed((yield* Outbox).announce(event), () =>
    deedOf("webhook.tested", tenant, endpointId, [AuditLog.became("eventId", event.id)]),
  )
  return { eventId: event.id, deliveryId: Webhook.deliveryId(endpointId, event.id) }
})

/** Disables an endpoint for good. Doing so again returns the same result. */
export const disableEndpoint = Effect.fn("Events.disableEndpoint")(function* (
  tenant: Tenant,
  id: string,
) {
  const endpointId = yield* Effect.fromResult(readId(id))
  const now = yield* Clock.currentTimeMillis
  const outbox = yield* Outbox
  const disabled = yield* recordChange(
    (decide) => outbox.modifyEndpoint(tenant, endpointId, decide),
    (current: Webhook.Endpoint) => Result.succeed(Webhook.disable(current, now)),
    (before) =>
      before?.disabledAt === null
        ? deedOf("webhook.disabled", tenant, endpointId, [
            AuditLog.became("isDisabled", true, false),
          ])
        : null,
  )
  return Webhook.withoutSecrets(disabled)
})

/** Gives an endpoint a new secret. For a day, calls are also signed with the previous secret. */
export const rotateSecret = Effect.fn("Events.rotateSecret")(function* (
  tenant: Tenant,
  id: string,
  repeatable?: Repeatable,
) {
  const endpointId = yield* Effect.fromResult(readId(id))
  const endpoint = `POST /v1/webhooks/${endpointId}/rotate`
  const once = yield* Effect.fromResult(onceOf(repeatable, { tenant, endpoint, body: {} }))
  const sealed = yield* newSecret(endpointId)
  const now = yield* Clock.currentTimeMillis
  return yield* unveiling(
    once,
    (yield* Outbox).modifyEndpoint(tenant, endpointId, (current) =>
      Result.map(called(current), (each) => Webhook.rotateSecret(each, sealed, now)),
    ),
    () => deedOf("webhook.secret_rotated", tenant, endpointId, [{ field: "secret" }]),
  )
})

/** Seals the secrets of an endpoint again, and retries if a secret was replaced in the meantime. */
const sealAgain = Effect.fnUntraced(function* (tenant: Tenant, id: Webhook.EndpointId) {
  const outbox = yield* Outbox
  for (;;) {
    const endpoint = yield* endpointOf(tenant, id)
    const secrets = yield* WebhookSecrets.reseal(endpoint)
    const written = yield* recordDeed(
      outbox.modifyEndpoint(tenant, id, (current) =>
        Result.succeed(
          current.secrets.current === endpoint.secrets.current ? { ...current, secrets } : current,
        ),
      ),
      (after) =>
        after.secrets.current === secrets.current
          ? deedOf("webhook.secret_sealed", tenant, id, [{ field: "secret" }])
          : null,
    )
    if (written.secrets.current === secrets.current) return
  }
})

/**
 * Seals the secrets of all endpoints with the vault's current key. Returns the endpoints that were sealed again, and
 * those whose secret the vault cannot open.
 */
export const sealSecrets = Effect.fn("Events.sealSecrets")(function* () {
  const endpoints = yield* (yield* Outbox).endpoints(null)
  const results = yield* Effect.forEach(endpoints, (endpoint) =>
    sealAgain(endpoint, endpoint.id).pipe(
      Effect.as(true),
      Effect.catchTag(["VaultRefused", "Malformed"], () => Effect.succeed(false)),
      Effect.map((isSealed) => ({ id: endpoint.id, isSealed })),
    ),
  )
  const idsOf = (wanted: boolean) =>
    results.filter(({ isSealed }) => isSealed === wanted).map(({ id }) => id)
  return { sealed: idsOf(true), refused: idsOf(false) }
})

/** A page of the deliveries to an endpoint, each with its event, newest first. */
export const deliveries = Effect.fn("Events.deliveries")(function* (
  tenant: Tenant,
  id: string,
  limit: PageLimit.Raw,
  cursor?: string,
) {
  const { sealKey } = yield* Settings
  const size = yield* Effect.fromResult(PageLimit.parse(limit))
  const endpointId = yield* Effect.fromResult(readId(id))
  const scope = JSON.stringify(["deliveries", tenant.partnerId, tenant.mode, endpointId])
  const after = yield* Effect.fromResult(Cursor.read(sealKey, scope, cursor, readDelivery))
  yield* endpointOf(tenant, id)
  const listed = yield* (yield* Outbox).deliveries(endpointId, size + 1, after?.[0] ?? null)
  const page = Page.cut(listed, size)
  return {
    items: page.items,
    nextCursor: Page.nextCursor(page, ({ delivery }) =>
      Cursor.encode(sealKey, scope, [delivery.id]),
    ),
  }
})

/** Makes deliveries to an endpoint due again, whatever their state, one per millisecond. */
const replaying = Effect.fnUntraced(function* (
  tenant: Tenant,
  { id: endpointId }: Webhook.Endpoint,
  ids: ReadonlyArray<Webhook.DeliveryId>,
  isMeant: (delivery: Webhook.Delivery) => boolean,
  changesOf: (replayed: ReadonlyArray<Webhook.Delivery>) => ReadonlyArray<AuditLog.Change>,
) {
  const now = yield* Clock.currentTimeMillis
  const places = new Map(ids.map((id, place) => [id, place]))
  return yield* recordDeed(
    (yield* Outbox).replayDeliveries(ids, (current) =>
      current.endpointId === endpointId && isMeant(current)
        ? Webhook.replay(current, now + (places.get(current.id) ?? 0))
        : null,
    ),
    (replayed) =>
      replayed.length === 0
        ? null
        : deedOf("webhook.replayed", tenant, endpointId, changesOf(replayed)),
  )
})

/** Makes one delivery to an endpoint due again, whatever its state. */
export const redeliver = Effect.fn("Events.redeliver")(function* (
  tenant: Tenant,
  id: string,
  deliveryId: string,
) {
  const endpoint = yield* Effect.fromResult(called(yield* endpointOf(tenant, id)))
  const ids = [yield* Effect.fromResult(readDeliveryId(deliveryId))]
  const [delivery] = yield* replaying(
    tenant,
    endpoint,
    ids,
    () => true,
    (replayed) => replayed.map(({ eventId }) => AuditLog.became("eventId", eventId)),
  )
  return delivery ?? (yield* NotFound.of("delivery"))
})

/**
 * Sends the events of a period to an endpoint again, in their order: those that were sent to it or are being sent, of
 * one state or of any. Returns how many.
 */
export const replayRange = Effect.fn("Events.replayRange")(function* (
  tenant: Tenant,
  id: string,
  {
    state,
    ...asked
  }: {
    readonly from: string
    readonly to?: string | undefined
    readonly state?: Webhook.Delivery["state"] | undefined
  },
) {
  const range = yield* Effect.fromResult(Webhook.readRange(asked, yield* Clock.currentTimeMillis))
  const endpoint = yield* Effect.fromResult(called(yield* endpointOf(tenant, id)))
  const max = Limits.webhookReplayMax
  const eventIds = yield* (yield* Outbox).eventIds(tenant, range, max + 1)
  if (eventIds.length > max) {
    return yield* Invalid.of(
      "to",
      `more than ${max} events happened in this period: choose a shorter one`,
    )
  }
  const replayed = yield* replaying(
    tenant,
    endpoint,
    eventIds.map((eventId) => Webhook.deliveryId(endpoint.id, eventId)),
    (delivery) => state === undefined || delivery.state === state,
    ({ length }) => [
      AuditLog.became("from", range.from),
      AuditLog.became("to", range.before),
      AuditLog.became("deliveries", length),
    ],
  )
  return replayed.length
})
