import { assert, describe } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Handler } from "../../src/Handler.ts"
import * as Scene from "../scene.ts"
import * as Streams from "../streams.ts"
import { World } from "../world.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const path = "/v1/events/stream"

const open = Effect.fnUntraced(function* (key: string, headers = {}, query = "") {
  const { respond } = yield* World
  const response = yield* respond(Scene.requestOf({ path: `${path}${query}`, key, headers }))
  return Streams.read(response)
})

const dataOf = (events: ReadonlyArray<Streams.Sent>) => events.map(({ data }) => data)

/** Two payments with several events each, one within the other. */
const happen = Effect.fnUntraced(function* ({ own, walletKey }: Scene.Scene) {
  const first = yield* Scene.createPayment(own.key, own.merchantId)
  const second = yield* Scene.createPayment(own.key, own.merchantId)
  yield* Scene.pay(walletKey, first)
  yield* cancel(walletKey, second)
})

const cancel = (key: string, id: string) =>
  Scene.send({ method: "POST", path: `/v1/gateway/payment/${id}/cancel`, key })

const second = TestClock.adjust("1 second")

describe("GET /v1/events/stream", () => {
  play(
    "sends the events of GET /v1/events, in the same order and bytes, however often the connection breaks",
    (scene) =>
      Effect.gen(function* () {
        const { key } = scene.own
        yield* happen(scene)
        const fed = yield* Streams.feed(key)
        assert.isAbove(fed.length, 4)
        for (let cut = 1; cut < fed.length; cut += 1) {
          const read: Array<Streams.Sent> = []
          while (read.length < fed.length) {
            const last = read.at(-1)
            const stream = yield* open(key, last && { "Last-Event-ID": last.id })
            // What comes in one piece is read as one: the client forgets what it did not handle.
            read.push(...(yield* stream.events(1)).slice(0, cut))
            yield* stream.leave
          }
          assert.deepStrictEqual(dataOf(read), fed, `cut after ${cut}`)
        }
      }),
  )

  play("sends new events as they happen, in order", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      const stream = yield* open(key)
      yield* happen(scene)
      const fed = yield* Streams.feed(key)
      const events = yield* Streams.whilePassing(stream.events(fed.length), second)
      assert.deepStrictEqual(dataOf(events), fed)
      yield* stream.leave
    }),
  )

  play(
    "starts after a page's cursor, or after Last-Event-ID if both are sent",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const page = yield* Scene.send({ path: "/v1/events", key: own.key })
        const query = `?cursor=${encodeURIComponent(Scene.text(page.body, "nextCursor"))}`
        yield* cancel(walletKey, id)
        const [created, cancelled] = yield* Streams.feed(own.key)
        const after = yield* open(own.key, {}, query)
        const events = yield* after.events(1)
        assert.deepStrictEqual(dataOf(events), [cancelled])
        yield* after.leave
        const all = yield* open(own.key)
        const [first] = yield* all.events(2)
        assert.strictEqual(first?.data, created)
        yield* all.leave
        const last = yield* open(own.key, { "Last-Event-ID": events[0]?.id }, query)
        yield* Scene.createPayment(own.key, own.merchantId)
        const [later] = yield* Streams.whilePassing(last.events(1), second)
        assert.include(later?.data, "payment.created")
        yield* last.leave
      }),
  )

  play("refuses a Last-Event-ID of another stream", (scene) =>
    Effect.gen(function* () {
      yield* Scene.createPayment(scene.other.key, scene.other.merchantId)
      const foreign = yield* open(scene.other.key)
      const [event] = yield* foreign.events(1)
      yield* foreign.leave
      for (const id of [event?.id ?? "", "1", "x".repeat(5000)]) {
        const headers = { "Last-Event-ID": id }
        yield* Laws.invalid(scene, { path, key: scene.own.key, headers }, ["cursor"])
      }
    }),
  )

  play("sends no event of another partner or mode", (scene) =>
    Effect.gen(function* () {
      const streams = [yield* open(scene.other.key), yield* open(scene.own.liveKey)]
      yield* happen(scene)
      for (const stream of streams) {
        yield* Effect.forkChild(stream.ended)
        yield* TestClock.adjust("1 minute")
        assert.match(stream.text(), /^(?::\n\n)+$/u)
        yield* stream.leave
      }
    }),
  )

  play("disables buffering and compression on its way, and sends regular comments", ({ own }) =>
    Effect.gen(function* () {
      const { response, ...stream } = yield* open(own.key)
      assert.strictEqual(response.headers.get("cache-control"), "no-store, no-transform")
      assert.strictEqual(response.headers.get("x-accel-buffering"), "no")
      assert.match(response.headers.get("request-id") ?? "", /^req_/u)
      const reading = yield* Effect.forkChild(stream.ended)
      yield* TestClock.adjust(4 * Limits.eventStreamHeartbeatInMs)
      assert.strictEqual(stream.text(), ":\n\n".repeat(5))
      yield* Fiber.interrupt(reading)
      yield* stream.leave
    }),
  )

  play("ends after some minutes, asks to reconnect, and frees its place", (scene) =>
    Effect.gen(function* () {
      const stream = yield* open(scene.own.key)
      yield* Streams.opened(1)
      const reading = yield* Effect.forkChild(stream.ended)
      yield* TestClock.adjust(Limits.eventStreamMaxInMs)
      const { events, retry } = yield* Fiber.join(reading)
      assert.deepStrictEqual(events, [])
      assert.isTrue(retry)
      assert.strictEqual(yield* Streams.openCount, 0)
    }),
  )

  play("ends with its key, and sends no later event", (scene) =>
    Effect.gen(function* () {
      const { key, keyId } = scene.own
      const { text: other } = yield* Keys.issue({
        mode: "test",
        owner: { _tag: "Partner", partnerId: scene.own.partner.id },
        name: "other",
        expiresAt: null,
      }).pipe(Effect.orDie)
      const stream = yield* open(key)
      yield* Streams.opened(1)
      yield* Keys.revoke(keyId).pipe(Effect.orDie)
      yield* Scene.createPayment(other, scene.own.merchantId)
      const { events } = yield* Streams.whilePassing(stream.ended, second)
      assert.deepStrictEqual(events, [])
      assert.strictEqual(yield* Streams.openCount, 0)
    }),
  )

  play(
    "beyond the limit of streams sends existing events and ends; a closed stream frees its place",
    (scene) =>
      Effect.gen(function* () {
        const { key, merchantId } = scene.own
        yield* Scene.createPayment(key, merchantId)
        const streams = yield* Effect.forEach(
          Array.from({ length: Limits.eventStreamsPerPartnerMax }),
          () => open(key),
        )
        yield* Effect.forEach(streams, ({ events }) => events(1))
        yield* Streams.opened(streams.length)
        const { events, retry } = yield* (yield* open(key)).ended
        assert.lengthOf(events, 1)
        assert.isTrue(retry)
        const others = yield* open(scene.other.key)
        yield* Streams.opened(streams.length + 1)
        yield* others.leave
        yield* Effect.forEach(streams, ({ leave }) => leave)
        yield* Streams.opened(0)
        const again = yield* open(key)
        yield* Streams.opened(1)
        yield* again.leave
      }),
  )

  play("reads ahead only as fast as the reader, and ends if the reader stalls", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      const handler = yield* Handler
      yield* Effect.forEach(Array.from({ length: 120 }), () => Scene.createPayment(key, merchantId))
      const { body } = yield* handler.respond({
        method: "GET",
        path,
        query: "",
        header: (name) => (name === "api-key" ? key : undefined),
        body: Effect.succeed(new Uint8Array()),
      })
      if (typeof body !== "function") return assert.fail("no stream")
      const room = yield* Deferred.make<void>()
      const taken: Array<number> = []
      const reading = yield* Effect.forkChild(
        body((text) =>
          Effect.suspend(() => {
            const events = text.match(/^id: /gmu)?.length ?? 0
            taken.push(events)
            return events === 0 ? Effect.void : Deferred.await(room)
          }),
        ),
      )
      yield* Streams.opened(1)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(taken, [0, 50])
      yield* TestClock.adjust(Limits.eventStreamMaxInMs + Limits.eventStreamHeartbeatInMs)
      yield* Fiber.join(reading)
      assert.strictEqual(yield* Streams.openCount, 0)
    }),
  )

  play("ends when the process stops, also without a reader", ({ own }) =>
    Effect.gen(function* () {
      const { close } = yield* Handler
      const [read, unread] = [yield* open(own.key), yield* open(own.key)]
      yield* Streams.opened(2)
      const reading = yield* Effect.forkChild(read.ended)
      yield* close
      yield* Fiber.join(reading)
      yield* unread.ended
      assert.strictEqual(yield* Streams.openCount, 0)
      yield* (yield* open(own.key)).ended
    }),
  )
})
