/**
 * What the tests of the partner's payment operations share: scenes, and what is told of a payment in each state.
 *
 * @module
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Scene from "../scene.ts"
import * as Catalogue from "./catalogue.ts"
import * as Gateway from "./gateway.ts"

type Members = Readonly<Record<string, Scene.Json>>

/** A test in a scene of its own, where screening refuses whom it denies. */
export const play = <A, E>(
  rule: string,
  body: (world: Gateway.World) => Effect.Effect<A, E, Scene.Ports>,
): void => it.effect(rule, Gateway.play(body))

/** A request about one payment, by the merchant that it pays. */
export const about = (
  { key, merchantId }: { readonly key: string; readonly merchantId: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
) => ({ path, key, headers: { "Merchant-Id": merchantId, ...headers } })

/** Texts that are the id of no payment, as a path holds them. */
export const strangeIds = [
  Gateway.absent,
  "pay_",
  "pay",
  "PAY_1",
  "pay_-",
  `pay_${"a".repeat(65)}`,
  "pay_%00",
  "pay_%F0%9F%98%80",
  "..%2F..%2Fetc",
  "__proto__",
  "constructor",
  "%20",
  "1",
]

/** A payment that was asked for 12.34 USD and paid on Base, as its state is told. */
export const told = (state: Gateway.State, body: Scene.Json): Members => {
  const status = Gateway.states[state]
  const isFinal = state !== "open" && state !== "processing"
  const pollInMs = Scene.at(body, "pollInMs")
  const txId = Scene.at(body, "info", "txId")
  if (!isFinal) assert.isTrue(Number(pollInMs) >= 1000 && Number(pollInMs) <= 3000)
  if (state === "succeeded") assert.isTrue(Gateway.isHash(txId))
  return {
    status,
    isFinal,
    ...(!isFinal && { pollInMs: Number(pollInMs) }),
    ...(status === "failed" && { failureCode: state === "declined" ? "declined_user" : null }),
    info:
      state === "succeeded"
        ? { optionAmount: Gateway.usdcOnBase("12340000"), txId: String(txId) }
        : null,
  }
}

/** The rules of the `Merchant-Id` where a call asks about one payment. */
export const obeysMerchantId = (
  request: (world: Gateway.World, id: string) => Scene.Sent,
  isRequired: boolean,
): void => {
  const withMerchant = (sent: Scene.Sent, merchantId: string | null): Scene.Sent => {
    const { "Merchant-Id": _, ...headers } = sent.headers ?? {}
    return {
      ...sent,
      headers: merchantId === null ? headers : { ...headers, "merchant-ID": merchantId },
    }
  }

  play("answers alike for what is absent, of another merchant, partner or mode", (world) =>
    Effect.gen(function* () {
      const { other, own } = world
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const sibling = yield* Scene.createMerchant(own.key, "Sibling")
      const theirs = yield* Scene.createPayment(other.key, other.merchantId)
      const liveMerchant = yield* Scene.createMerchant(own.liveKey, "Live")
      const live = yield* Scene.createPayment(own.liveKey, liveMerchant)
      const sent = request(world, id)
      const hidden = [
        ...[Gateway.absent, theirs, live].map((each) => request(world, each)),
        ...[sibling, other.merchantId, liveMerchant, "mrch_0", "mrch_", "nothing", "%"].map(
          (each) => withMerchant(sent, each),
        ),
        { ...sent, key: own.liveKey },
        { ...sent, key: other.key },
        { ...withMerchant(sent, other.merchantId), key: other.key },
        withMerchant(request(world, theirs), other.merchantId),
        withMerchant(request(world, live), liveMerchant),
      ]
      const messages = new Set<string>()
      for (const each of hidden) {
        const answer = yield* Gateway.writesNothing(id, Scene.send(each))
        const problem = Scene.isProblem(answer, 404, "payment_not_found")
        assert.hasAllKeys(problem, ["code", "message", "requestId"])
        messages.add(Scene.text(problem, "message"))
      }
      assert.strictEqual(messages.size, 1)
      for (const strange of strangeIds) {
        Scene.isProblem(yield* Scene.send(request(world, strange)), 404, "payment_not_found")
      }
    }),
  )

  play(isRequired ? "asks for a Merchant-Id" : "asks for no Merchant-Id", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      for (const absent of [null, ""]) {
        const id = yield* Scene.createPayment(key, merchantId)
        const answer = yield* Scene.send(withMerchant(request(world, id), absent))
        if (isRequired) Scene.isProblem(answer, 401, "missing_merchant_id")
        else assert.strictEqual(answer.status, 200, answer.text)
      }
    }),
  )

  play("still answers once the merchant was deleted", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const id = yield* Scene.createPayment(key, merchantId)
      yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${merchantId}`, key })
      const answer = yield* Scene.send(request(world, id))
      assert.strictEqual(answer.status, 200, answer.text)
    }),
  )

  play("judges key, version, Merchant-Id, Idempotency-Key and path in this order", (world) =>
    Effect.gen(function* () {
      const sent = { ...request(world, Gateway.absent), headers: {} }
      const named = { "Merchant-Id": world.own.merchantId }
      const long = { "Idempotency-Key": "k".repeat(256) }
      const steps: ReadonlyArray<readonly [Scene.Sent, number, string]> = [
        [{ ...sent, key: null, headers: { "Svc-Version": "é", ...long } }, 401, "missing_api_key"],
        [
          { ...sent, key: world.strangersKey, headers: { "Svc-Version": "é", ...long } },
          401,
          "invalid_api_key",
        ],
        [
          { ...sent, key: world.walletKey, headers: { "Svc-Version": "soon", ...long } },
          403,
          "forbidden",
        ],
        [{ ...sent, headers: { "Svc-Version": "soon", ...long } }, 400, "invalid_api_version"],
        [
          { ...sent, headers: { "Svc-Version": "2020-01-01", ...named, ...long } },
          400,
          "unknown_api_version",
        ],
        ...(isRequired ? [[{ ...sent, headers: long }, 401, "missing_merchant_id"] as const] : []),
        [{ ...sent, headers: { ...named, ...long } }, 400, "params_validation"],
        [{ ...sent, headers: named }, 404, "payment_not_found"],
      ]
      for (const [each, status, code] of steps) {
        const answer = yield* Scene.send(each)
        Scene.isProblem(answer, status, code)
        if (code === "params_validation") {
          assert.deepStrictEqual(Scene.fieldsOf(answer), ["Idempotency-Key"])
        }
      }
    }),
  )
}

/** On reads the Idempotency-Key is accepted, and does nothing. */
export const remembersNoRead = (
  request: (world: Gateway.World, id: string) => Scene.Sent,
): void => {
  play("accepts an Idempotency-Key, and remembers nothing under it", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const first = yield* Scene.createPayment(key, merchantId)
      const second = yield* Scene.createPayment(key, merchantId)
      const keyed = (id: string) => {
        const sent = request(world, id)
        return { ...sent, headers: { ...sent.headers, "Idempotency-Key": "k".repeat(255) } }
      }
      const before = yield* Scene.send(keyed(first))
      yield* Scene.send({ method: "POST", path: `/v1/payments/${second}/cancel`, key })
      const after = yield* Scene.send(keyed(second))
      const again = yield* Scene.send(keyed(first))
      assert.strictEqual(Scene.at(before.body, "status"), "requires_action", before.text)
      assert.strictEqual(Scene.at(after.body, "status"), "cancelled", after.text)
      assert.strictEqual(Scene.at(again.body, "status"), "requires_action", again.text)
      for (const { headers } of [before, after, again]) {
        assert.isNull(headers.get("idempotency-replayed"))
      }
    }),
  )
}

// Lists.

export type Query = ReadonlyArray<readonly [string, string]>

export const withQuery = (path: string, query: Query): string =>
  query.length === 0
    ? path
    : `${path}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`

export const all = (key: string, query: Query = []): Scene.Sent => ({
  path: withQuery("/v1/payments", query),
  key,
})

export const get = Effect.fnUntraced(function* (sent: Scene.Sent) {
  const answer = yield* Scene.send(sent)
  assert.strictEqual(answer.status, 200, `${sent.path}: ${answer.text}`)
  return answer
})

export const idsOf = (body: Scene.Json): ReadonlyArray<string> =>
  Scene.list(body, "data").map((item) => Scene.text(item, "paymentId"))

export const ids = (sent: Scene.Sent) => Effect.map(get(sent), ({ body }) => idsOf(body))

export const cursorOf = (body: Scene.Json): string | null => {
  const cursor = Scene.at(body, "nextCursor")
  return cursor === null ? null : Scene.text(body, "nextCursor")
}

/** The own partner with sixty payments of three merchants, and as many of its other mode and of another partner. */
export const stocked = Effect.fnUntraced(function* (scene: Scene.Scene) {
  const { other, own } = scene
  const merchantIds = [
    own.merchantId,
    yield* Scene.createMerchant(own.key, "Second"),
    yield* Scene.createMerchant(own.key, "Third"),
  ] as const
  const live = yield* Scene.createMerchant(own.liveKey, "Live")
  const owner = { partnerId: own.partner.id, mode: "test" } as const
  const known = yield* Effect.orDie(Catalogue.populate(owner, merchantIds))
  yield* Effect.orDie(Catalogue.populate({ ...owner, mode: "live" }, [live]))
  yield* Effect.orDie(
    Catalogue.populate({ ...owner, partnerId: other.partner.id }, [other.merchantId]),
  )
  return { merchantIds, known, live }
})

/** A stocked service for many tests: to stock one takes longer than most lists. Nobody may change anything in it. */
export class Stock extends Context.Service<
  Stock,
  Effect.Success<ReturnType<typeof stocked>> & { readonly world: Scene.Scene }
>()("@florin/server/test/Stock") {
  static readonly layer = Layer.effect(
    Stock,
    Effect.flatMap(Scene.make, (world) =>
      Effect.map(stocked(world), (stock) => ({ ...stock, world })),
    ),
  ).pipe(Layer.provideMerge(Scene.layer()))
}

/** The ids of what a list must show. */
export const expected = (known: ReadonlyArray<Catalogue.Known>) => known.map(({ id }) => id)
