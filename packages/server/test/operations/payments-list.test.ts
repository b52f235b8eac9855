import { assert, describe } from "@effect/vitest"
import * as Money from "@florin/core/domain/ground/Money"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Catalogue from "./catalogue.ts"
import * as Gateway from "./gateway.ts"
import * as Payments from "./payments.ts"
import { assets, register } from "./settlements.ts"

const { all, expected, get, ids, idsOf, play, stocked, withQuery } = Payments

/** Each list of payments, with the path and headers that ask for one merchant's. */
const lists = {
  "GET /v1/payments": (merchantId: string) => ({
    path: "/v1/payments",
    headers: { "Merchant-Id": merchantId },
  }),
  "GET /v1/merchants/payments": (merchantId: string) => ({
    path: "/v1/merchants/payments",
    headers: { "Merchant-Id": merchantId },
  }),
  "GET /v1/merchants/{merchant-id}/payments": (merchantId: string) => ({
    path: `/v1/merchants/${merchantId}/payments`,
    headers: {},
  }),
} as const

// Items.

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u

const attempted: ReadonlySet<Gateway.State> = new Set([
  "processing",
  "succeeded",
  "failed",
  "declined",
])

const buyer = {
  accountCaip10: Gateway.payerOn(8453),
  accountProviderName: "A wallet",
  accountProviderIcon: "https://wallet.example/icon.png",
}

const only = Effect.fnUntraced(function* (key: string) {
  const { body } = yield* get(all(key))
  const [item, ...more] = Scene.list(body, "data")
  assert.lengthOf(more, 0)
  return item ?? assert.fail("an empty list")
})

describe("an item of a list of payments", () => {
  for (const state of Gateway.stateNames) {
    play(`shows a payment that is ${state}, without the members that have no value yet`, (world) =>
      Effect.gen(function* () {
        const { own } = world
        const { id } = yield* Gateway.reach(world, state, { referenceId: "ORDER 7/ä😀" })
        const details = yield* Scene.send(Payments.about(own, `/v1/payments/${id}`))
        const item = yield* only(own.key)
        const nonce = Scene.at(item, "transaction", "nonce")
        if (state === "succeeded") {
          const shown = Scene.text(item, "transaction", "networkId")
          const onIt = yield* Scene.send(all(own.key, [["network", shown]]))
          assert.deepStrictEqual(Scene.at(onIt.body, "data"), [item])
        }
        const lastUpdatedAt = Scene.text(item, "lastUpdatedAt")
        assert.match(lastUpdatedAt, iso)
        assert.isTrue(lastUpdatedAt >= Catalogue.dateTime(Scene.now))
        assert.deepStrictEqual(item, {
          paymentId: id,
          merchant: { id: own.merchantId, name: "Corner Shop" },
          referenceId: "ORDER 7/ä😀",
          metadata: {},
          status: Gateway.states[state],
          isTerminal: state !== "open" && state !== "processing",
          fiatAmount: Gateway.usd("1234"),
          ...(attempted.has(state) && { tokenAmount: Gateway.usdcOnBase("12340000"), buyer }),
          ...(state === "succeeded" && {
            transaction: {
              networkId: "8453",
              hash: Scene.text(details.body, "info", "txId"),
              nonce: Number(nonce),
            },
            fees: {
              total: Gateway.usdcOnBase("0"),
              fixed: Gateway.usdcOnBase("0"),
              percentage: "0",
            },
          }),
          settlement: { settled: false },
          ...(state === "succeeded" && {
            payout: {
              id: null,
              state: "waiting",
              reason: "destination",
              dueAt: null,
              netted: {
                unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                value: "0",
              },
            },
          }),
          createdAt: Catalogue.dateTime(Scene.now),
          lastUpdatedAt,
        })
        if (state === "succeeded") assert.isTrue(Number.isSafeInteger(nonce))
      }),
    )
  }

  play("shows only the token amount if the amount is in a token", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const unit = "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
      const id = yield* Scene.createPayment(key, merchantId, {
        referenceId: "ORDER-7",
        amount: { unit, value: "12340000" },
      })
      const at = Catalogue.dateTime(Scene.now)
      assert.deepStrictEqual(yield* only(key), {
        paymentId: id,
        merchant: { id: merchantId, name: "Corner Shop" },
        referenceId: "ORDER-7",
        metadata: {},
        status: "requires_action",
        isTerminal: false,
        tokenAmount: Gateway.usdcOnBase("12340000"),
        settlement: { settled: false },
        createdAt: at,
        lastUpdatedAt: at,
      })
    }),
  )

  play("shows the fees and the settlement of a payment that was paid out", (world) =>
    Effect.gen(function* () {
      const partner = yield* Keys.createPartner({
        name: "Fees",
        feeTerms: {
          fixed: [{ currency: "USD", quantity: Money.Quantity.make(10n) }],
          percentage: Fees.Percentage.make(400_000),
        },
      })
      const owner = { _tag: "Partner", partnerId: partner.id } as const
      const issued = yield* Keys.issue({ mode: "test", owner, name: "Fees", expiresAt: null })
      const key = issued.text
      const merchantId = yield* Scene.createMerchant(key, "Fees")
      yield* register(key, merchantId, [assets.usdcOnBase])
      const id = yield* Scene.createPayment(key, merchantId)
      yield* Scene.pay(world.walletKey, id)
      const details = yield* Scene.send(Payments.about({ key, merchantId }, `/v1/payments/${id}`))
      const item = yield* only(key)
      assert.deepStrictEqual(Scene.at(item, "fees"), {
        total: Gateway.usdcOnBase("149360"),
        fixed: Gateway.usdcOnBase("100000"),
        percentage: "0.4",
      })
      assert.deepStrictEqual(Scene.at(item, "settlement"), {
        settled: true,
        amount: Gateway.usdcOnBase("12190640"),
        txHash: Scene.text(details.body, "settlement", "successful", "txId"),
      })
      assert.match(Scene.text(item, "settledAt"), iso)
      assert.strictEqual(
        Scene.text(details.body, "settlement", "successful", "amount", "value"),
        "12190640",
      )
    }),
  )

  play("shows the merchant as it is now, also a deleted one", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      yield* Scene.createPayment(key, merchantId)
      const path = `/v1/merchants/${merchantId}`
      const merchantAfter = Effect.fnUntraced(function* (body: Scene.Json) {
        const answer = yield* Scene.send({ method: "PATCH", path, key, body })
        assert.strictEqual(answer.status, 200, answer.text)
        return Scene.at(yield* only(key), "merchant")
      })
      const iconUrl = "https://shop.example/icon.png"
      assert.deepStrictEqual(yield* merchantAfter({ iconUrl }), {
        id: merchantId,
        name: "Corner Shop",
        iconUrl,
      })
      const renamed = { id: merchantId, name: "Bakery" }
      assert.deepStrictEqual(
        yield* merchantAfter({ iconUrl: null, merchantName: "Bakery" }),
        renamed,
      )
      yield* Scene.send({ method: "DELETE", path, key })
      assert.deepStrictEqual(Scene.at(yield* only(key), "merchant"), renamed)
    }),
  )
})

// Lists.

for (const [name, of] of Object.entries(lists)) {
  describe(name, () => {
    play("lists only the merchant's payments, in the key's mode", (world) =>
      Effect.gen(function* () {
        const { known, live, merchantIds } = yield* stocked(world)
        const { key, liveKey } = world.own
        for (const merchantId of merchantIds) {
          const sent = of(merchantId)
          const path = withQuery(sent.path, [["limit", "200"]])
          const { body } = yield* get({ ...sent, path, key })
          const wanted = Catalogue.select(known, { only: merchantId })
          assert.deepStrictEqual(idsOf(body), expected(wanted))
          assert.deepStrictEqual(Scene.at(body, "stats"), Catalogue.stats(wanted))
        }
        const { body } = yield* get({ ...of(live), key: liveKey })
        assert.strictEqual(Scene.at(body, "stats", "totalTransactions"), Catalogue.size)
        const seen = new Set(expected(known))
        assert.isFalse(idsOf(body).some((id) => seen.has(id)))
      }),
    )

    play("checks the query before the merchant", (world) =>
      Effect.gen(function* () {
        const { key } = world.own
        for (const [field, value] of [
          ["limit", "0"],
          ["status", "cancelled"],
          ["startTs", "yesterday"],
          ["cursor", "nonsense"],
        ] as const) {
          const sent = of("mrch_0")
          const path = withQuery(sent.path, [[field, value]])
          assert.deepStrictEqual(Scene.fieldsOf(yield* Scene.send({ ...sent, path, key })), [field])
        }
      }),
    )

    play("applies the merchantId filter within the merchant's payments", (world) =>
      Effect.gen(function* () {
        const { known, merchantIds } = yield* stocked(world)
        const { key } = world.own
        const [first, second] = merchantIds
        for (const asked of [[first], [second], [first, second], ["mrch_0"], [second, second]]) {
          const sent = of(first)
          const query = asked.map((id) => ["merchantId", id] as const)
          const path = withQuery(sent.path, [...query, ["limit", "200"]])
          const wanted = Catalogue.select(known, { merchantIds: asked, only: first })
          assert.deepStrictEqual(yield* ids({ ...sent, path, key }), expected(wanted))
        }
      }),
    )
  })
}

describe("GET /v1/payments", () => {
  play(
    "lists the payments of all the partner's merchants in the key's mode, and no others",
    (world) =>
      Effect.gen(function* () {
        const { known } = yield* stocked(world)
        const { key, liveKey } = world.own
        for (const headers of [{}, { "Merchant-Id": "" }]) {
          const { body } = yield* get({ ...all(key, [["limit", "200"]]), headers })
          assert.deepStrictEqual(idsOf(body), expected(Catalogue.select(known, {})))
        }
        for (const another of [liveKey, world.other.key]) {
          const shown = yield* ids(all(another, [["limit", "200"]]))
          assert.lengthOf(shown, Catalogue.size)
          assert.isFalse(known.some(({ id }) => shown.includes(id)))
        }
        assert.deepStrictEqual(yield* ids(all(world.other.liveKey)), [])
      }),
  )

  play("ignores filters in snake_case, which only the old list has", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const id = yield* Scene.createPayment(key, merchantId)
      const query = ["start_ts", "end_ts", "sort_by", "sort_dir", "reference_id", "merchant_id"]
      const sent = all(
        key,
        query.map((name) => [name, "!"]),
      )
      assert.deepStrictEqual(yield* ids(sent), [id])
    }),
  )
})

describe("GET /v1/merchants/{merchant-id}/payments", () => {
  play("is deprecated, and links to its successor", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const { headers } = yield* get({ path: `/v1/merchants/${merchantId}/payments`, key })
      assert.isNotNull(headers.get("deprecation"))
      assert.strictEqual(headers.get("link"), '</v1/merchants/payments>; rel="successor-version"')
      for (const path of ["/v1/merchants/payments", "/v1/payments"]) {
        const successor = yield* get({ path, key, headers: { "Merchant-Id": merchantId } })
        assert.isNull(successor.headers.get("deprecation"))
        assert.isNull(successor.headers.get("link"))
      }
    }),
  )

  play("returns the same as its successor, with filters in camelCase or snake_case", (world) =>
    Effect.gen(function* () {
      const { known, merchantIds } = yield* stocked(world)
      const { key } = world.own
      const [merchantId] = merchantIds
      const snake: ReadonlyMap<string, string> = new Map([
        ["startTs", "start_ts"],
        ["endTs", "end_ts"],
        ["sortBy", "sort_by"],
        ["sortDir", "sort_dir"],
        ["referenceId", "reference_id"],
        ["merchantId", "merchant_id"],
      ])
      const wanteds: ReadonlyArray<Catalogue.Wanted> = [
        {},
        { from: Catalogue.createdAt(40) },
        { before: Catalogue.createdAt(40) },
        { sortBy: "amount" },
        { sortBy: "amount", sortDir: "asc" },
        { sortDir: "asc" },
        { reference: "order" },
        { merchantIds: [merchantIds[1]] },
        { merchantIds: [merchantIds[1], merchantId] },
        { symbols: ["USDC", "EURC"], chainIds: [8453, 56], statuses: ["succeeded", "failed"] },
        { asset: Catalogue.tokens[0], from: Catalogue.createdAt(50), sortDir: "asc" },
      ]
      for (const wanted of wanteds) {
        const query = [...Catalogue.query(wanted), ["limit", "3"] as const]
        const spelled = query.map(([name, value]) => [snake.get(name) ?? name, value] as const)
        const successor = yield* get({
          path: withQuery("/v1/merchants/payments", query),
          key,
          headers: { "Merchant-Id": merchantId },
        })
        const old = `/v1/merchants/${merchantId}/payments`
        for (const each of [query, spelled]) {
          const { body } = yield* get({ path: withQuery(old, each), key })
          assert.deepStrictEqual(Scene.at(body, "data"), Scene.at(successor.body, "data"))
          assert.deepStrictEqual(Scene.at(body, "stats"), Scene.at(successor.body, "stats"))
        }
        const chosen = Catalogue.select(known, { ...wanted, only: merchantId })
        assert.deepStrictEqual(idsOf(successor.body), expected(chosen.slice(0, 3)))
      }
    }),
  )

  play("refuses a filter that is sent in both spellings", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const path = `/v1/merchants/${merchantId}/payments?sort_by=date&sortBy=date`
      assert.deepStrictEqual(Scene.fieldsOf(yield* Scene.send({ path, key })), ["sortBy"])
    }),
  )
})

// Filters.
