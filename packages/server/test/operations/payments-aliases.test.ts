import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Payments from "./payments.ts"

const { about, play } = Payments

const example = { referenceId: "ORDER-7", amount: { unit: "iso4217/USD", value: "1234" } }

/** An answer as it went over the wire, without what an old path adds. */
const wire = ({ headers, status, text }: Scene.Reply) => ({
  status,
  headers: [...headers].filter(([name]) => name !== "deprecation" && name !== "link").toSorted(),
  text,
})

/** The same for two requests of one scene, which are told apart by their ids. */
const anonymous = (answer: Scene.Reply) => {
  const requestId = answer.headers.get("request-id") ?? assert.fail("no Request-Id")
  const { headers, status, text } = wire(answer)
  return {
    status,
    headers: headers.filter(([name]) => name !== "request-id"),
    text: text.replaceAll(requestId, "<request id>"),
  }
}

const isDeprecated = ({ headers }: Scene.Reply, successor: string) => {
  assert.isNotNull(headers.get("deprecation"))
  assert.strictEqual(headers.get("link"), `<${successor}>; rel="successor-version"`)
}

const isCurrent = ({ headers }: Scene.Reply) => {
  assert.isNull(headers.get("deprecation"))
  assert.isNull(headers.get("link"))
}

type Asked = (scene: Scene.Scene, path: string) => Scene.Sent

const nowInS = Scene.now / 1000
const preview = { "Svc-Version": "2026-02-19.preview" }

const create =
  (body: Scene.Json = example, headers: Readonly<Record<string, string>> = {}): Asked =>
  ({ own }, path) => ({
    path,
    key: own.key,
    headers: { "Merchant-Id": own.merchantId, ...headers },
    body,
  })

const withKey =
  (key: (scene: Scene.Scene) => string | null): Asked =>
  (scene, path) => ({ ...create()(scene, path), key: key(scene) })

const withoutMerchant =
  (key: (scene: Scene.Scene) => string): Asked =>
  (scene, path) => ({ path, key: key(scene), body: example })

const withRaw =
  (raw: string, headers: Readonly<Record<string, string>> = {}): Asked =>
  ({ own }, path) => ({ path, key: own.key, headers, raw })

/** Creations that are answered everything that a creation can be answered. */
const creations: ReadonlyArray<Asked> = [
  create(),
  create({ ...example, expiresAt: nowInS + 60, unknown: 1 }),
  create({ ...example, merchantId: "mrch_other" }),
  create(example, { "Idempotency-Key": "once" }),
  create(example, { "Idempotency-Key": "once" }),
  create({ ...example, referenceId: "other" }, { "Idempotency-Key": "once" }),
  create(example, { "Idempotency-Key": "k".repeat(256) }),
  create(example, { "Idempotency-Key": "é" }),
  create(example, { "Merchant-Id": "mrch_0" }),
  create(example, preview),
  create({ ...example, checkout: {} }, preview),
  create({ ...example, checkout: {} }),
  create(example, { "Svc-Version": "soon" }),
  create(example, { "Svc-Version": "2020-01-01" }),
  create({}),
  create([]),
  create({ referenceId: "", amount: { unit: "x", value: 1 }, expiresAt: null }),
  create({ ...example, expiresAt: nowInS }),
  withKey(() => null),
  withKey((scene) => scene.strangersKey),
  withKey((scene) => scene.walletKey),
  withKey((scene) => scene.own.liveKey),
  withKey((scene) => scene.other.key),
  withoutMerchant((scene) => scene.own.key),
  withoutMerchant((scene) => scene.own.liveKey),
  withRaw(""),
  withRaw("{"),
  withRaw("{}", { "Content-Type": "text/plain" }),
  withRaw(`"${"x".repeat(300_000)}"`),
]

/** The answers in a scene of its own. Ids are drawn from a seed, so that two scenes that do the same answer the same. */
const inTurn = (path: string) =>
  Effect.gen(function* () {
    const scene = yield* Scene.make
    const answers: Array<Scene.Reply> = []
    for (const asked of creations) {
      answers.push(yield* Scene.send(asked(scene, path)))
      yield* TestClock.adjust("1 second")
    }
    return answers
  }).pipe(Effect.provide(Scene.layer()))

describe("POST /v1/merchant/payment", () => {
  it.effect("answers what POST /v1/payments answers, to the byte", () =>
    Effect.gen(function* () {
      const answers = yield* inTurn("/v1/payments")
      const aliased = yield* inTurn("/v1/merchant/payment")
      assert.deepStrictEqual(aliased.map(wire), answers.map(wire))
      const statuses = new Set(answers.map(({ status }) => status))
      assert.deepStrictEqual(statuses, new Set([201, 400, 409, 404, 401, 403, 415, 413]))
      for (const answer of answers) isCurrent(answer)
      for (const answer of aliased) {
        if (answer.status === 201) isDeprecated(answer, "/v1/payments")
      }
    }),
  )

  play(
    "makes no second payment of a key that the new path has answered, or the other way",
    (world) =>
      Effect.gen(function* () {
        const paths = ["/v1/payments", "/v1/merchant/payment"]
        for (const [index, order] of [paths, paths.toReversed()].entries()) {
          const keyed = create(example, { "Idempotency-Key": `once ${index}` })
          const [first, second] = yield* Effect.forEach(order, (path) =>
            Scene.send(keyed(world, path)),
          )
          assert.strictEqual(first?.status, 201)
          assert.strictEqual(second?.text, first?.text)
          assert.isNull(first?.headers.get("idempotency-replayed"))
          assert.strictEqual(second?.headers.get("idempotency-replayed"), "true")
        }
      }),
  )

  play("understands POST only", (world) =>
    Effect.gen(function* () {
      const { key } = world.own
      const answer = yield* Scene.send({ method: "GET", path: "/v1/merchant/payment", key })
      Scene.isProblem(answer, 405, "method_not_allowed")
      assert.strictEqual(answer.headers.get("allow"), "POST")
    }),
  )
})

const paths = (id: string) =>
  [`/v1/payments/${id}/status`, `/v1/merchant/payment/${id}/status`] as const

/** Sends a request to both paths; fails unless they answer alike. */
const both = Effect.fnUntraced(function* (
  id: string,
  query: string,
  request: (path: string) => Scene.Sent,
) {
  const [path, alias] = paths(id)
  const answer = yield* Scene.send(request(path + query))
  const aliased = yield* Scene.send(request(alias + query))
  assert.deepStrictEqual(anonymous(aliased), anonymous(answer))
  isCurrent(answer)
  if (answer.status === 200) isDeprecated(aliased, path)
  return answer
})

describe("GET /v1/merchant/payment/{id}/status", () => {
  for (const state of Gateway.stateNames) {
    play(`tells of a payment that is ${state} what GET /v1/payments/{id}/status tells`, (world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, state)
        const answer = yield* both(id, "", (path) => about(world.own, path))
        assert.deepStrictEqual(answer.body, Payments.told(state, answer.body))
      }),
    )
  }

  play("refuses what GET /v1/payments/{id}/status refuses, in the same words", (world) =>
    Effect.gen(function* () {
      const { own, other } = world
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const theirs = yield* Scene.createPayment(other.key, other.merchantId)
      const sibling = yield* Scene.createMerchant(own.key, "Sibling")
      const mine = (headers: Readonly<Record<string, string>>) => (path: string) =>
        about(own, path, headers)
      const cases: ReadonlyArray<
        readonly [string, string, (path: string) => Scene.Sent, number, string]
      > = [
        [id, "", (path) => ({ path }), 401, "missing_api_key"],
        [id, "", (path) => ({ path, key: world.strangersKey }), 401, "invalid_api_key"],
        [id, "", (path) => ({ path, key: world.walletKey }), 403, "forbidden"],
        [id, "", (path) => ({ path, key: own.key }), 401, "missing_merchant_id"],
        [id, "", mine({ "Svc-Version": "soon" }), 400, "invalid_api_version"],
        [id, "", mine({ "Idempotency-Key": "k".repeat(256) }), 400, "params_validation"],
        [id, "", mine({ "Merchant-Id": sibling }), 404, "payment_not_found"],
        [id, "", mine({ "Merchant-Id": "mrch_0" }), 404, "payment_not_found"],
        [theirs, "", mine({}), 404, "payment_not_found"],
        [id, "?maxPollMs=-1", mine({}), 400, "params_validation"],
        ...Payments.strangeIds.map(
          (each) => [each, "", mine({}), 404, "payment_not_found"] as const,
        ),
      ]
      for (const [each, query, request, status, code] of cases) {
        Scene.isProblem(yield* both(each, query, request), status, code)
      }
    }),
  )

  play("reads maxPollMs as GET /v1/payments/{id}/status reads it", (world) =>
    Effect.gen(function* () {
      const { id } = yield* Gateway.reach(world, "cancelled by the payer")
      for (const [text, isGood] of Gateway.polls) {
        const answer = yield* both(id, `?maxPollMs=${text}`, (path) => about(world.own, path))
        assert.strictEqual(answer.status, isGood ? 200 : 400)
      }
    }),
  )
})
