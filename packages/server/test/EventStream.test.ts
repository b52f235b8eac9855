/** Streams of events over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import { type Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import * as Scene from "./scene.ts"
import * as Streams from "./streams.ts"
import * as Wire from "./wire.ts"

const path = "/v1/events/stream"

const ask = async (url: string, key: string, method = "GET") =>
  fetch(`${url}${path}`, { method, headers: { "Api-Key": key } })

/** A stream over a connection of its own. */
const open = (url: string, key: string) =>
  Effect.map(
    Effect.promise(() => ask(url, key)),
    Streams.read,
  )

const served = <A, E, R>(
  test: (end: Effect.Effect<void>) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, Exclude<R, Layer.Success<ReturnType<typeof Wire.layer>>>> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const services: Context.Context<Layer.Success<ReturnType<typeof Wire.layer>>> =
      yield* Layer.buildWithScope(Wire.layer(), scope).pipe(Effect.orDie)
    return yield* Effect.provideContext(test(Scope.close(scope, Exit.void)), services)
  })

describe("a stream of events on a listener", () => {
  it.live("arrives as it happens, and the connection can be reused", () =>
    served(() =>
      Effect.gen(function* () {
        const { key, merchantId, url } = yield* Wire.make
        const stream = yield* open(url, key)
        yield* Streams.opened(1)
        const ids = yield* Effect.forEach([1, 2, 3], () => Scene.createPayment(key, merchantId))
        yield* Effect.forEach(ids, (id) =>
          Scene.send({ method: "POST", path: `/v1/gateway/payment/${id}/cancel`, key }),
        )
        const events = yield* stream.events(6)
        assert.deepStrictEqual(
          events.map(({ data }) => data),
          yield* Streams.feed(key),
        )
        yield* stream.leave
        yield* Streams.opened(0)
      }),
    ),
  )

  it.live("frees its place when the reader disconnects", () =>
    served(() =>
      Effect.gen(function* () {
        const { key, port } = yield* Wire.make
        yield* Effect.scoped(
          Effect.gen(function* () {
            const wires = yield* Effect.forEach(
              Array.from({ length: Limits.eventStreamsPerPartnerMax }),
              () => Wire.open(port),
            )
            for (const wire of wires) wire.say(Wire.request("GET", path, { "Api-Key": key }))
            yield* Streams.opened(wires.length)
          }),
        )
        yield* Streams.opened(0)
      }),
    ),
  )

  it.live("reaches a slow reader completely, in order", () =>
    served(() =>
      Effect.gen(function* () {
        const { key, merchantId, url } = yield* Wire.make
        const metadata = Object.fromEntries(
          Array.from({ length: Limits.metadataEntriesMax }, (_, index) => [
            `name ${index}`,
            "x".repeat(Limits.metadataValueMaxLength),
          ]),
        )
        const count = 150
        yield* Effect.forEach(Array.from({ length: count }), () =>
          Scene.createPayment(key, merchantId, { metadata }),
        )
        const stream = yield* open(url, key)
        yield* Streams.opened(1)
        yield* Effect.sleep(300)
        const events = yield* stream.events(count)
        assert.deepStrictEqual(
          events.map(({ data }) => data),
          yield* Streams.feed(key),
        )
        yield* stream.leave
      }),
    ),
  )

  it.live("ends with a complete response when the listener stops, without a reset", () =>
    served((end) =>
      Effect.gen(function* () {
        const { key, port, url } = yield* Wire.make
        const stream = yield* open(url, key)
        const wire = yield* Wire.open(port)
        wire.say(Wire.request("GET", path, { "Api-Key": key }))
        yield* Streams.opened(2)
        const reading = yield* Effect.forkChild(stream.ended)
        yield* end
        assert.deepStrictEqual((yield* Fiber.join(reading)).events, [])
        assert.isFalse((yield* wire.ended).wasReset)
      }).pipe(Effect.scoped),
    ),
  )

  it.live("has no body for HEAD, and takes no place", () =>
    served(() =>
      Effect.gen(function* () {
        const { key, url } = yield* Wire.make
        const response = yield* Effect.promise(() => ask(url, key, "HEAD"))
        assert.strictEqual(response.status, 200)
        assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
        assert.strictEqual(yield* Streams.openCount, 0)
      }),
    ),
  )
})
