import { assert, describe, it } from "@effect/vitest"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as Event from "@florin/core/domain/payment/Event"
import * as Events from "@florin/core/engine/notify/Events"
import * as WebhookSecrets from "@florin/core/engine/notify/WebhookSecrets"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import { Outbox } from "@florin/core/ports/Outbox"
import { type Call, CallFailed, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as WebhookSender from "@florin/core/workers/WebhookSender"
import * as Worker from "@florin/core/workers/Worker"
import * as SignedCall from "@florin/testing/SignedCall"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Clock, Effect, Exit, Layer, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { now, play, tokens } = Scene

/** What a call holds is the host's to write: these tests look at type and version alone. */
const render: WebhookSender.Render = ({ type }, version) => JSON.stringify({ type, version })
const drain = WebhookSender.drain(render)

type Answer = number | "fails" | "breaks" | "dies"

/** A receiver that answers as told, and keeps what it was sent. */
const receiver = (answer: (call: Call) => Answer = () => 200) => {
  const calls: Array<Call & { readonly at: number }> = []
  const transport = WebhookTransport.of({
    post: (call) =>
      Effect.gen(function* () {
        calls.push({ ...call, at: yield* Clock.currentTimeMillis })
        const answered = answer(call)
        if (answered === "fails")
          return yield* new CallFailed({ message: "the endpoint did not respond" })
        if (answered === "breaks") return yield* Effect.die("a mistake")
        if (answered === "dies") return yield* Effect.interrupt
        return answered
      }),
  })
  return { calls, provide: Effect.provideService(WebhookTransport, transport) }
}

const begin = Effect.fnUntraced(function* (
  world: Scene.World,
  overrides: Partial<Webhook.Endpoint> = {},
) {
  const { id, secrets, ...others } = world.fixtures.endpoint()
  const current = yield* WebhookSecrets.seal(id, secretOf({ id }))
  const endpoint = { ...others, id, secrets: { ...secrets, current }, ...overrides }
  yield* world.outbox.putEndpoint(endpoint)
  return endpoint
})

/** The secret with which {@link begin} makes an endpoint. */
const secretOf = ({ id }: Pick<Webhook.Endpoint, "id">) =>
  Result.getOrThrow(Webhook.makeSecret(sha256(utf8ToBytes(id))))

const typeOf = ({ body }: Call): Event.EventType => JSON.parse(body).type
const deliveriesOf = (world: Scene.World, endpoint: Webhook.Endpoint) =>
  Effect.map(world.outbox.deliveries(endpoint.id, 100), (all) =>
    all.map(({ delivery }) => delivery),
  )
const replay = (world: Scene.World, { id }: Webhook.Delivery, at: number) =>
  world.outbox.replayDeliveries([id], (current) => Webhook.replay(current, at))

describe("WebhookSender", () => {
  it.effect(
    "A7: delivers every event of a payment once, with a signature that the receiver can check",
    play((world) =>
      Effect.gen(function* () {
        const endpoint = yield* begin(world)
        const { calls, provide } = receiver()
        const { id } = yield* world.pay(tokens.eip3009)
        yield* world.finish
        yield* provide(drain)
        const events = yield* world.outbox.eventsOf(id)
        assert.deepStrictEqual(
          calls.map(({ headers }) => headers["webhook-id"]).toSorted(),
          events.map((event) => event.id).toSorted(),
        )
        assert.deepStrictEqual(
          new Set(calls.map(typeOf)),
          new Set([
            "payment.created",
            "payment.processing",
            "payment.succeeded",
            "payment.settled",
          ] as const),
        )
        for (const call of calls) {
          assert.strictEqual(call.url, endpoint.url)
          const current = secretOf(endpoint)
          assert.isTrue(SignedCall.isValid(current, call, call.at))
          const altered = { ...call, body: `${call.body} ` }
          assert.isFalse(SignedCall.isValid(current, altered, call.at))
        }
        yield* TestClock.adjust("30 days")
        yield* provide(drain)
        assert.strictEqual(calls.length, events.length)
        for (const delivery of yield* deliveriesOf(world, endpoint)) {
          assert.strictEqual(delivery.state, "delivered")
          assert.deepStrictEqual(
            delivery.attempts.map(({ error, status }) => [status, error]),
            [[200, null]],
          )
        }
      }),
    ),
  )

  it.effect(
    "S30: signs with secrets that the vault sealed, and opens nothing else",
    play((world) =>
      Effect.gen(function* () {
        const { tenant } = world
        const { endpoint, secret } = yield* Events.createEndpoint(tenant, {
          url: "https://hooks.example.com/florin",
        })
        const { secret: next } = yield* Events.rotateSecret(tenant, endpoint.id)
        const { calls, provide } = receiver()
        yield* world.create()
        yield* provide(drain)
        const [call = assert.fail("there was no call")] = calls
        for (const each of [secret, next]) {
          assert.isTrue(SignedCall.isValid(each, call, call.at))
        }
      }),
    ),
  )

  it.effect(
    "S30: fails one call with our own message if its secret cannot be opened, and continues with the others",
    play((world) =>
      Effect.gen(function* () {
        const lost = yield* begin(world, {
          secrets: { current: Webhook.sealedOf(new Uint8Array(32)), previous: null },
        })
        const good = yield* begin(world)
        const { calls, provide } = receiver()
        yield* world.create()
        yield* provide(drain)
        assert.deepStrictEqual(
          calls.map(({ url }) => url),
          [good.url],
        )
        const [delivery] = yield* deliveriesOf(world, lost)
        assert.deepInclude(delivery, { state: "pending" })
        assert.deepInclude(delivery?.attempts[0], {
          status: null,
          error: "the endpoint's secret cannot be opened, so the call cannot be signed: rotate it",
        })
        yield* Events.rotateSecret(lost, lost.id)
        yield* TestClock.adjust("5 seconds")
        yield* provide(drain)
        assert.strictEqual(calls.length, 2)
      }),
    ),
  )

  it.effect(
    "also signs with the previous secret while it is valid",
    play((world) =>
      Effect.gen(function* () {
        const first = yield* begin(world)
        const next = Result.getOrThrow(Webhook.makeSecret(new Uint8Array(32).fill(7)))
        const sealed = yield* WebhookSecrets.seal(first.id, next)
        yield* world.outbox.putEndpoint(Webhook.rotateSecret(first, sealed, now))
        const { calls, provide } = receiver()
        const verifies = (secret: Webhook.Secret) => {
          const last = calls.at(-1) ?? assert.fail("there was no call")
          return SignedCall.isValid(secret, last, last.at)
        }
        yield* world.create()
        yield* provide(drain)
        assert.isTrue(verifies(next) && verifies(secretOf(first)))
        yield* TestClock.adjust(Webhook.secretGraceInMs)
        yield* world.create({ expiresAt: now / 1000 + 90_000 })
        yield* provide(drain)
        assert.isTrue(verifies(next))
        assert.isFalse(verifies(secretOf(first)))
      }),
    ),
  )

  it.effect(
    "stops calling an endpoint that is disabled, even for earlier events",
    play((world) =>
      Effect.gen(function* () {
        const endpoint = yield* begin(world)
        const { calls, provide } = receiver(() => 500)
        yield* world.create()
        yield* provide(drain)
        yield* world.outbox.putEndpoint(Webhook.disable(endpoint, now))
        yield* TestClock.adjust("30 days")
        yield* provide(drain)
        assert.strictEqual(calls.length, 1)
        const [delivery] = yield* deliveriesOf(world, endpoint)
        assert.deepInclude(delivery, { state: "givenUp", dueAt: null })
        assert.strictEqual(delivery?.attempts.length, 1)
      }),
    ),
  )

  it.effect(
    "delivers only chosen event types, only to their partner, and only while the endpoint is enabled",
    play((world) =>
      Effect.gen(function* () {
        const chosen = yield* begin(world, { types: ["payment.cancelled"] })
        yield* begin(world, world.fixtures.other)
        yield* begin(world, world.fixtures.live)
        yield* begin(world, { disabledAt: now })
        const { calls, provide } = receiver()
        const { id } = yield* world.create()
        yield* Gateway.cancel(world.caller, id)
        yield* provide(drain)
        assert.deepStrictEqual(
          calls.map((call) => [call.url, typeOf(call)]),
          [[chosen.url, "payment.cancelled"]],
        )
      }),
    ),
  )

  it.effect(
    "shows an event in the endpoint's API version, or in the one that the partner is pinned to",
    play((world) =>
      Effect.gen(function* () {
        const pinned = yield* begin(world)
        const named = yield* begin(world, { version: "2026-02-19.preview" })
        const { calls, provide } = receiver()
        yield* world.create()
        yield* provide(drain)
        assert.sameDeepMembers(
          calls.map(({ body, url }) => [url, JSON.parse(body).version]),
          [
            [pinned.url, "2026-02-18"],
            [named.url, "2026-02-19.preview"],
          ],
        )
      }),
    ),
  )

  it.effect(
    "keeps a delivery's API version in every attempt and replay",
    play((world) =>
      Effect.gen(function* () {
        const endpoint = yield* begin(world)
        const answers: Array<Answer> = [500, 500]
        const { calls, provide } = receiver(() => answers.shift() ?? 200)
        yield* world.create()
        yield* provide(drain)
        yield* world.outbox.putEndpoint({ ...endpoint, version: "2026-02-19.preview" })
        yield* TestClock.adjust("1 day")
        yield* provide(drain)
        yield* TestClock.adjust("1 day")
        yield* provide(drain)
        const [delivery] = yield* deliveriesOf(world, endpoint)
        const at = yield* Clock.currentTimeMillis
        yield* replay(world, delivery ?? assert.fail("none was made"), at)
        yield* provide(drain)
        assert.deepStrictEqual(
          calls.map(({ body }) => JSON.parse(body).version),
          Array.from({ length: 4 }, () => "2026-02-18"),
        )
        yield* world.create({ expiresAt: Math.floor(at / 1000) + 60 })
        yield* provide(drain)
        assert.strictEqual(JSON.parse(calls.at(-1)?.body ?? "").version, "2026-02-19.preview")
      }),
    ),
  )

  const refusals: ReadonlyArray<readonly [Answer, number | null]> = [
    [500, 500],
    [404, 404],
    [302, 302],
    [199, 199],
    [300, 300],
    ["fails", null],
    ["breaks", null],
  ]
  for (const [answer, status] of refusals) {
    it.effect(
      `retries on schedule after the response ${answer}, and gives up after the last attempt`,
      play((world) =>
        Effect.gen(function* () {
          const endpoint = yield* begin(world)
          const { calls, provide } = receiver(() => answer)
          yield* world.create()
          let at = now
          for (const delay of Webhook.retryDelaysInMs) {
            at += delay
            const before = calls.length
            if (delay > 0) {
              yield* TestClock.setTime(at - 1)
              yield* provide(drain)
              assert.strictEqual(calls.length, before)
            }
            yield* TestClock.setTime(at)
            yield* provide(drain)
            assert.strictEqual(calls.length, before + 1)
          }
          const [delivery] = yield* deliveriesOf(world, endpoint)
          assert.deepInclude(delivery, { state: "givenUp", dueAt: null })
          assert.deepStrictEqual(
            delivery?.attempts.map((attempt) => attempt.status),
            Webhook.retryDelaysInMs.map(() => status),
          )
          yield* TestClock.adjust("365 days")
          yield* provide(drain)
          assert.strictEqual(calls.length, Webhook.retryDelaysInMs.length)
          // Each attempt is the same event, signed anew.
          assert.strictEqual(new Set(calls.map(({ body }) => body)).size, 1)
          for (const call of calls) {
            const isVerified = SignedCall.isValid(secretOf(endpoint), call, call.at)
            assert.isTrue(isVerified)
          }
          // On request it is sent once more.
          yield* replay(world, delivery ?? assert.fail(), yield* Clock.currentTimeMillis)
          yield* provide(drain)
          assert.strictEqual(calls.length, Webhook.retryDelaysInMs.length + 1)
        }),
      ),
    )
  }

  it.effect(
    "stops sending a delivery once the receiver accepts it",
    play((world) =>
      Effect.gen(function* () {
        const endpoint = yield* begin(world)
        const answers: Array<Answer> = [500, "fails", 204, 200]
        const { calls, provide } = receiver(() => answers.shift() ?? 200)
        yield* world.create()
        yield* provide(drain)
        yield* TestClock.adjust("1 day")
        yield* provide(drain)
        yield* TestClock.adjust("1 day")
        yield* provide(drain)
        assert.strictEqual(calls.length, 3)
        const [delivery] = yield* deliveriesOf(world, endpoint)
        assert.deepInclude(delivery, { state: "delivered", dueAt: null })
        assert.deepStrictEqual(
          delivery?.attempts.map(({ status }) => status),
          [500, null, 204],
        )
        assert.isFalse(delivery?.attempts.some(({ error }) => error?.includes("500")))
      }),
    ),
  )

  it.effect(
    "A7: delivers again if the process dies during a delivery: at least once, never lost",
    play((world) =>
      Effect.gen(function* () {
        const endpoint = yield* begin(world)
        const answers: Array<Answer> = ["dies"]
        const { calls, provide } = receiver(() => answers.shift() ?? 200)
        yield* world.create()
        yield* Effect.exit(provide(drain))
        assert.strictEqual(calls.length, 1)
        yield* TestClock.adjust(Worker.defaults.leaseInMs - 1)
        yield* provide(drain)
        assert.strictEqual(calls.length, 1)
        yield* TestClock.adjust(1)
        yield* provide(drain)
        assert.strictEqual(calls.length, 2)
        assert.strictEqual(calls[0]?.headers["webhook-id"], calls[1]?.headers["webhook-id"])
        assert.strictEqual((yield* deliveriesOf(world, endpoint))[0]?.state, "delivered")
      }),
    ),
  )

  it.effect(
    "delivers earlier events if a later one cannot be fanned out",
    play((world) =>
      Effect.gen(function* () {
        const endpoint = yield* begin(world)
        const answers: Array<Answer> = [500]
        const { calls, provide } = receiver(() => answers.shift() ?? 200)
        yield* world.create()
        yield* provide(drain)
        yield* TestClock.adjust("1 day")
        const broken = { ...world.outbox, fanOut: () => Effect.die("a row does not read") }
        yield* world.create({ expiresAt: now / 1000 + 90_000 })
        yield* provide(Effect.provideService(drain, Outbox, broken))
        assert.strictEqual(calls.length, 2)
        const states = (yield* deliveriesOf(world, endpoint)).map(({ state }) => state)
        assert.deepStrictEqual(states, ["delivered"])
        yield* provide(drain)
        assert.strictEqual(calls.length, 3)
      }),
    ),
  )

  it.effect(
    "delivers to other receivers if one breaks",
    play((world) =>
      Effect.gen(function* () {
        const broken = yield* begin(world)
        const well = yield* begin(world)
        const { calls, provide } = receiver(({ url }) => (url === broken.url ? "breaks" : 200))
        for (let count = 0; count < 5; count++) yield* world.create()
        yield* provide(drain)
        assert.strictEqual(calls.filter(({ url }) => url === well.url).length, 5)
        const states = (yield* deliveriesOf(world, well)).map(({ state }) => state)
        assert.deepStrictEqual(new Set(states), new Set(["delivered"]))
        const pending = yield* deliveriesOf(world, broken)
        assert.isTrue(pending.every(({ state }) => state === "pending"))
      }),
    ),
  )

  /** Senders over one storage, while the test runs. */
  const senders = (count: 1 | 2, post: (call: Call) => Effect.Effect<number, CallFailed>) =>
    Effect.forEach(Array.from({ length: count }), () =>
      Layer.build(WebhookSender.layer(render)),
    ).pipe(Effect.provideService(WebhookTransport, { post }))

  it.effect(
    "delivers once to slow receivers although two senders run",
    play((world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const endpoint = yield* begin(world)
          const told: Array<string> = []
          yield* senders(2, ({ headers }) => {
            told.push(headers["webhook-id"])
            return Effect.as(Effect.sleep("9 seconds"), 200)
          })
          const created = 3 * Worker.defaults.batch
          for (let count = 0; count < created; count++) yield* world.create()
          for (let second = 0; second < 300; second++) yield* TestClock.adjust("1 second")
          assert.strictEqual(told.length, created)
          assert.strictEqual(new Set(told).size, created)
          const deliveries = (yield* world.outbox.deliveries(endpoint.id, 1000)).map(
            (each) => each.delivery,
          )
          assert.strictEqual(
            deliveries.filter(({ state }) => state === "delivered").length,
            created,
          )
        }),
      ),
    ),
  )

  it.effect(
    "gives up a call that never ends, and records it before another sender retries it",
    play((world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const endpoint = yield* begin(world)
          let open = 0
          let most = 0
          yield* senders(2, () => {
            open += 1
            most = Math.max(most, open)
            return Effect.ensuring(
              Effect.never,
              Effect.sync(() => {
                open -= 1
              }),
            )
          })
          yield* world.create()
          for (let second = 0; second < 90; second++) yield* TestClock.adjust("1 second")
          assert.strictEqual(most, 1)
          const [delivery] = yield* deliveriesOf(world, endpoint)
          assert.deepStrictEqual(
            delivery?.attempts.map(({ status }) => status),
            [null, null],
          )
        }),
      ),
    ),
  )

  it.effect(
    "delivers other partners' events while receivers do not respond",
    play((world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const silent = yield* begin(world)
          for (let count = 3; count < Worker.defaults.concurrency; count++) yield* world.create()
          yield* senders(1, ({ url }) => (url === silent.url ? Effect.never : Effect.succeed(200)))
          yield* TestClock.adjust(Worker.defaults.idleInMs)
          const well = yield* begin(world)
          for (const _ of [1, 2]) {
            yield* world.create()
            yield* TestClock.adjust(Worker.defaults.idleInMs)
            const states = (yield* deliveriesOf(world, well)).map(({ state }) => state)
            assert.deepStrictEqual(new Set(states), new Set(["delivered"]))
          }
        }),
      ),
    ),
  )

  it.effect.each([
    { what: "never answers", answer: Effect.never },
    { what: "fails at once", answer: new CallFailed({ message: "the endpoint did not respond" }) },
  ])(
    "S10: delivers to others without delay, and at its own pace to an endpoint that $what",
    ({ answer }) =>
      play((world) =>
        Effect.scoped(
          Effect.gen(function* () {
            const failing = yield* begin(world)
            const tried: Array<number> = []
            let isMended = false
            for (let count = 0; count < 150; count++) yield* world.create()
            yield* senders(1, ({ url }) =>
              Effect.gen(function* () {
                if (url !== failing.url || isMended) return 200
                tried.push(yield* Clock.currentTimeMillis)
                return yield* answer
              }),
            )
            yield* TestClock.adjust(Worker.defaults.idleInMs)
            const well = yield* begin(world, { partnerId: world.fixtures.other.partnerId })
            const another = world.fixtures.createPayment
            for (let count = 0; count < 100; count++) {
              const change = another({ partnerId: world.fixtures.other.partnerId })
              yield* world.payments.createPayment(change, null, "{}", now)
            }
            for (let turn = 0; turn < 10; turn++) yield* TestClock.adjust(Worker.defaults.idleInMs)
            const states = (yield* deliveriesOf(world, well)).map(({ state }) => state)
            assert.lengthOf(states, 100)
            assert.deepStrictEqual(new Set(states), new Set(["delivered"]))
            for (let second = 0; second < 600; second++) yield* TestClock.adjust("1 second")
            // A handful at a time, with a pause that grows up to a quarter of a minute.
            const inLastMinute = tried.filter((at) => at > now + 540_000)
            assert.isAtLeast(inLastMinute.length, 1)
            assert.isAtMost(inLastMinute.length, 48)
            isMended = true
            for (let second = 0; second < 60; second++) yield* TestClock.adjust("1 second")
            const deliveries = (yield* world.outbox.deliveries(failing.id, 1000)).map(
              (each) => each.delivery,
            )
            assert.lengthOf(deliveries, 150)
            const at = yield* Clock.currentTimeMillis
            assert.isTrue(
              deliveries.every(({ dueAt, state }) => state === "delivered" || (dueAt ?? 0) > at),
            )
          }),
        ),
      )(),
  )

  it.effect(
    "S10: delivers to 10 of a partner's 20 endpoints without delay while 5 never respond and 5 fail",
    play((world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const make = (count: number) =>
            Effect.forEach(Array.from({ length: count }), () => begin(world))
          const [well, silent, failing] = [yield* make(10), yield* make(5), yield* make(5)]
          const urlsOf = (some: ReadonlyArray<Webhook.Endpoint>) =>
            new Set(some.map(({ url }) => url))
          const [silentUrls, failingUrls] = [urlsOf(silent), urlsOf(failing)]
          yield* senders(1, ({ url }) =>
            silentUrls.has(url) ? Effect.never : Effect.succeed(failingUrls.has(url) ? 500 : 200),
          )
          for (let created = 1; created <= 120; created++) {
            yield* world.create({ expiresAt: now / 1000 + 90_000 })
            yield* TestClock.adjust("1 second")
            for (const endpoint of well) {
              const told = (yield* world.outbox.deliveries(endpoint.id, 200)).filter(
                ({ delivery }) => delivery.state === "delivered",
              )
              assert.lengthOf(told, created)
            }
          }
        }),
      ),
    ),
  )

  it.effect(
    "delivers while the scope of its layer is open, even after a receiver broke",
    play((world) =>
      Effect.gen(function* () {
        const answers: Array<Answer> = ["breaks"]
        const { calls, provide } = receiver(() => answers.shift() ?? 200)
        const endpoint = yield* begin(world)
        const scope = yield* Scope.make()
        yield* provide(Layer.buildWithScope(WebhookSender.layer(render), scope))
        yield* world.create()
        yield* TestClock.adjust("1 second")
        yield* world.create()
        yield* TestClock.adjust("1 minute")
        const states = (yield* deliveriesOf(world, endpoint)).map(({ state }) => state)
        assert.deepStrictEqual(states, ["delivered", "delivered"])
        yield* Scope.close(scope, Exit.void)
        const before = calls.length
        yield* world.create()
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(calls.length, before)
      }),
    ),
  )
})
