/**
 * What happened, told to partners: a feed to read, and webhooks that are called.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AuditLog from "../domain/AuditLog.ts"
import * as Mode from "../domain/Mode.ts"
import * as PageLimit from "../domain/PageLimit.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as SequenceCursor from "../domain/SequenceCursor.ts"
import * as Webhook from "../domain/Webhook.ts"
import { AccountStore, type Tenant } from "../ports/AccountStore.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { Outbox } from "../ports/Outbox.ts"
import { Settings } from "../ports/Settings.ts"
import { NotFound } from "../ports/StorageError.ts"
import { recorded, watching } from "./AuditLog.ts"
import * as Payments from "./Payments.ts"
import * as WebhookSecrets from "./WebhookSecrets.ts"

/** A disabled endpoint is not called, not on request either, and needs no new secret. */
export class EndpointDisabled extends Schema.TaggedError<EndpointDisabled>()("EndpointDisabled", {
  message: Schema.String,
}) {}

const secretByteCount = 32

/**
 * A page of the tenant's events, in order. The cursor is always there: it goes on where this page ends, also when more
 * happens later.
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
  const page = entries.slice(0, size)
  return {
    items: page.map((each) => each.event),
    hasMore: entries.length > size,
    nextCursor: SequenceCursor.encode(sealKey, scope, page.at(-1)?.sequence ?? after),
  }
})

/** Everything that was announced of a payment, in order. */
export const ofPayment = Effect.fn("Events.ofPayment")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  id: PaymentId.PaymentId,
) {
  const payment = yield* Payments.get(tenant, merchantId, id)
  return yield* (yield* Outbox).eventsOf(payment.id)
})

/** A path or a query may hold a secret, so the audit log keeps the origin only. */
const originOf = (url: string): string | null => /^https?:\/\/[^/?#]+/u.exec(url)?.[0] ?? null

const deedOf = (
  action: AuditLog.Action,
  tenant: Tenant,
  subject: Webhook.EndpointId,
  changes: ReadonlyArray<AuditLog.Change>,
): AuditLog.Deed => ({ ...tenant, action, subject, changes })

/** An endpoint of the tenant. */
const endpointOf = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const endpoints = yield* (yield* Outbox).endpoints(tenant)
  const endpoint = endpoints.find((each) => each.id === id)
  return endpoint === undefined ? yield* NotFound.of("webhook") : endpoint
})

/** The same endpoint, where it is called. */
const called = (endpoint: Webhook.Endpoint): Result.Result<Webhook.Endpoint, EndpointDisabled> =>
  endpoint.disabledAt === null
    ? Result.succeed(endpoint)
    : Result.fail(new EndpointDisabled({ message: "the endpoint is disabled: create a new one" }))

const newSecret = Effect.gen(function* () {
  const random = yield* (yield* Identifiers).randomBytes(secretByteCount)
  return yield* Effect.fromResult(Webhook.makeSecret(random))
})

/** An endpoint whose secret was just made: the only time that it is shown. */
export interface Unveiled {
  readonly endpoint: Webhook.Listed
  readonly secret: Webhook.Secret
}

const unveil = (endpoint: Webhook.Endpoint, secret: Webhook.Secret): Unveiled => ({
  endpoint: Webhook.withoutSecrets(endpoint),
  secret,
})

export interface NewEndpoint {
  readonly url: string
  /** Without it: all. */
  readonly types?: ReadonlyArray<string> | undefined
  /** The API version that events are shown in. Without it: the one that the partner is pinned to. */
  readonly version?: string | undefined
}

/** Events from now on are sent to this address, too, if the policy lets it be called. */
export const addEndpoint = Effect.fn("Events.addEndpoint")(function* (
  tenant: Tenant,
  { types, url, version }: NewEndpoint,
  policy: Webhook.UrlPolicy,
) {
  const outbox = yield* Outbox
  const id = yield* (yield* Identifiers).endpoint
  const secret = yield* newSecret
  const { mode, partnerId } = tenant
  const endpoint = yield* Effect.fromResult(
    Webhook.createEndpoint(
      {
        id,
        partnerId,
        mode,
        url,
        secret: yield* WebhookSecrets.seal(id, secret),
        ...(types !== undefined && { types }),
        ...(version !== undefined && { version }),
      },
      policy,
      yield* Clock.currentTimeMillis,
    ),
  )
  yield* Effect.fromResult(Webhook.mayAdd(yield* outbox.endpoints(tenant)))
  yield* recorded(outbox.putEndpoint(endpoint), () =>
    deedOf("webhook.created", tenant, endpoint.id, [AuditLog.became("url", originOf(url))]),
  )
  return unveil(endpoint, secret)
})

/** The same by the service's own policy. */
export const createEndpoint = Effect.fn("Events.createEndpoint")(function* (
  tenant: Tenant,
  request: NewEndpoint,
) {
  const { allowPrivateWebhooks: allowPrivate } = yield* Settings
  return yield* addEndpoint(tenant, request, { allowPrivate })
})

/** The tenant's endpoints, disabled ones too, without their secrets. */
export const listEndpoints = Effect.fn("Events.listEndpoints")(function* (tenant: Tenant) {
  const endpoints = yield* (yield* Outbox).endpoints(tenant)
  return endpoints.map(Webhook.withoutSecrets)
})

/** Stops calling an endpoint, for good. Doing so again answers the same. */
export const disableEndpoint = Effect.fn("Events.disableEndpoint")(function* (
  tenant: Tenant,
  id: string,
) {
  const endpoint = yield* endpointOf(tenant, id)
  const now = yield* Clock.currentTimeMillis
  const watched = watching((current: Webhook.Endpoint) =>
    Result.succeed(Webhook.disable(current, now)),
  )
  const disabled = yield* recorded(
    (yield* Outbox).modifyEndpoint(tenant, endpoint.id, watched.decide),
    () =>
      watched.before()?.disabledAt === null
        ? deedOf("webhook.disabled", tenant, endpoint.id, [
            AuditLog.became("isDisabled", true, false),
          ])
        : null,
  )
  return Webhook.withoutSecrets(disabled)
})

/** Gives an endpoint a new secret; the one before still signs beside it for a day. */
export const rotateSecret = Effect.fn("Events.rotateSecret")(function* (
  tenant: Tenant,
  id: string,
) {
  const endpoint = yield* endpointOf(tenant, id)
  const secret = yield* newSecret
  const sealed = yield* WebhookSecrets.seal(endpoint.id, secret)
  const now = yield* Clock.currentTimeMillis
  const rotated = yield* recorded(
    (yield* Outbox).modifyEndpoint(tenant, endpoint.id, (current) =>
      Result.map(called(current), (each) => Webhook.rotateSecret(each, sealed, now)),
    ),
    () => deedOf("webhook.secret_rotated", tenant, endpoint.id, [{ field: "secret" }]),
  )
  return unveil(rotated, secret)
})

/** Seals the secrets of an endpoint again; repeats it if the secret was replaced meanwhile. */
const sealAgain = Effect.fnUntraced(function* (tenant: Tenant, id: Webhook.EndpointId) {
  const outbox = yield* Outbox
  for (;;) {
    const endpoint = yield* endpointOf(tenant, id)
    const secrets = yield* WebhookSecrets.reseal(endpoint)
    const written = yield* recorded(
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
 * Seals the secrets of all endpoints with the key that the vault seals with now: those that an earlier release stored
 * readable, and those that an older key sealed. Returns which endpoints that were, and which have a secret that the vault
 * cannot open.
 */
export const sealSecrets = Effect.fn("Events.sealSecrets")(function* () {
  const outbox = yield* Outbox
  const partners = yield* (yield* AccountStore).partners
  const tenants = partners.flatMap(({ id: partnerId }) =>
    Mode.Mode.literals.map((mode): Tenant => ({ partnerId, mode })),
  )
  const endpoints = (yield* Effect.forEach(tenants, outbox.endpoints)).flat()
  const [sealed, refused] = yield* Effect.partition(endpoints, (endpoint) =>
    sealAgain(endpoint, endpoint.id).pipe(
      Effect.as(endpoint.id),
      Effect.catchTag(["VaultRefused", "InvalidSecret"], () => Effect.fail(endpoint.id)),
    ),
  )
  return { sealed, refused }
})

/** What became of the latest deliveries to an endpoint, newest first. */
export const deliveries = Effect.fn("Events.deliveries")(function* (
  tenant: Tenant,
  id: string,
  limit: PageLimit.Raw,
) {
  const size = yield* Effect.fromResult(PageLimit.parse(limit))
  const endpoint = yield* endpointOf(tenant, id)
  return yield* (yield* Outbox).deliveries(endpoint.id, size)
})

/** Sends an event to an endpoint again, whatever became of it. Nothing is found that was never meant for it. */
export const replay = Effect.fn("Events.replay")(function* (
  tenant: Tenant,
  id: string,
  eventId: string,
) {
  const endpoint = yield* Effect.fromResult(called(yield* endpointOf(tenant, id)))
  // The delivery's id follows from both, so another tenant's delivery cannot be named.
  const deliveryId = Webhook.deliveryId(endpoint.id, eventId)
  const now = yield* Clock.currentTimeMillis
  yield* recorded((yield* Outbox).replayDelivery(deliveryId, now), () =>
    deedOf("webhook.replayed", tenant, endpoint.id, [AuditLog.became("eventId", eventId)]),
  )
})
