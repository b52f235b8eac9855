import { assert, describe, it } from "@effect/vitest"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Events from "@florin/core/engine/notify/Events"
import * as WebhookSecrets from "@florin/core/engine/notify/WebhookSecrets"
import type { Tenant } from "@florin/core/ports/AccountStore"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Outbox } from "@florin/core/ports/Outbox"
import { Vault } from "@florin/core/ports/Vault"
import * as Stores from "@florin/testing/Stores"
import { Effect, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { alone, begin, failsWith, now } = Scene

const url = "https://hooks.example.com/florin"

/** The secrets that an endpoint stores, opened. */
const opened = ({ id, secrets: { current, previous } }: Webhook.Endpoint) =>
  Effect.all({
    current: WebhookSecrets.open(id, current),
    previous: previous === null ? Effect.succeed(null) : WebhookSecrets.open(id, previous.secret),
  })

const decodeSecrets = Schema.decodeUnknownSync(Webhook.Endpoint.fields.secrets)

/** An endpoint with a secret that the vault can open. */
const withSecret = Effect.fnUntraced(function* (endpoint: Webhook.Endpoint) {
  const random = yield* (yield* Identifiers).randomBytes(32)
  const secret = Result.getOrThrow(Webhook.makeSecret(random))
  const current = yield* WebhookSecrets.seal(endpoint.id, secret)
  return { ...endpoint, secrets: { current, previous: null } }
})

/** The only endpoint of a tenant. */
const onlyOf = Effect.fnUntraced(function* (tenant: Tenant) {
  return Scene.first(yield* (yield* Outbox).endpoints(tenant))
})

/** The latest deliveries to an endpoint, as they are stored. */
const deliveredTo = (outbox: Outbox["Service"], id: Webhook.EndpointId, limit: number) =>
  Effect.map(outbox.deliveries(id, limit), (all) => all.map(({ delivery }) => delivery))

/** The same, as they are listed. */
const listed = (...asked: Parameters<typeof Events.deliveries>) =>
  Effect.map(Events.deliveries(...asked), ({ items }) => items.map(({ delivery }) => delivery))

describe("Events.rotateSecret", () => {
  it.effect(
    "creates a new secret, and keeps the previous one valid for a day",
    alone(
      Effect.gen(function* () {
        const { tenant } = yield* begin
        const first = yield* Events.createEndpoint(tenant, { url })
        const second = yield* Events.rotateSecret(tenant, first.endpoint.id)
        assert.deepStrictEqual(second.endpoint, first.endpoint)
        assert.notStrictEqual(second.secret, first.secret)
        const kept = yield* onlyOf(tenant)
        assert.strictEqual(kept.secrets.previous?.endsAt, now + Webhook.secretGraceInMs)
        assert.deepStrictEqual(yield* opened(kept), {
          current: second.secret,
          previous: first.secret,
        })
        assert.notInclude(JSON.stringify(yield* Events.listEndpoints(tenant)), "whsec_")
      }),
    ),
  )

  it.effect(
    "creates no secret for an endpoint that is disabled",
    alone(
      Effect.gen(function* () {
        const { outbox, tenant } = yield* begin
        const { endpoint } = yield* Events.createEndpoint(tenant, { url })
        yield* Events.disableEndpoint(tenant, endpoint.id)
        const before = yield* outbox.endpoints(tenant)
        yield* failsWith("Conflict", Events.rotateSecret(tenant, endpoint.id))
        assert.deepStrictEqual(yield* outbox.endpoints(tenant), before)
      }),
    ),
  )
})

describe("stored webhook secrets", () => {
  it.effect(
    "S30: can be opened for their own endpoint only",
    alone(
      Effect.gen(function* () {
        const { outbox, tenant } = yield* begin
        const one = yield* Events.createEndpoint(tenant, { url })
        const other = yield* Events.createEndpoint(tenant, { url })
        const stored = yield* outbox.endpoints(tenant)
        const taken = stored.find(({ id }) => id === one.endpoint.id) ?? assert.fail("it is gone")
        const { current } = taken.secrets
        yield* failsWith("VaultRefused", WebhookSecrets.open(other.endpoint.id, current))
      }),
    ),
  )

  it.effect(
    "S30: are sealed again for every partner, and stay the same",
    alone(
      Effect.gen(function* () {
        const { accounts, outbox, partner, tenant, world } = yield* begin
        yield* Stores.putPartner(accounts, partner)
        const old = yield* withSecret(world.endpoint())
        const first = yield* withSecret(world.endpoint({ ...world.live }))
        const { current } = (yield* withSecret(first)).secrets
        const rotated = Webhook.rotateSecret(first, current, now)
        yield* outbox.putEndpoint(old)
        yield* outbox.putEndpoint(rotated)
        const { refused, sealed } = yield* Events.sealSecrets()
        assert.sameMembers([...sealed], [old.id, rotated.id])
        assert.deepStrictEqual(refused, [])
        for (const [before, of] of [
          [old, tenant],
          [rotated, world.live],
        ] as const) {
          const after = yield* onlyOf(of)
          assert.notStrictEqual(after.secrets.current, before.secrets.current)
          assert.deepStrictEqual(yield* opened(after), yield* opened(before))
          assert.deepStrictEqual(Webhook.withoutSecrets(after), Webhook.withoutSecrets(before))
          assert.strictEqual(after.secrets.previous?.endsAt, before.secrets.previous?.endsAt)
        }
      }),
    ),
  )

  it.effect(
    "S30: are refused if the sealed text is not a secret",
    alone(
      Effect.gen(function* () {
        const { tenant } = yield* begin
        const { endpoint } = yield* Events.createEndpoint(tenant, { url })
        const vault = yield* Vault
        const bytes = new TextEncoder().encode("whsec_short")
        const sealed = Webhook.sealedOf(yield* vault.seal(`${endpoint.id}/secret`, bytes))
        yield* failsWith("Malformed", WebhookSecrets.open(endpoint.id, sealed))
      }),
    ),
  )

  it.effect(
    "S30: are left unchanged and reported if the vault cannot open them, or they are damaged",
    alone(
      Effect.gen(function* () {
        const { accounts, outbox, partner, world } = yield* begin
        yield* Stores.putPartner(accounts, partner)
        const lost = world.endpoint({
          secrets: { current: Webhook.sealedOf(new Uint8Array(32)), previous: null },
        })
        const damaged = world.endpoint({
          secrets: decodeSecrets({ current: "sealed_A", previous: null }),
        })
        const good = yield* withSecret(world.endpoint())
        for (const each of [lost, damaged, good]) yield* outbox.putEndpoint(each)
        const { refused, sealed } = yield* Events.sealSecrets()
        assert.sameMembers([...refused], [lost.id, damaged.id])
        assert.deepStrictEqual(sealed, [good.id])
        const after = yield* outbox.endpoints(world.tenant)
        for (const each of [lost, damaged]) assert.deepInclude(after, each)
      }),
    ),
  )
})

describe("concurrent changes of an endpoint", () => {
  /** What becomes of a change when another is made right before it is written. */
  const between = Effect.fnUntraced(function* <A, E, R, E2, R2>(
    change: Effect.Effect<A, E, R>,
    other: Effect.Effect<unknown, E2, R2>,
  ) {
    const outbox = yield* Outbox
    const context = yield* Effect.context<R2>()
    let writes = 0
    const interleaved = Outbox.of({
      ...outbox,
      modifyEndpoint: (...asked) =>
        Effect.andThen(
          Effect.suspend(() =>
            (writes += 1) === 1 ? Effect.orDie(Effect.provideContext(other, context)) : Effect.void,
          ),
          outbox.modifyEndpoint(...asked),
        ),
    })
    const outcome = yield* Effect.result(Effect.provideService(change, Outbox, interleaved))
    assert.isAtLeast(writes, 1)
    return outcome
  })

  it.effect(
    "create no new secret for an endpoint that was disabled meanwhile",
    alone(
      Effect.gen(function* () {
        const { tenant } = yield* begin
        const { endpoint, secret } = yield* Events.createEndpoint(tenant, { url })
        const { id } = endpoint
        const outcome = yield* between(
          Events.rotateSecret(tenant, id),
          Events.disableEndpoint(tenant, id),
        )
        const kept = yield* onlyOf(tenant)
        assert.strictEqual(kept.disabledAt, now)
        assert.deepStrictEqual(yield* opened(kept), { current: secret, previous: null })
        assert.isTrue(Result.isFailure(outcome) && outcome.failure._tag === "Conflict")
      }),
    ),
  )

  it.effect(
    "keep the secret that was rotated while the endpoint was being disabled",
    alone(
      Effect.gen(function* () {
        const { tenant } = yield* begin
        const { endpoint, secret } = yield* Events.createEndpoint(tenant, { url })
        const { id } = endpoint
        const outcome = yield* between(
          Events.disableEndpoint(tenant, id),
          Events.rotateSecret(tenant, id),
        )
        assert.deepStrictEqual(outcome, Result.succeed({ ...endpoint, disabledAt: now }))
        const kept = yield* onlyOf(tenant)
        assert.strictEqual(kept.disabledAt, now)
        assert.strictEqual((yield* opened(kept)).previous, secret)
      }),
    ),
  )

  it.effect(
    "keep both of two rotations: the second secret replaces the first",
    alone(
      Effect.gen(function* () {
        const { tenant } = yield* begin
        const { endpoint, secret } = yield* Events.createEndpoint(tenant, { url })
        const { id } = endpoint
        const outcome = yield* between(
          Events.rotateSecret(tenant, id),
          Events.rotateSecret(tenant, id),
        )
        if (Result.isFailure(outcome)) return assert.fail("it was refused")
        const kept = yield* opened(yield* onlyOf(tenant))
        assert.strictEqual(kept.current, outcome.success.secret)
        assert.notStrictEqual(kept.previous, secret)
      }),
    ),
  )

  it.effect(
    "S30: keep a secret that is rotated while all secrets are sealed again, sealed and in use",
    alone(
      Effect.gen(function* () {
        const { tenant } = yield* begin
        const { endpoint, secret } = yield* Events.createEndpoint(tenant, { url })
        const { id } = endpoint
        const outcome = yield* between(Events.sealSecrets(), Events.rotateSecret(tenant, id))
        assert.deepStrictEqual(outcome, Result.succeed({ sealed: [id], refused: [] }))
        const kept = yield* opened(yield* onlyOf(tenant))
        assert.strictEqual(kept.previous, secret)
        assert.notStrictEqual(kept.current, secret)
      }),
    ),
  )
})

describe("Events.redeliver", () => {
  it.effect(
    "makes one delivery due again, and no other",
    alone(
      Effect.gen(function* () {
        const { createMany, fanOut, outbox, tenant } = yield* begin
        const { endpoint } = yield* Events.createEndpoint(tenant, { url })
        yield* createMany(3)
        yield* fanOut
        const claimed = yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 1000, now })
        assert.strictEqual(claimed.length, 3)
        for (const { delivery, fence } of claimed) {
          const received = { at: now, status: 204, error: null }
          yield* outbox.finishDelivery(Webhook.recordAttempt(delivery, received), fence)
        }
        yield* TestClock.adjust(5000)
        const shown = yield* listed(tenant, endpoint.id, 3)
        const chosen = Scene.first(shown.slice(1))
        yield* Events.redeliver(tenant, endpoint.id, chosen.id)
        const due = yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 1000, now: now + 5000 })
        assert.deepStrictEqual(
          due.map((each) => each.delivery),
          [{ ...chosen, dueAt: now + 5000, state: "pending" }],
        )
      }),
    ),
  )

  it.effect(
    "finds only events that were delivered to the endpoint",
    alone(
      Effect.gen(function* () {
        const { fanOut, pay, outbox, tenant, world } = yield* begin
        const early = yield* pay()
        yield* fanOut
        const own = yield* Events.createEndpoint(tenant, { url })
        const foreign = yield* Events.createEndpoint(world.other, { url })
        yield* pay()
        yield* fanOut
        const before = Scene.first(yield* outbox.eventsOf(early.payment.id))
        const delivery = Scene.first(yield* listed(tenant, own.endpoint.id, 1))
        const { id } = own.endpoint
        const never = Webhook.deliveryId(id, before.id)
        for (const deliveryId of [never, "dlv_nobody", "", delivery.eventId]) {
          yield* failsWith("NotFound", Events.redeliver(tenant, id, deliveryId))
        }
        yield* failsWith(
          "NotFound",
          Events.redeliver(world.other, foreign.endpoint.id, delivery.id),
        )
        assert.deepStrictEqual(yield* listed(tenant, own.endpoint.id, 1), [delivery])
      }),
    ),
  )

  it.effect(
    "does nothing for a disabled endpoint",
    alone(
      Effect.gen(function* () {
        const { fanOut, pay, outbox, tenant } = yield* begin
        const { endpoint } = yield* Events.createEndpoint(tenant, { url })
        yield* pay()
        yield* fanOut
        const before = yield* deliveredTo(outbox, endpoint.id, 10)
        yield* Events.disableEndpoint(tenant, endpoint.id)
        yield* failsWith("Conflict", Events.redeliver(tenant, endpoint.id, before[0]?.id ?? ""))
        assert.deepStrictEqual(yield* deliveredTo(outbox, endpoint.id, 10), before)
      }),
    ),
  )
})
