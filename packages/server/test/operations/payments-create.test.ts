import { assert, describe } from "@effect/vitest"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Merchants from "@florin/core/engine/Merchants"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
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
const asked = (unit: Scene.Json, value: Scene.Json) => changed({ amount: { unit, value } })

const usdcOnBase = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

const uint256 = 2n ** 256n

describe("POST /v1/payments", () => {
  play("returns 201 with the payment, and nothing else", (scene) =>
    Effect.gen(function* () {
      const answer = yield* Scene.send(create(scene.own))
      assert.strictEqual(answer.status, 201, answer.text)
      const paymentId = Scene.text(answer.body, "paymentId")
      assert.match(paymentId, /^pay_[0-9A-Za-z]{26,64}$/u)
      const pollInMs = Scene.at(answer.body, "pollInMs")
      assert.deepStrictEqual(answer.body, {
        paymentId,
        status: "requires_action",
        expiresAt: nowInS + 300,
        isFinal: false,
        pollInMs: Number(pollInMs),
        gatewayUrl: `https://pay.example.com/?pid=${paymentId}`,
        metadata: {},
      })
      assert.isTrue(Number(pollInMs) >= 1000 && Number(pollInMs) <= 3000)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      for (const name of ["idempotency-replayed", "deprecation", "link"]) {
        assert.isNull(answer.headers.get(name))
      }
    }),
  )

  play("stores the request, and assigns ids that increase with time", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const first = yield* creates(create(own))
      yield* TestClock.adjust("1 millis")
      const second = yield* creates(create(own, { ...example, expiresAt: nowInS + 60 }))
      assert.isTrue(first < second)
      const payment = yield* stored(second)
      assert.strictEqual(payment.referenceId, example.referenceId)
      assert.strictEqual(payment.merchantId, MerchantId.MerchantId.make(own.merchantId))
      assert.strictEqual(payment.mode, "test")
      assert.strictEqual(payment.createdAt, Scene.now + 1)
      assert.strictEqual(payment.expiresAt, nowInS + 60)
    }),
  )

  play("creates a second payment for the same reference", (scene) =>
    Effect.gen(function* () {
      const first = yield* creates(create(scene.own))
      const second = yield* creates(create(scene.own))
      assert.notStrictEqual(first, second)
      assert.lengthOf(yield* listed(scene.own.key), 2)
    }),
  )

  const referenced = (referenceId: string) => changed({ referenceId })
  const ending = (expiresAt: number) => changed({ expiresAt })
  Laws.refusesBodies(
    ({ own }) => Effect.succeed(create(own)),
    [
      [
        "every member",
        () => ({ referenceId: "a\n", amount: { unit: "USD", value: "-1" }, expiresAt: 1 }),
        ["referenceId", "amount.unit", "expiresAt"],
      ],
      ["a blank reference", referenced("   "), ["referenceId"]],
      ["half a surrogate pair", referenced("\ud800"), ["referenceId"]],
      ["a reference of 256 characters", referenced("😀".repeat(256)), ["referenceId"]],
      ["no amount", asked("iso4217/USD", "0"), ["amount.value"]],
      ["an amount that is not whole", asked("iso4217/USD", "1.0"), ["amount.value"]],
      ["no amount of a token", asked(`caip19/${usdcOnBase}`, "0"), ["amount.value"]],
      ["2^256 of a token", asked(`caip19/${usdcOnBase}`, `${uint256}`), ["amount.value"]],
      ["a token without prefix", asked(usdcOnBase, "1"), ["amount.unit"]],
      [
        "an unknown token",
        asked(`caip19/${usdcOnBase.replace("0x8", "0x9")}`, "1"),
        ["amount.unit"],
      ],
      ["an end now", ending(nowInS), ["expiresAt"]],
      ["an end in more than seven days", ending(nowInS + week + 1), ["expiresAt"]],
      ["an end between two seconds", ending(nowInS + 60.5), ["expiresAt"]],
    ],
  )

  play("accepts every amount from 1 to 2^256 - 1, and returns it as it was sent", (scene) =>
    Effect.gen(function* () {
      for (const value of ["1", "9007199254740993", `${uint256 - 1n}`]) {
        const id = yield* creates(create(scene.own, asked(`caip19/${usdcOnBase}`, value)()))
        assert.strictEqual((yield* stored(id)).amount.quantity.toString(), value)
        const [newest] = yield* listed(scene.own.key)
        assert.strictEqual(Scene.text(newest, "paymentId"), id)
        assert.strictEqual(Scene.text(newest, "tokenAmount", "value"), value)
        yield* TestClock.adjust("1 millis")
      }
    }),
  )

  play("refuses an amount of a currency that does not fit into a token of 18 decimals", (scene) =>
    Effect.gen(function* () {
      const largest = (uint256 - 1n) / 10n ** 16n
      yield* creates(create(scene.own, asked("iso4217/USD", largest.toString())()))
      const answer = yield* Scene.send(
        create(scene.own, asked("iso4217/USD", (largest + 1n).toString())()),
      )
      assert.deepStrictEqual(Scene.fieldsOf(answer), ["amount.value"])
    }),
  )

  play("refuses a currency without a rate source, and stores nothing", (scene) =>
    Effect.gen(function* () {
      for (const currency of ["GBP", "CHF", "JPY", "SEK"]) {
        const answer = yield* Scene.send(create(scene.own, asked(`iso4217/${currency}`, "100")()))
        Scene.isProblem(answer, 400, "params_validation")
        assert.deepStrictEqual(Scene.fieldsOf(answer), ["amount.unit"])
        assert.include(answer.text, `no rate from ${currency} to USD or EUR is configured`)
      }
      assert.deepStrictEqual(yield* listed(scene.own.key), [])
    }),
  )

  play("offers only the token in which the amount is given", (scene) =>
    Effect.gen(function* () {
      const { own, walletKey } = scene
      const id = yield* creates(create(own, asked(`caip19/${usdcOnBase}`, "1234")()))
      const accounts = [1, 56, 8453, 42161].map((chain) => Scene.accountOf(Scene.payer, chain))
      const answer = yield* Scene.send({
        path: `/v1/gateway/payment/${id}/options`,
        key: walletKey,
        body: { accounts },
      })
      const amounts = Scene.list(answer.body, "options").map((option) => [
        Scene.text(option, "amount", "unit"),
        Scene.text(option, "amount", "value"),
      ])
      assert.deepStrictEqual(amounts, [[`caip19/${usdcOnBase}`, "1234"]])
    }),
  )

  play("accepts references of up to 255 characters, and stores them as they were sent", (scene) =>
    Effect.gen(function* () {
      for (const referenceId of [
        " a ",
        "😀".repeat(255),
        "ä/ß 注文 #7 % _ \\ ' \" <b>",
        "e\u0301",
      ]) {
        const id = yield* creates(create(scene.own, { ...example, referenceId }))
        const details = yield* Scene.send({
          path: `/v1/payments/${id}`,
          key: scene.own.key,
          headers: { "Merchant-Id": scene.own.merchantId },
        })
        assert.strictEqual(Scene.text(details.body, "referenceId"), referenceId)
      }
    }),
  )

  play("accepts an expiry from the next second to seven days from now", (scene) =>
    Effect.gen(function* () {
      for (const expiresAt of [nowInS + 1, nowInS + 60, nowInS + week]) {
        const answer = yield* Scene.send(create(scene.own, { ...example, expiresAt }))
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(Scene.at(answer.body, "expiresAt"), expiresAt)
      }
      // In the middle of a second the same second is over already.
      yield* TestClock.adjust("999 millis")
      const passed = yield* Scene.send(create(scene.own, { ...example, expiresAt: nowInS }))
      assert.deepStrictEqual(Scene.fieldsOf(passed), ["expiresAt"])
      const answer = yield* Scene.send(create(scene.own))
      assert.strictEqual(Scene.at(answer.body, "expiresAt"), nowInS + 300)
    }),
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
  Effect.orDie(Merchants.setStatus({ partnerId: scene.own.partner.id, mode: "test" }, id, status))

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

  play("checks the body before the merchant", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      const nobody = { key, merchantId: "mrch_0" }
      const wrong = [
        [{}, ["referenceId", "amount"]],
        [{ ...example, referenceId: "\n" }, ["referenceId"]],
        [{ ...example, expiresAt: nowInS }, ["expiresAt"]],
        [asked("iso4217/USD", "0")(), ["amount.value"]],
      ] as const
      for (const [body, fields] of wrong) {
        yield* Laws.invalid(scene, create(nobody, body), fields)
      }
      yield* Laws.refused(scene, create(nobody), 404, "merchant_not_found")
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
        [
          { ...checkout, errorUrl: `https://shop.example/${"a".repeat(2048)}` },
          ["checkout.errorUrl"],
        ],
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

const keyed = (named: Named, idempotencyKey: string, body: Scene.Json = example) =>
  create(named, body, { "Idempotency-Key": idempotencyKey })

const replays = Effect.fnUntraced(function* (sent: Scene.Sent, first: Scene.Reply) {
  const again = yield* Scene.send(sent)
  assert.deepStrictEqual(told(again), told(first))
  assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
  assert.notStrictEqual(again.headers.get("request-id"), first.headers.get("request-id"))
})

describe("POST /v1/payments with an Idempotency-Key", () => {
  play(
    "repeats the first response, even if the payment expired or its merchant was deleted",
    (scene) =>
      Effect.gen(function* () {
        const { key, merchantId } = scene.own
        const body = { ...example, expiresAt: nowInS + 60 }
        const sent = keyed(scene.own, "once", body)
        const first = yield* Scene.send(sent)
        assert.strictEqual(first.status, 201, first.text)
        assert.isNull(first.headers.get("idempotency-replayed"))
        yield* replays(sent, first)
        yield* TestClock.adjust("2 minutes")
        yield* replays(sent, first)
        yield* Scene.work
        yield* replays(sent, first)
        yield* remove(key, merchantId)
        yield* replays(sent, first)
        yield* TestClock.adjust("23 hours")
        yield* replays(sent, first)
        assert.lengthOf(yield* listed(key), 1)
      }),
  )

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

  play("refuses a change of any member under the same key", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      const sibling = yield* Scene.createMerchant(key, "Sibling")
      const sent = keyed(scene.own, "once")
      const first = yield* Scene.send(sent)
      for (const other of [
        keyed(scene.own, "once", { ...example, referenceId: "ORDER-8" }),
        keyed(scene.own, "once", asked("iso4217/USD", "1235")()),
        keyed(scene.own, "once", asked("iso4217/EUR", "1234")()),
        keyed(scene.own, "once", { ...example, expiresAt: nowInS + 300 }),
        keyed({ key, merchantId: sibling }, "once"),
        create(scene.own, { ...example, checkout }, { ...preview, "Idempotency-Key": "once" }),
      ]) {
        yield* Laws.refused(scene, other, 409, "idempotency_conflict")
      }
      yield* replays(keyed({ key, merchantId }, "once"), first)
    }),
  )

  play("creates one payment per call without a key", (scene) =>
    Effect.gen(function* () {
      const ids = yield* Effect.all(
        Array.from({ length: 20 }, () => creates(create(scene.own))),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(new Set(ids).size, 20)
      assert.lengthOf(yield* listed(scene.own.key), 20)
    }),
  )
})
