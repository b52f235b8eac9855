import { assert, describe } from "@effect/vitest"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import * as Payments from "./payments.ts"

const { play } = Payments

type Body = Readonly<Record<string, Scene.Json>>

const nowInS = Scene.now / 1000
const week = 7 * 24 * 60 * 60

const example = { referenceId: "ORDER-7", amount: { unit: "iso4217/USD", value: "1234" } }

interface Named {
  readonly key: string
  readonly merchantId: string
}

const create = ({ key, merchantId }: Named, body: Scene.Json = example, headers = {}) => ({
  path: "/v1/payments",
  key,
  headers: { "Merchant-Id": merchantId, ...headers },
  body,
})

/** Creates a payment; returns its id. */
const creates = Effect.fnUntraced(function* (sent: Scene.Sent) {
  const answer = yield* Scene.send(sent)
  assert.strictEqual(answer.status, 201, answer.text)
  assert.isNull(answer.headers.get("idempotency-replayed"))
  return Scene.text(answer.body, "paymentId")
})

const stored = Effect.fnUntraced(function* (id: string) {
  return yield* (yield* PaymentStore).payment(PaymentId.PaymentId.make(id))
})

const listed = Effect.fnUntraced(function* (key: string) {
  const answer = yield* Scene.send({ path: "/v1/payments", key })
  return Scene.list(answer.body, "data")
})

const wordOf = (value: unknown): string => JSON.stringify(value).slice(0, 60)

const changed = (changes: Body) => () => ({ ...example, ...changes })

describe("POST /v1/payments", () => {
  const ending = (expiresAt: number) => changed({ expiresAt })
  Laws.refusesBodies(
    ({ own }) => Effect.succeed(create(own)),
    [
      [
        "every member",
        () => ({ referenceId: "a\n", amount: { unit: "USD", value: "-1" }, expiresAt: 1 }),
        ["referenceId", "amount.unit", "expiresAt"],
      ],
      ["an end now", ending(nowInS), ["expiresAt"]],
      ["an end in more than seven days", ending(nowInS + week + 1), ["expiresAt"]],
    ],
  )

  play("reads JSON numbers and strings in every spelling", (scene) =>
    Effect.gen(function* () {
      const sent = create(scene.own)
      for (const spelling of [`${nowInS + 60}`, `${nowInS + 60}.0`, `${(nowInS + 60) / 100}e2`]) {
        const raw = `{"referenceId":"a","amount":{"unit":"iso4217\\/USD","value":"\\u0031"},"expiresAt":${spelling}}`
        const answer = yield* Scene.send(Laws.withRaw(sent, raw))
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(Scene.at(answer.body, "expiresAt"), nowInS + 60)
      }
    }),
  )

  play("ignores unknown members of an amount", (scene) =>
    Effect.gen(function* () {
      const amount = { ...example.amount, display: { decimals: 18 }, decimals: 6 }
      const id = yield* creates(create(scene.own, { ...example, amount }))
      assert.strictEqual((yield* stored(id)).amount.quantity.toString(), "1234")
    }),
  )
})

const without = { path: "/v1/payments", body: example }

const setStatus = (scene: Scene.Scene, id: string, status: "active" | "inactive" | "suspended") =>
  Effect.orDie(
    Merchants.changeAsOperator({ partnerId: scene.own.partner.id, mode: "test" }, id, { status }),
  )

const remove = (key: string, merchantId: string) =>
  Scene.send({ method: "DELETE", path: `/v1/merchants/${merchantId}`, key })

describe("POST /v1/payments for a merchant", () => {
  play("reads the merchant from the header, the body, or both if they agree", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      const sibling = yield* Scene.createMerchant(key, "Sibling")
      const named = { ...example, merchantId: sibling }
      const header = { "Merchant-Id": sibling }
      for (const sent of [
        { ...without, key, headers: header },
        { ...without, key, body: named },
        { ...without, key, headers: header, body: named },
        { ...without, key, headers: { "Merchant-Id": "" }, body: named },
        { ...without, key, headers: { "mERCHANT-iD": sibling } },
      ]) {
        const { merchantId: paid } = yield* stored(yield* creates(sent))
        assert.strictEqual(paid, MerchantId.MerchantId.make(sibling))
        assert.notStrictEqual(paid, MerchantId.MerchantId.make(merchantId))
      }
    }),
  )

  play("refuses a header and a body with different merchants", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      const sibling = yield* Scene.createMerchant(key, "Sibling")
      for (const other of [sibling, scene.other.merchantId, "mrch_0", "", "nothing"]) {
        const body = { ...example, merchantId: other }
        yield* Laws.invalid(scene, create({ key, merchantId }, body), ["merchantId"])
      }
    }),
  )

  play("uses the only active merchant by default, and refuses an inactive one", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      const paid = (sent: Scene.Sent) =>
        Effect.map(Effect.flatMap(creates(sent), stored), (payment) => String(payment.merchantId))
      assert.strictEqual(yield* paid({ ...without, key }), merchantId)
      const second = yield* Scene.createMerchant(key, "Second")
      yield* Laws.refused(scene, { ...without, key }, 401, "missing_merchant_id")
      for (const [status, refusal, code] of [
        ["inactive", 404, "merchant_not_found"],
        ["suspended", 403, "forbidden"],
      ] as const) {
        yield* setStatus(scene, second, status)
        const named = { ...without, key, body: { ...example, merchantId: second } }
        yield* Laws.refused(scene, named, refusal, code)
        assert.strictEqual(yield* paid({ ...without, key }), merchantId)
      }
      yield* setStatus(scene, second, "active")
      yield* Laws.refused(scene, { ...without, key }, 401, "missing_merchant_id")
      yield* remove(key, merchantId)
      assert.strictEqual(yield* paid({ ...without, key }), second)
      yield* remove(key, second)
      yield* Laws.refused(scene, { ...without, key }, 401, "missing_merchant_id")
    }),
  )

  play("ignores merchants of the other mode when it chooses the default", (scene) =>
    Effect.gen(function* () {
      const { liveKey } = scene.own
      yield* Laws.refused(scene, { ...without, key: liveKey }, 401, "missing_merchant_id")
      const live = yield* Scene.createMerchant(liveKey, "Live")
      const payment = yield* stored(yield* creates({ ...without, key: liveKey }))
      assert.strictEqual(String(payment.merchantId), live)
      assert.strictEqual(payment.mode, "live")
      assert.deepStrictEqual(yield* listed(scene.own.key), [])
      assert.lengthOf(yield* listed(liveKey), 1)
    }),
  )
})

const checkout = { successUrl: "https://shop.example/thanks", errorUrl: "https://shop.example/no" }
const preview = { "Svc-Version": "2026-02-19.preview" }

describe("POST /v1/payments with checkout", () => {
  play("stores the addresses, in every version", (scene) =>
    Effect.gen(function* () {
      const body = { ...example, checkout: { ...checkout, extra: 1 } }
      for (const headers of [{}, preview]) {
        const answer = yield* Scene.send(create(scene.own, body, headers))
        assert.strictEqual(answer.status, 201, answer.text)
        assert.deepStrictEqual(Object.keys(Object(answer.body)).toSorted(), [
          "expiresAt",
          "gatewayUrl",
          "isFinal",
          "metadata",
          "paymentId",
          "pollInMs",
          "status",
        ])
        const payment = yield* stored(Scene.text(answer.body, "paymentId"))
        assert.deepStrictEqual(payment.checkout, checkout)
      }
    }),
  )

  play("accepts https only, and both addresses or none", (scene) =>
    Effect.gen(function* () {
      const bad: ReadonlyArray<readonly [Scene.Json, ReadonlyArray<string>]> = [
        [{}, ["checkout.successUrl", "checkout.errorUrl"]],
        [{ successUrl: checkout.successUrl }, ["checkout.errorUrl"]],
        [{ ...checkout, successUrl: "http://shop.example/" }, ["checkout.successUrl"]],
        [{ ...checkout, errorUrl: "javascript:alert(1)" }, ["checkout.errorUrl"]],
      ]
      for (const [value, fields] of bad) {
        const sent = create(scene.own, { ...example, checkout: value })
        assert.deepStrictEqual(Scene.fieldsOf(yield* Scene.send(sent)), fields, wordOf(value))
      }
      assert.deepStrictEqual(yield* listed(scene.own.key), [])
      for (const none of [example, { ...example, checkout: null }]) {
        const payment = yield* stored(yield* creates(create(scene.own, none)))
        assert.isNull(payment.checkout)
      }
    }),
  )
})

const told = ({ body, status, text }: Scene.Reply) => ({ status, body, text })

const replays = Effect.fnUntraced(function* (sent: Scene.Sent, first: Scene.Reply) {
  const again = yield* Scene.send(sent)
  assert.deepStrictEqual(told(again), told(first))
  assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
  assert.notStrictEqual(again.headers.get("request-id"), first.headers.get("request-id"))
})

describe("POST /v1/payments with an Idempotency-Key", () => {
  play("repeats the first response of a call without merchant, after others were added", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      const sent = { ...without, key, headers: { "Idempotency-Key": "once" } }
      const first = yield* Scene.send(sent)
      assert.strictEqual(first.status, 201, first.text)
      yield* Scene.createMerchant(key, "Second")
      yield* replays(sent, first)
    }),
  )
})
