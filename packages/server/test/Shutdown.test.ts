import { assert, describe, it } from "@effect/vitest"
import * as NodeListener from "@florin/server/NodeListener"
import * as Counts from "@florin/testing/Counts"
import { type Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import * as Scene from "./scene.ts"
import * as Wire from "./wire.ts"

/** Runs a test on a service that the test itself ends. */
const withEnd = <A, E, R>(
  test: (end: Effect.Effect<void>) => Effect.Effect<A, E, R>,
  limits: Partial<NodeListener.Limits> = {},
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(Wire.layer(limits), scope)
    return yield* Effect.provideContext(test(Scope.close(scope, Exit.void)), services)
  })

/** A connection that the service has taken. */
const taken = Effect.fnUntraced(function* (port: number) {
  const wire = yield* Wire.open(port)
  wire.say(Wire.request("GET", "/healthz"))
  yield* wire.answers(1)
  return wire
})

const create = (key: string): string =>
  Wire.post(
    "/v1/payments",
    JSON.stringify({
      referenceId: Scene.fresh("ORDER"),
      amount: { unit: "iso4217/USD", value: "1234" },
    }),
    { "Api-Key": key },
  )

describe("stopping a listener", () => {
  const rounds = Counts.of({ usual: 5, full: 50 })
  const each = 12

  it.live(
    "P5: completes held calls and confirms and all other requests, without a reset",
    () =>
      Effect.gen(function* () {
        for (let round = 0; round < rounds; round += 1) {
          yield* Effect.scoped(
            withEnd(
              Effect.fnUntraced(function* (end) {
                const { key, merchantId, port, url } = yield* Wire.make
                const watched = yield* Scene.createPayment(key, merchantId)
                const confirms = yield* Effect.forEach(
                  Array.from({ length: each }),
                  Effect.fnUntraced(function* () {
                    const id = yield* Scene.createPayment(key, merchantId)
                    const option = yield* Scene.firstOption(key, id)
                    const body = JSON.stringify(yield* Scene.confirmBody(key, id, option))
                    return Wire.post(`/v1/gateway/payment/${id}/confirm?maxPollMs=20000`, body, {
                      "Api-Key": key,
                    })
                  }),
                )
                const poll = Wire.request(
                  "GET",
                  `/v1/gateway/payment/${watched}/status?maxPollMs=20000`,
                  { "Api-Key": key },
                )
                const wires = yield* Effect.forEach(Array.from({ length: 4 * each }), () =>
                  taken(port),
                )
                const [polling, confirming, creating, idle] = [0, 1, 2, 3].map((part) =>
                  wires.slice(part * each, (part + 1) * each),
                )
                for (const wire of polling ?? []) wire.say(poll)
                yield* Wire.parked(watched, each)
                for (const [index, wire] of (confirming ?? []).entries()) {
                  wire.say(confirms[index] ?? "")
                }
                for (const wire of creating ?? []) wire.say(create(key))
                yield* end
                const ended = yield* Effect.forEach(wires, (wire) => wire.ended)
                const told = (part: typeof polling) =>
                  (part ?? []).map((wire) => ended[wires.indexOf(wire)]?.answers.slice(1))
                for (const [part, status, text] of [
                  [polling, 200, '"requires_action"'],
                  [confirming, 200, '"processing"'],
                  [creating, 201, '"paymentId"'],
                ] as const) {
                  for (const answers of told(part)) {
                    assert.strictEqual(answers?.length, 1)
                    assert.strictEqual(answers?.[0]?.status, status, answers?.[0]?.body)
                    assert.include(answers?.[0]?.body, text)
                    assert.strictEqual(answers?.[0]?.headers.get("connection"), "close")
                  }
                }
                assert.deepEqual(
                  told(idle),
                  Array.from({ length: each }, () => []),
                )
                assert.isFalse(ended.some(({ wasReset }) => wasReset))
                assert.isNull(yield* Wire.ask(url))
              }),
            ),
          )
        }
      }),
    { timeout: 240_000 },
  )

  it.live("serves requests that arrived while it was busy", () =>
    withEnd(
      Effect.fnUntraced(function* (end) {
        const { port } = yield* NodeListener.NodeListener
        const wire = yield* taken(port)
        const ending = yield* Effect.forkChild(end, { startImmediately: true })
        yield* Effect.sync(() => {
          wire.say(Wire.request("GET", "/healthz"))
          const since = performance.now()
          // Longer than a listener that ends waits for what is on its way.
          while (performance.now() < since + 200);
        })
        const { answers, wasReset } = yield* wire.ended
        assert.deepEqual(
          answers.map((answer) => answer.status),
          [200, 200],
        )
        assert.isFalse(wasReset)
        yield* Fiber.join(ending)
      }),
    ).pipe(Effect.scoped),
  )

  it.live("sends Connection: close before it closes, and loses no request", () =>
    withEnd(
      Effect.fnUntraced(function* (end) {
        const { port } = yield* NodeListener.NodeListener
        const wires = yield* Effect.forEach(Array.from({ length: each }), () => taken(port))
        const asking = yield* Effect.forkChild(
          Effect.forEach(
            wires,
            Effect.fnUntraced(function* (wire) {
              for (let asked = 2; ; asked += 1) {
                wire.say(Wire.request("GET", "/healthz"))
                const answer = (yield* wire.answers(asked))[asked - 1]
                assert.strictEqual(answer?.status, 200)
                if (answer?.headers.get("connection") === "close") {
                  const { answers, wasReset } = yield* wire.ended
                  return answers.length === asked && !wasReset
                }
              }
            }),
            { concurrency: "unbounded" },
          ),
        )
        yield* Effect.sleep(50)
        yield* end
        assert.deepEqual(
          yield* Fiber.join(asking),
          wires.map(() => true),
        )
      }),
    ).pipe(Effect.scoped),
  )

  it.live("serves every pipelined request", () =>
    withEnd(
      Effect.fnUntraced(function* (end) {
        const { key, merchantId, port } = yield* Wire.make
        const id = yield* Scene.createPayment(key, merchantId)
        const wire = yield* Wire.open(port)
        const poll = Wire.request("GET", `/v1/gateway/payment/${id}/status?maxPollMs=20000`, {
          "Api-Key": key,
        })
        wire.say(poll + poll + poll)
        yield* Wire.parked(id, 3)
        yield* end
        const { answers, wasReset } = yield* wire.ended
        assert.deepEqual(
          answers.map((answer) => [answer.status, answer.headers.get("connection")]),
          [
            [200, "keep-alive"],
            [200, "keep-alive"],
            [200, "close"],
          ],
        )
        assert.isFalse(wasReset)
      }),
    ).pipe(Effect.scoped),
  )

  it.live("completes held calls if the server is interrupted, as by a signal", () =>
    Effect.gen(function* () {
      const serving = Wire.layer()
      const started = yield* Deferred.make<Context.Context<Layer.Success<typeof serving>>>()
      const process = yield* Layer.build(serving).pipe(
        Effect.tap((services) => Deferred.succeed(started, services)),
        Effect.andThen(Effect.never),
        Effect.scoped,
        Effect.forkChild,
      )
      yield* Effect.gen(function* () {
        const { key, merchantId, port, url } = yield* Wire.make
        const id = yield* Scene.createPayment(key, merchantId)
        const wire = yield* taken(port)
        wire.say(
          Wire.request("GET", `/v1/gateway/payment/${id}/status?maxPollMs=20000`, {
            "Api-Key": key,
          }),
        )
        yield* Wire.parked(id, 1)
        yield* Fiber.interrupt(process)
        assert.isNull(yield* Wire.ask(url))
        const { answers, wasReset } = yield* wire.ended
        assert.deepEqual(
          answers.map((answer) => answer.status),
          [200, 200],
        )
        assert.isFalse(wasReset)
      }).pipe(Effect.provideContext(yield* Deferred.await(started)))
    }).pipe(Effect.scoped),
  )

  it.live("waits for the rest of a request's body", () =>
    withEnd(
      Effect.fnUntraced(function* (end) {
        const { key, port } = yield* Wire.make
        const wire = yield* taken(port)
        const text = create(key)
        wire.say(text.slice(0, -10))
        yield* Effect.sleep(20)
        const ending = yield* Effect.forkChild(end)
        yield* Effect.sleep(300)
        wire.say(text.slice(-10))
        const { answers } = yield* wire.ended
        assert.deepEqual(
          answers.map((answer) => answer.status),
          [200, 201],
        )
        yield* Fiber.join(ending)
      }),
    ).pipe(Effect.scoped),
  )

  it.live("waits for a limited time", () =>
    withEnd(
      Effect.fnUntraced(function* (end) {
        const { key, port } = yield* Wire.make
        const wire = yield* taken(port)
        wire.say(create(key).slice(0, -10))
        yield* Effect.sleep(20)
        yield* end
        assert.strictEqual((yield* wire.ended).answers.length, 1)
      }),
      { shutdownInMs: 200 },
    ).pipe(Effect.scoped),
  )
})
