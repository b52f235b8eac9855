import { assert, describe } from "@effect/vitest"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as SignedCall from "@florin/testing/SignedCall"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import * as Webhooks from "./webhooks.ts"

const { play } = Laws
const { url } = Webhooks

const patch = (key: string, id: string, body: Scene.Json) => ({
  method: "PATCH",
  path: Webhooks.at(id),
  key,
  body,
})

const stateOf = (delivery: Scene.Json) => Scene.text(delivery, "state")

/** Calls that are refused once the webhook is deleted. */
const uses: ReadonlyArray<(id: string, deliveryId: string) => Omit<Scene.Sent, "key">> = [
  (id) => ({ method: "PATCH", path: Webhooks.at(id), body: { url } }),
  (id) => ({
    method: "POST",
    path: Webhooks.at(id, "/rotate"),
    headers: { "Idempotency-Key": Scene.fresh("rotate") },
  }),
  (id) => ({ method: "POST", path: Webhooks.at(id, "/test") }),
  (id, deliveryId) => ({
    method: "POST",
    path: Webhooks.at(id, `/deliveries/${deliveryId}/redeliver`),
  }),
  (id) => ({
    path: Webhooks.at(id, "/replay"),
    body: { from: "2026-09-21T00:00:00Z", to: "2026-09-22T00:00:00Z" },
  }),
]

describe("PATCH /v1/webhooks/{id}", () => {
  const request = ({ own }: Scene.Scene) =>
    Effect.map(Webhooks.make(own.key), ({ id }) => patch(own.key, id, {}))
  Laws.refusesBodies(request, [
    ["no member", () => ({}), ["body"]],
    ["A6: a private address", () => ({ url: "https://192.168.0.1/" }), ["url"]],
    ["no types", () => ({ types: [] }), ["types"]],
    ["an unknown version", () => ({ version: "2020-01-01" }), ["version"]],
  ])

  play("changes only the members that are sent; null restores the default", ({ own }) =>
    Effect.gen(function* () {
      const version = "2026-02-18"
      const types = ["payment.created"]
      const { id, webhook } = yield* Webhooks.make(own.key, { url, types, version })
      const change = (body: Scene.Json) =>
        Effect.map(Scene.send(patch(own.key, id, body)), (answer) => {
          assert.strictEqual(answer.status, 200, answer.text)
          return Object(Scene.at(answer.body, "webhook"))
        })
      const moved = { ...Object(webhook), url: "https://other.example.com/" }
      assert.deepStrictEqual(yield* change({ url: moved.url }), moved)
      assert.deepStrictEqual(yield* change({ types: null }), { ...moved, types: null })
      const plain = { ...moved, types: null, version: null }
      assert.deepStrictEqual(yield* change({ version: null }), plain)
      assert.deepStrictEqual((yield* Webhooks.get(own.key, id)).body, { webhook: plain })
    }),
  )

  play("sends waiting deliveries to the new URL, signed with the same secret", ({ own }) =>
    Effect.gen(function* () {
      const { id, secret } = yield* Webhooks.make(own.key)
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* Webhooks.deliver(500)
      const to = "https://other.example.com/hook"
      yield* Scene.send(patch(own.key, id, { url: to }))
      yield* Scene.pass("5 seconds")
      const [call] = yield* Webhooks.deliver()
      if (call === undefined) return assert.fail("nothing was sent")
      assert.strictEqual(call.url, to)
      const isVerified = SignedCall.isValid(Webhook.Secret.make(secret), call, Scene.now + 5000)
      assert.isTrue(isVerified)
    }),
  )

  play("records in the audit log that the path changed, but not the path", ({ own }) =>
    Effect.gen(function* () {
      const { id } = yield* Webhooks.make(own.key)
      yield* Scene.send(patch(own.key, id, { url: "https://hooks.example.com/an0ther-s3cret" }))
      const { body, text } = yield* Scene.send({ path: "/v1/audit-log?limit=1", key: own.key })
      assert.deepStrictEqual(Scene.at(body, "data", 0, "changes"), [{ field: "path" }])
      assert.notInclude(text, "s3cret")
    }),
  )
})

describe("DELETE /v1/webhooks/{id}", () => {
  play("stops every delivery for good, and keeps their history readable", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const { id, webhook } = yield* Webhooks.make(own.key)
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* Webhooks.deliver(500)
      const listed = yield* Webhooks.get(own.key, id, "/deliveries")
      const deliveryId = Scene.text(listed.body, "data", 0, "id")
      for (const _ of ["once", "again"]) {
        const { body } = yield* Scene.send({
          method: "DELETE",
          path: Webhooks.at(id),
          key: own.key,
        })
        assert.deepStrictEqual(body, { id, deleted: true })
      }
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pass("1 day")
      assert.deepStrictEqual(yield* Webhooks.deliver(), [])
      assert.deepStrictEqual((yield* Webhooks.get(own.key, id)).body, {
        webhook: { ...Object(webhook), disabledAt: "2026-09-21T14:13:20.000Z" },
      })
      const kept = yield* Webhooks.get(own.key, id, "/deliveries")
      assert.deepStrictEqual(Scene.list(kept.body, "data").map(stateOf), ["given_up"])
      for (const use of uses) {
        const sent = { ...use(id, deliveryId), key: own.key }
        yield* Laws.refused(scene, sent, 400, "invalid_state")
      }
    }),
  )
})

describe("POST /v1/webhooks/{id}/test", () => {
  play("sends one test event to this webhook only, whatever its types are", ({ own }) =>
    Effect.gen(function* () {
      const { id, secret } = yield* Webhooks.make(own.key, { url, types: ["refund.held"] })
      yield* Webhooks.make(own.key, { url: "https://other.example.com/" })
      const answer = yield* Webhooks.post(own.key, id, "/test")
      assert.strictEqual(answer.status, 201, answer.text)
      const eventId = Scene.text(answer.body, "eventId")
      const [call, ...rest] = yield* Webhooks.deliver()
      if (call === undefined) return assert.fail("nothing was sent")
      assert.deepStrictEqual(rest, [])
      assert.strictEqual(call.url, url)
      assert.deepStrictEqual(JSON.parse(call.body), {
        id: eventId,
        type: "webhook.test",
        timestamp: "2026-09-21T14:13:20.000Z",
        data: { webhookId: id },
      })
      const isVerified = SignedCall.isValid(Webhook.Secret.make(secret), call, Scene.now)
      assert.isTrue(isVerified)
      const listed = yield* Webhooks.get(own.key, id, "/deliveries")
      assert.strictEqual(
        Scene.text(listed.body, "data", 0, "id"),
        Scene.text(answer.body, "deliveryId"),
      )
      const feed = yield* Scene.send({ path: "/v1/events", key: own.key })
      assert.include(feed.text, call.body)
    }),
  )
})

describe("GET /v1/webhooks/{id}/deliveries", () => {
  play("returns every delivery with its attempts and its event, newest first", ({ own }) =>
    Effect.gen(function* () {
      const { id } = yield* Webhooks.make(own.key)
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* Webhooks.deliver(503)
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* Webhooks.deliver()
      const { body, status } = yield* Webhooks.get(own.key, id, "/deliveries")
      assert.strictEqual(status, 200)
      const feed = yield* Scene.send({ path: "/v1/events", key: own.key })
      const [older, newer] = Scene.list(feed.body, "data")
      const at = "2026-09-21T14:13:20.000Z"
      const of = (event: Scene.Json | undefined, more: object) => ({
        id: Webhook.deliveryId(Webhook.EndpointId.make(id), Scene.text(event, "id")),
        eventId: Scene.text(event, "id"),
        version: "2026-02-18",
        ...more,
        event,
      })
      assert.deepStrictEqual<object | null>(Object(body), {
        data: [
          of(newer, {
            state: "delivered",
            dueAt: null,
            attempts: [{ at, status: 200, error: null }],
          }),
          of(older, {
            state: "pending",
            dueAt: "2026-09-21T14:13:25.000Z",
            attempts: [{ at, status: 503, error: null }],
          }),
        ],
        nextCursor: null,
      })
    }),
  )

  play("A11: pages with a cursor that works for this list only", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const { id } = yield* Webhooks.make(own.key)
      const second = yield* Webhooks.make(own.key)
      const theirs = yield* Webhooks.make(other.key)
      for (let count = 0; count < 5; count += 1) {
        yield* Scene.createPayment(own.key, own.merchantId)
      }
      yield* Webhooks.deliver()
      const page = (query: string) => Webhooks.get(own.key, id, `/deliveries${query}`)
      const ids = ({ body }: Scene.Reply) =>
        Scene.list(body, "data").map((each) => Scene.text(each, "id"))
      const all = ids(yield* page(""))
      const seen: Array<string> = []
      let cursor: Scene.Json | undefined = ""
      let last = ""
      while (typeof cursor === "string") {
        const at: Scene.Reply = yield* page(
          `?limit=2${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
        )
        seen.push(...ids(at))
        last = cursor
        cursor = Scene.at(at.body, "nextCursor")
      }
      assert.isNull(cursor)
      assert.deepStrictEqual(seen, all)
      const query = `/deliveries?cursor=${encodeURIComponent(last)}`
      for (const [key, of] of [
        [own.key, second.id],
        [other.key, theirs.id],
      ] as const) {
        yield* Laws.invalid(scene, { path: Webhooks.at(of, query), key }, ["cursor"])
      }
      const flipped = { path: Webhooks.at(id, `${query}A`), key: own.key }
      yield* Laws.invalid(scene, flipped, ["cursor"])
      yield* Laws.invalid(scene, { path: Webhooks.at(id, "/deliveries?limit=0"), key: own.key }, [
        "limit",
      ])
    }),
  )
})

describe("POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver", () => {
  play("sends a delivered event again", ({ own }) =>
    Effect.gen(function* () {
      const { id } = yield* Webhooks.make(own.key)
      yield* Scene.createPayment(own.key, own.merchantId)
      const [first] = yield* Webhooks.deliver()
      const listed = yield* Webhooks.get(own.key, id, "/deliveries")
      const { event: _, ...delivery } = Object(Scene.at(listed.body, "data", 0))
      yield* Scene.pass("1 minute")
      const tail = `/deliveries/${delivery.id}/redeliver`
      const answer = yield* Webhooks.post(own.key, id, tail)
      assert.deepStrictEqual<object | null>(Object(answer.body), {
        ...delivery,
        state: "pending",
        dueAt: "2026-09-21T14:14:20.000Z",
      })
      const [again, ...rest] = yield* Webhooks.deliver()
      assert.deepStrictEqual(rest, [])
      assert.strictEqual(again?.body, first?.body)
      assert.strictEqual(again?.headers["webhook-id"], first?.headers["webhook-id"])
    }),
  )
})

describe("POST /v1/webhooks/{id}/replay", () => {
  const range = { from: "2026-09-21T14:13:20Z", to: "2026-09-21T14:14:00Z" }
  const request = ({ own }: Scene.Scene) =>
    Effect.map(Webhooks.make(own.key), ({ id }) => ({
      path: Webhooks.at(id, "/replay"),
      key: own.key,
      body: range,
    }))
  Laws.refusesBodies(request, [
    ["no time", () => ({ from: "yesterday" }), ["from"]],
    ["an end before the start", () => ({ from: range.to, to: range.from }), ["to"]],
    ["an empty period", () => ({ from: range.to, to: range.to }), ["to"]],
    ["more than 31 days", () => ({ ...range, from: "2026-08-21T14:13:59Z" }), ["to"]],
    ["an unknown state", () => ({ ...range, state: "givenUp" }), ["state"]],
  ])

  play("sends the events of a period again, in order, to this webhook only", ({ own }) =>
    Effect.gen(function* () {
      const { id } = yield* Webhooks.make(own.key)
      yield* Webhooks.make(own.key, { url: "https://other.example.com/" })
      const ids: Array<string> = []
      for (let count = 0; count < 5; count += 1) {
        ids.push(yield* Scene.createPayment(own.key, own.merchantId))
        yield* Scene.pass("10 seconds")
      }
      yield* Webhooks.deliver()
      const answer = yield* Webhooks.post(own.key, id, "/replay", {
        from: "2026-09-21T14:13:30Z",
        to: "2026-09-21T14:14:00Z",
      })
      assert.deepStrictEqual(answer.body, { deliveries: 3 })
      yield* Scene.pass("1 second")
      const calls = yield* Webhooks.deliver()
      assert.deepStrictEqual(
        calls.map(({ body }) => JSON.parse(body).data.paymentId),
        ids.slice(1, 4),
      )
      assert.deepStrictEqual(new Set(calls.map((call) => call.url)), new Set([url]))
      const untilNow = yield* Webhooks.post(own.key, id, "/replay", { from: range.from })
      assert.deepStrictEqual(untilNow.body, { deliveries: 5 })
    }),
  )

  play("replays only deliveries in the requested state", ({ own }) =>
    Effect.gen(function* () {
      const { id } = yield* Webhooks.make(own.key)
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* Webhooks.deliver()
      const lost = yield* Scene.createPayment(own.key, own.merchantId, {
        expiresAt: Scene.now / 1000 + 86_400 * 2,
      })
      for (const _ of Webhook.retryDelaysInMs) {
        yield* Webhooks.deliver(500)
        yield* Scene.pass("10 hours")
      }
      const replay = (state: string) =>
        Effect.map(Webhooks.post(own.key, id, "/replay", { ...range, state }), ({ body }) => body)
      assert.deepStrictEqual(yield* replay("pending"), { deliveries: 0 })
      assert.deepStrictEqual(yield* replay("given_up"), { deliveries: 1 })
      yield* Scene.pass("1 second")
      const calls = yield* Webhooks.deliver()
      assert.deepStrictEqual(
        calls.map(({ body }) => JSON.parse(body).data.paymentId),
        [lost],
      )
      assert.deepStrictEqual(yield* replay("delivered"), { deliveries: 2 })
    }),
  )
})
