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

/** Sends what must create a payment; answers its id. */
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

const subject: Laws.Subject = {
  good: ({ own }) => Effect.succeed(create(own)),
  status: 201,
}

const changed = (changes: Body) => () => ({ ...example, ...changes })
const asked = (unit: Scene.Json, value: Scene.Json) => changed({ amount: { unit, value } })

const neitherTextNorNull: ReadonlyArray<Scene.Json> = [1, true, [], ["a"], {}]
const notText = [null, ...neitherTextNorNull]

const usdcOnBase = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const unlisted = `eip155:8453/erc20:0x${"1".repeat(40)}`

const uint256 = 2n ** 256n

const badValues = [
  "-1",
  "+1",
  "01",
  "0x10",
  " 1",
  "1 ",
  "",
  " ",
  "0",
  "00",
  "-0",
  "1e18",
  "1.0",
  "1,000",
  "1_000",
  "NaN",
  "Infinity",
  "１２３",
  "٣",
  "1\n",
  "1\0",
  "9".repeat(78),
  uint256.toString(),
  `1${"0".repeat(78)}`,
  "9".repeat(5000),
]

const goodValues = [
  "1",
  "9",
  "10",
  "1234",
  Number.MAX_SAFE_INTEGER.toString(),
  "9007199254740993",
  (2n ** 128n).toString(),
  "9".repeat(77),
  `1${"0".repeat(77)}`,
  (uint256 - 1n).toString(),
]

const badUnits = [
  "",
  "USD",
  "usd",
  "iso4217/",
  "iso4217/usd",
  "iso4217/Usd",
  "ISO4217/USD",
  "iso4217/XXX",
  "iso4217/USD ",
  " iso4217/USD",
  "iso4217/USD/1",
  "iso4217/toString",
  "iso4217/__proto__",
  "caip19/",
  usdcOnBase,
  `CAIP19/${usdcOnBase}`,
  `caip19/${unlisted}`,
  `caip19/${usdcOnBase}0`,
  `caip19/${usdcOnBase}/1`,
  `caip19/eip155:1/${usdcOnBase.split("/")[1]}`,
  `caip19/eip155:08453/${usdcOnBase.split("/")[1]}`,
  "caip19/eip155:8453/erc721:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  "caip19/eip155:8453/slip44:60",
  "caip19/solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
]

const goodUnits = [
  "iso4217/USD",
  "iso4217/EUR",
  `caip19/${usdcOnBase}`,
  `caip19/${usdcOnBase.toLowerCase()}`,
  "caip19/eip155:56/erc20:0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
  "caip19/eip155:1/erc20:0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c",
]

const badExpiries: ReadonlyArray<Scene.Json> = [
  nowInS - 1,
  nowInS,
  nowInS + week + 1,
  nowInS + 60.5,
  0,
  -1,
  -nowInS,
  1e300,
  Scene.now + 60_000,
  String(nowInS + 60),
  "",
  true,
  [],
  [nowInS + 60],
  {},
]

const badReferences = [
  "",
  "a".repeat(256),
  "😀".repeat(256),
  "a\0b",
  "a\nb",
  "a\tb",
  "a\u001fb",
  "a\u007fb",
  "a\u0085b",
  "\ud800",
  "a\udc00b",
  "\udc00\ud800",
  "   ",
  "\u00a0",
]

const goodReferences = [
  "a",
  "0",
  " a ",
  "a".repeat(255),
  "😀".repeat(255),
  "ä/ß 注文 #7 % _ \\ ' \" <b>",
  "e\u0301",
  "__proto__",
]

describe("POST /v1/payments", () => {
  Laws.ofPartners(subject)
  Laws.ofBodies(subject)

  play("answers 201 with the payment, and nothing else", (scene) =>
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

  play("keeps what was asked, and counts ids up with time", (scene) =>
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

  play("takes the same reference again: it names nothing", (scene) =>
    Effect.gen(function* () {
      const first = yield* creates(create(scene.own))
      const second = yield* creates(create(scene.own))
      assert.notStrictEqual(first, second)
      assert.lengthOf(yield* listed(scene.own.key), 2)
    }),
  )

  Laws.ofFields(subject, [
    ["an empty object", () => ({}), ["referenceId", "amount"]],
    ["a body without a reference", () => ({ amount: example.amount }), ["referenceId"]],
    ["a body without an amount", () => ({ referenceId: "a" }), ["amount"]],
    ["an amount without a unit", changed({ amount: { value: "1" } }), ["amount.unit"]],
    ["an amount without a value", changed({ amount: { unit: "iso4217/USD" } }), ["amount.value"]],
    ["an empty amount", changed({ amount: {} }), ["amount.unit", "amount.value"]],
    [
      "names in another case",
      () => ({ ReferenceId: "a", referenceid: "a", Amount: example.amount }),
      ["referenceId", "amount"],
    ],
    [
      "every wrong type at once",
      () => ({ referenceId: 1, amount: { unit: 1, value: 1 }, expiresAt: "1", merchantId: 1 }),
      ["referenceId", "amount.unit", "amount.value", "expiresAt", "merchantId"],
    ],
    [
      "every wrong value at once",
      () => ({ referenceId: "a\n", amount: { unit: "USD", value: "1" }, expiresAt: 1 }),
      ["referenceId", "amount.unit", "expiresAt"],
    ],
  ])

  const tables = {
    referenceId: [...badReferences, ...notText],
    amount: [null, 1, "1", true, []],
    "amount.unit": [...badUnits, ...notText],
    "amount.value": [...badValues, ...notText, 1234, 9007199254740992, 0.1, -1],
    expiresAt: badExpiries,
    merchantId: neitherTextNorNull,
  } as const
  const bodyWith: Readonly<Record<keyof typeof tables, (value: Scene.Json) => Scene.Json>> = {
    referenceId: (value) => ({ ...example, referenceId: value }),
    amount: (value) => ({ ...example, amount: value }),
    "amount.unit": (value) => asked(value, "1")(),
    "amount.value": (value) => asked("iso4217/USD", value)(),
    expiresAt: (value) => ({ ...example, expiresAt: value }),
    merchantId: (value) => ({ ...example, merchantId: value }),
  }
  for (const field of [
    "referenceId",
    "amount",
    "amount.unit",
    "amount.value",
    "expiresAt",
    "merchantId",
  ] as const) {
    play(`refuses every wrong ${field}, and names it`, (scene) =>
      Effect.gen(function* () {
        for (const value of tables[field]) {
          const body = bodyWith[field](value)
          const { key } = scene.own
          const answer = yield* Scene.send({ path: "/v1/payments", key, body })
          assert.deepStrictEqual(Scene.fieldsOf(answer), [field], wordOf(value))
        }
        assert.deepStrictEqual(yield* listed(scene.own.key), [])
      }),
    )
  }

  play("refuses a token's amounts like a currency's", (scene) =>
    Effect.gen(function* () {
      for (const value of badValues) {
        const sent = create(scene.own, asked(`caip19/${usdcOnBase}`, value)())
        assert.deepStrictEqual(Scene.fieldsOf(yield* Scene.send(sent)), ["amount.value"], value)
      }
      assert.deepStrictEqual(yield* listed(scene.own.key), [])
    }),
  )

  play("takes every amount from 1 to 2^256 - 1 exactly, and shows it as it was sent", (scene) =>
    Effect.gen(function* () {
      for (const value of goodValues) {
        const id = yield* creates(create(scene.own, asked(`caip19/${usdcOnBase}`, value)()))
        assert.strictEqual((yield* stored(id)).amount.quantity.toString(), value)
        const [newest] = yield* listed(scene.own.key)
        assert.strictEqual(Scene.text(newest, "paymentId"), id)
        assert.strictEqual(Scene.text(newest, "tokenAmount", "value"), value)
        yield* TestClock.adjust("1 millis")
      }
    }),
  )

  play(
    "takes no more than fits into every token, in which one unit has up to 18 decimals",
    (scene) =>
      Effect.gen(function* () {
        const largest = (uint256 - 1n) / 10n ** 16n
        yield* creates(create(scene.own, asked("iso4217/USD", largest.toString())()))
        const answer = yield* Scene.send(
          create(scene.own, asked("iso4217/USD", (largest + 1n).toString())()),
        )
        assert.deepStrictEqual(Scene.fieldsOf(answer), ["amount.value"])
      }),
  )

  play("takes currencies and listed tokens", (scene) =>
    Effect.gen(function* () {
      for (const unit of goodUnits) {
        yield* creates(create(scene.own, asked(unit, "100")()))
      }
      assert.lengthOf(yield* listed(scene.own.key), goodUnits.length)
    }),
  )

  play("refuses a currency that no source could ever price, and stores nothing", (scene) =>
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

  play("asks a token's amount in that token alone", (scene) =>
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

  play("takes references of 1 to 255 characters, and keeps them as they were sent", (scene) =>
    Effect.gen(function* () {
      for (const referenceId of goodReferences) {
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

  play("takes an end from the next second to seven days from now", (scene) =>
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

  play("reads numbers of JSON in every spelling", (scene) =>
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

  play("ignores members of an amount that it does not know", (scene) =>
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
  play("takes the merchant from the header, from the body, or from both alike", (scene) =>
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

  play("refuses a header and a body that name different merchants", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      const sibling = yield* Scene.createMerchant(key, "Sibling")
      for (const other of [sibling, scene.other.merchantId, "mrch_0", "", "nothing"]) {
        const body = { ...example, merchantId: other }
        yield* Laws.invalid(scene, create({ key, merchantId }, body), ["merchantId"])
      }
    }),
  )

  play("pays the only active merchant where none is named", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      const paid = (sent: Scene.Sent) =>
        Effect.map(Effect.flatMap(creates(sent), stored), (payment) => String(payment.merchantId))
      assert.strictEqual(yield* paid({ ...without, key }), merchantId)
      const second = yield* Scene.createMerchant(key, "Second")
      yield* Laws.refused(scene, { ...without, key }, 401, "missing_merchant_id")
      for (const status of ["inactive", "suspended"] as const) {
        yield* setStatus(scene, second, status)
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

  play("pays no merchant of the other mode where none is named", (scene) =>
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

  play("answers alike for merchants that are not there, and for those that take nothing", (scene) =>
    Effect.gen(function* () {
      const { key, liveKey } = scene.own
      const inactive = yield* Scene.createMerchant(key, "Inactive")
      yield* setStatus(scene, inactive, "inactive")
      const deleted = yield* Scene.createMerchant(key, "Deleted")
      yield* remove(key, deleted)
      const live = yield* Scene.createMerchant(liveKey, "Live")
      const messages = new Set<string>()
      for (const merchantId of [
        "mrch_00000000000000000000000000",
        "mrch_",
        "mrch_%",
        "nothing",
        "__proto__",
        "m".repeat(3000),
        scene.other.merchantId,
        scene.own.merchantId.toUpperCase(),
        inactive,
        deleted,
        live,
      ]) {
        const named = { ...example, merchantId }
        for (const sent of [create({ key, merchantId }), { ...without, key, body: named }]) {
          const { body } = yield* Laws.refused(scene, sent, 404, "merchant_not_found")
          assert.hasAllKeys(body, ["code", "message", "requestId"])
          messages.add(Scene.text(body, "message"))
        }
      }
      assert.strictEqual(messages.size, 1)
    }),
  )

  play("takes an empty name in the body for a merchant that is not there", (scene) =>
    Effect.gen(function* () {
      const body = { ...example, merchantId: "" }
      const sent = { path: "/v1/payments", key: scene.own.key, body }
      yield* Laws.refused(scene, sent, 404, "merchant_not_found")
    }),
  )

  play("judges the body before it looks for the merchant", (scene) =>
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

  play("judges version, Merchant-Id, Idempotency-Key, body and merchant in this order", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      yield* Scene.createMerchant(key, "Second")
      const long = { "Idempotency-Key": "k".repeat(256) }
      const version = { "Svc-Version": "soon", "Merchant-Id": "é" }
      const all = { ...without, body: { ...example, referenceId: "\n" }, headers: version }
      yield* Laws.refused(
        scene,
        { ...all, headers: { ...version, ...long } },
        401,
        "missing_api_key",
      )
      yield* Laws.refused(scene, { ...all, key, headers: version }, 400, "invalid_api_version")
      yield* Laws.refused(
        scene,
        { ...all, key, headers: { "Merchant-Id": "é", ...long } },
        400,
        "header_not_ascii",
      )
      const nobody = { "Merchant-Id": "mrch_0" }
      yield* Laws.invalid(scene, { ...all, key, headers: { ...nobody, ...long } }, [
        "Idempotency-Key",
      ])
      yield* Laws.invalid(scene, { ...all, key, headers: nobody }, ["referenceId"])
      yield* Laws.refused(scene, { ...without, key, headers: nobody }, 404, "merchant_not_found")
    }),
  )
})

const checkout = { successUrl: "https://shop.example/thanks", errorUrl: "https://shop.example/no" }
const preview = { "Svc-Version": "2026-02-19.preview" }

describe("POST /v1/payments with checkout", () => {
  play("keeps it, in every version", (scene) =>
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

  play("takes only https, and both addresses or none", (scene) =>
    Effect.gen(function* () {
      const bad: ReadonlyArray<readonly [Scene.Json, ReadonlyArray<string>]> = [
        ["https://shop.example", ["checkout"]],
        [1, ["checkout"]],
        [[], ["checkout"]],
        [{}, ["checkout.successUrl", "checkout.errorUrl"]],
        [{ successUrl: checkout.successUrl }, ["checkout.errorUrl"]],
        [{ ...checkout, errorUrl: null }, ["checkout.errorUrl"]],
        [{ ...checkout, successUrl: 1 }, ["checkout.successUrl"]],
        ...[
          "",
          "http://shop.example/",
          "HTTPS://shop.example",
          "shop.example",
          "//shop.example",
          "javascript:alert(1)",
          "https://",
          "https://user@shop.example/",
          "https://shop.example/ä",
          "https://shop.example/ a",
          ` ${checkout.successUrl}`,
          `https://shop.example/${"a".repeat(2048)}`,
        ].flatMap(
          (url) =>
            [
              [{ ...checkout, successUrl: url }, ["checkout.successUrl"]],
              [{ ...checkout, errorUrl: url }, ["checkout.errorUrl"]],
            ] as const,
        ),
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
  play("answers a repeated call as the first, whatever happened since", (scene) =>
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

  play("answers the same after the payment was paid or cancelled", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      const paid = keyed(scene.own, "paid")
      const cancelled = keyed(scene.own, "cancelled", { ...example, referenceId: "other" })
      const first = yield* Scene.send(paid)
      const second = yield* Scene.send(cancelled)
      const id = Scene.text(second.body, "paymentId")
      yield* Scene.send({ method: "POST", path: `/v1/payments/${id}/cancel`, key })
      yield* Scene.pay(scene.walletKey, Scene.text(first.body, "paymentId"))
      yield* replays(paid, first)
      yield* replays(cancelled, second)
      assert.lengthOf(yield* listed(key), 2)
    }),
  )

  play("answers the same without a merchant named, after others were added", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      const sent = { ...without, key, headers: { "Idempotency-Key": "once" } }
      const first = yield* Scene.send(sent)
      assert.strictEqual(first.status, 201, first.text)
      yield* Scene.createMerchant(key, "Second")
      yield* replays(sent, first)
    }),
  )

  play("takes a body of the same meaning for the same", (scene) =>
    Effect.gen(function* () {
      const sent = keyed(scene.own, "once")
      const first = yield* Scene.send(sent)
      for (const raw of [
        ` {"amount" : {"value":"1234","unit":"iso4217/USD"},"referenceId":"ORDER\\u002d7" }\n`,
        `{"referenceId":"ORDER-7","unknown":[1],"amount":{"unit":"iso4217/USD","value":"1234"}}`,
      ]) {
        yield* replays(Laws.withRaw(sent, raw), first)
      }
      assert.lengthOf(yield* listed(scene.own.key), 1)
    }),
  )

  play("refuses everything else under a key that was used", (scene) =>
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

  play("knows the key of another partner, mode or case for another key", (scene) =>
    Effect.gen(function* () {
      const { key, liveKey, merchantId } = scene.own
      const live = yield* Scene.createMerchant(liveKey, "Live")
      const ids = yield* Effect.forEach(
        [
          keyed({ key, merchantId }, "once"),
          keyed({ key: liveKey, merchantId: live }, "once"),
          keyed(scene.other, "once"),
          keyed({ key, merchantId }, "Once"),
          keyed({ key, merchantId }, "once 2"),
        ],
        creates,
      )
      assert.strictEqual(new Set(ids).size, ids.length)
    }),
  )

  play("forgets a key after a day at the earliest", (scene) =>
    Effect.gen(function* () {
      const sent = keyed(scene.own, "once")
      const first = yield* Scene.send(sent)
      yield* TestClock.adjust(24 * 60 * 60 * 1000 - 1)
      yield* replays(sent, first)
    }),
  )

  play("takes keys of 1 to 255 printable ASCII characters", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      for (const bad of ["k".repeat(256), "k".repeat(5000), "", "a\tb"]) {
        yield* Laws.invalid(scene, keyed(own, bad), ["Idempotency-Key"])
      }
      for (const bad of ["é", "clé", "\u00a0x"]) {
        yield* Laws.refused(scene, keyed(own, bad), 400, "header_not_ascii")
      }
      for (const good of ["k", "k".repeat(255), "a b", "~!@#$%^&*()_+{}|:<>?", "__proto__"]) {
        yield* creates(keyed(own, good))
      }
    }),
  )

  play("remembers nothing of a call that was refused", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      const sent = keyed(scene.own, "once")
      for (const body of [{}, { ...example, referenceId: "" }, { ...example, expiresAt: 1 }, []]) {
        Scene.isProblem(yield* Scene.send({ ...sent, body }), 400, "params_validation")
      }
      Scene.isProblem(yield* Scene.send(Laws.withRaw(sent, "{")), 400, "invalid_params")
      const nobody = keyed({ key, merchantId: "mrch_0" }, "once")
      Scene.isProblem(yield* Scene.send(nobody), 404, "merchant_not_found")
      yield* creates(sent)
    }),
  )

  play("makes one payment of many calls at once", (scene) =>
    Effect.gen(function* () {
      const sent = keyed(scene.own, "once")
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => Scene.send(sent)),
        { concurrency: "unbounded" },
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      const fresh = answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)
      assert.lengthOf(fresh, 1)
      assert.lengthOf(yield* listed(scene.own.key), 1)
    }),
  )

  play("makes as many payments as there are calls without a key", (scene) =>
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
