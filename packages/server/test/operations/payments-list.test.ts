import { assert, describe } from "@effect/vitest"
import * as Money from "@florin/core/domain/ground/Money"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/Keys"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Catalogue from "./catalogue.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import * as Payments from "./payments.ts"

const { all, expected, get, ids, idsOf, play, stocked, withQuery } = Payments

type Query = Payments.Query

/** The lists of payments: each with what it needs to be asked for a merchant's. */
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

// What an item shows.

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
    play(`shows a payment that is ${state}, and leaves out what is not known yet`, (world) =>
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

  play("shows the token alone where a token was asked for", (world) =>
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

  play("shows fees and settlement of a payment that was paid out", (world) =>
    Effect.gen(function* () {
      const partner = yield* Keys.createPartner({
        name: "Fees",
        feeTerms: {
          fixed: { currency: "USD", quantity: Money.Quantity.make(10n) },
          percentage: Fees.Percentage.make(400_000),
        },
      })
      const owner = { _tag: "Partner", partnerId: partner.id } as const
      const issued = yield* Keys.issue({ mode: "test", owner, name: "Fees", expiresAt: null })
      const key = issued.text
      const merchantId = yield* Scene.createMerchant(key, "Fees")
      yield* Scene.send({
        path: `/v1/merchants/${merchantId}/settlements/crypto`,
        key,
        headers: { "Idempotency-Key": Scene.fresh("destination") },
        body: {
          settlements: [
            {
              asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              destination: Scene.accountOf(Scene.treasury, 8453),
            },
          ],
        },
      })
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

  play(
    "shows the merchant as it is now, with its icon where it has one, and deleted too",
    (world) =>
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

// Who may see which payments.

for (const [name, of] of Object.entries(lists)) {
  describe(name, () => {
    Laws.ofPartners({
      good: ({ own }) => Effect.succeed({ ...of(own.merchantId), key: own.key }),
      status: 200,
    })

    play("answers an empty list with every member", (world) =>
      Effect.gen(function* () {
        const { key, merchantId } = world.own
        assert.deepStrictEqual((yield* get({ ...of(merchantId), key })).body, {
          data: [],
          nextCursor: null,
          stats: {
            totalRevenue: [],
            totalRefunded: [],
            netRevenue: [],
            totalTransactions: 0,
            totalCustomers: 0,
          },
        })
      }),
    )

    play("shows a merchant's payments alone, to its own partner, in its own mode", (world) =>
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

    play(
      "answers alike for a merchant that is absent, another partner's or another mode's",
      (world) =>
        Effect.gen(function* () {
          const { other, own } = world
          const live = yield* Scene.createMerchant(own.liveKey, "Live")
          const messages = new Set<string>()
          for (const [key, merchantId] of [
            [own.key, "mrch_00000000000000000000000000"],
            [own.key, "mrch_"],
            [own.key, "nothing"],
            [own.key, "__proto__"],
            [own.key, own.merchantId.toUpperCase()],
            [own.key, other.merchantId],
            [own.key, live],
            [own.liveKey, own.merchantId],
            [other.key, own.merchantId],
          ] as const) {
            const answer = yield* Scene.send({ ...of(merchantId), key })
            const problem = Scene.isProblem(answer, 404, "merchant_not_found")
            assert.hasAllKeys(problem, ["code", "message", "requestId"])
            messages.add(Scene.text(problem, "message"))
          }
          assert.strictEqual(messages.size, 1)
        }),
    )

    play("reads the query before it looks for the merchant", (world) =>
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

    play("still shows the payments of a merchant that was deleted", (world) =>
      Effect.gen(function* () {
        const { key, merchantId } = world.own
        const id = yield* Scene.createPayment(key, merchantId)
        yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${merchantId}`, key })
        assert.deepStrictEqual(yield* ids({ ...of(merchantId), key }), [id])
      }),
    )

    play("accepts an Idempotency-Key of up to 255 characters, and remembers nothing", (world) =>
      Effect.gen(function* () {
        const { key, merchantId } = world.own
        const keyed = (idempotencyKey: string) => {
          const sent = of(merchantId)
          return { ...sent, key, headers: { ...sent.headers, "Idempotency-Key": idempotencyKey } }
        }
        assert.lengthOf(yield* ids(keyed("k".repeat(255))), 0)
        yield* Scene.createPayment(key, merchantId)
        const again = yield* get(keyed("k".repeat(255)))
        assert.lengthOf(idsOf(again.body), 1)
        assert.isNull(again.headers.get("idempotency-replayed"))
        const long = yield* Scene.send(keyed("k".repeat(256)))
        assert.deepStrictEqual(Scene.fieldsOf(long), ["Idempotency-Key"])
      }),
    )

    play("narrows what merchantId asks for", (world) =>
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
  play("shows the payments of every merchant of the partner's mode, and of nobody else", (world) =>
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

  play("reads no snake_case, as nobody ever wrote it here", (world) =>
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

describe("GET /v1/merchants/payments", () => {
  play("asks for a Merchant-Id, after key and version and before everything else", (world) =>
    Effect.gen(function* () {
      const { key } = world.own
      const path = "/v1/merchants/payments?limit=0"
      const long = { "Idempotency-Key": "k".repeat(256) }
      const steps: ReadonlyArray<readonly [Scene.Sent, number, string]> = [
        [{ path, headers: { "Svc-Version": "soon" } }, 401, "missing_api_key"],
        [{ path, key: world.walletKey, headers: { "Svc-Version": "soon" } }, 403, "forbidden"],
        [{ path, key, headers: { "Svc-Version": "soon", ...long } }, 400, "invalid_api_version"],
        [{ path, key, headers: long }, 401, "missing_merchant_id"],
        [{ path, key, headers: { "Merchant-Id": "", ...long } }, 401, "missing_merchant_id"],
        [{ path, key, headers: { "Merchant-Id": "mrch_0", ...long } }, 400, "params_validation"],
        [{ path, key, headers: { "Merchant-Id": "mrch_0" } }, 400, "params_validation"],
        [
          { path: "/v1/merchants/payments", key, headers: { "Merchant-Id": "mrch_0" } },
          404,
          "merchant_not_found",
        ],
      ]
      for (const [sent, status, code] of steps) {
        Scene.isProblem(yield* Scene.send(sent), status, code)
      }
    }),
  )
})

describe("GET /v1/merchants/{merchant-id}/payments", () => {
  play("is deprecated, and says what took its place", (world) =>
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

  play("answers what its successor answers, with filters in either spelling", (world) =>
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

// How filters are written.

const usdc = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

const badTimes = [
  "",
  "yesterday",
  "1790000000",
  "1790000000000",
  "2026-09-21",
  "2026-09-21T14:13",
  "2026-09-21T14:13Z",
  "2026-09-21T14:13:20",
  "2026-09-21 14:13:20Z",
  "2026-09-21T14:13:20.Z",
  "2026-09-21T14:13:20,5Z",
  "2026-09-21T14:13:20+0200",
  "2026-09-21T14:13:20+02",
  "2026-09-21T14:13:20+24:00",
  "2026-09-21T14:13:20+01:60",
  "2026-09-21T14:13:20Z+01:00",
  "2026-09-21T14:13:20z ",
  " 2026-09-21T14:13:20Z",
  "2026-9-21T14:13:20Z",
  "26-09-21T14:13:20Z",
  "+002026-09-21T14:13:20Z",
  "2026-00-10T14:13:20Z",
  "2026-13-10T14:13:20Z",
  "2026-09-31T14:13:20Z",
  "2026-02-29T14:13:20Z",
  "2026-09-00T14:13:20Z",
  "2026-09-21T24:00:00Z",
  "2026-09-21T14:60:20Z",
  "2026-09-21T14:13:60Z",
  "2026-09-21T23:59:61Z",
  "２０２６-09-21T14:13:20Z",
  "2026-09-21T14:13:20Z\0",
  "Mon, 21 Sep 2026 14:13:20 GMT",
]

const bad: Readonly<Record<string, ReadonlyArray<string>>> = {
  startTs: badTimes,
  endTs: badTimes,
  token_symbol: ["", usdc, `caip19/${usdc}`, "eip155:8453", "a/b", "USDC\0", "\n"],
  asset: ["", "caip19/", "eip155:8453", `${usdc}0`, `${usdc}/1`, "eip155:1/erc721:0x1", "a:b"],
  network: [
    "",
    ",",
    "84530",
    "08453",
    "base",
    "eip155",
    "eip155:",
    "eip155:0x1",
    "eip155:08453",
    "eip155:-1",
    "eip155:8453,",
    ",eip155:8453",
    "eip155:8453, eip155:56",
    "eip155:8453;eip155:56",
    "eip155:8453:1",
    usdc,
  ],
  sortBy: ["", "Date", "DATE", "createdAt", "amount,date", "toString", "date "],
  sortDir: ["", "ASC", "up", "descending", "-1", "toString"],
  limit: [
    "0",
    "00",
    "201",
    "",
    "1e2",
    "05",
    "-1",
    "1.5",
    "1.0",
    "+5",
    " 5",
    "5 ",
    "0x5",
    "1_0",
    "abc",
    "null",
    "NaN",
    "Infinity",
    "１",
    "9007199254740993",
    "9".repeat(400),
    "50\0",
  ],
  status: [
    "cancelled",
    "",
    "Succeeded",
    "SUCCEEDED",
    "succeeded,failed",
    "succeeded ",
    "toString",
    "pending",
    "all",
    "*",
  ],
  referenceId: [
    "",
    "a",
    "ab",
    "a".repeat(36),
    "a".repeat(300),
    "a%b",
    "a_b",
    "a\\b",
    "a'b",
    'a"b',
    "a*b",
    "a?b",
    "a#b",
    "a@b",
    "a&b",
    "äöü",
    "ab😀",
    "１２３",
    "a\tb",
    "a\nb",
    "a\0b",
    "İab",
    "abſ",
  ],
  merchantId: ["", "\0", "mrch_\n"],
  currency: ["", "EU", "EURO", "iso4217/EUR", "EUR,USD", "978", "EUR\0"],
  cursor: ["", "nonsense", " ", "null", "0", "%", "a".repeat(5000), "é", "eyJhIjoxfQ", "__proto__"],
}

describe("the filters of a list of payments", () => {
  for (const [field, values] of Object.entries(bad)) {
    play(`refuse every wrong ${field}, and name it`, (world) =>
      Effect.gen(function* () {
        const { key, merchantId } = world.own
        yield* Scene.createPayment(key, merchantId)
        for (const value of values) {
          const answer = yield* Scene.send(all(key, [[field, value]]))
          assert.deepStrictEqual(Scene.fieldsOf(answer), [field], JSON.stringify(value))
        }
      }),
    )
  }

  play("tell everything that is wrong at once", (world) =>
    Effect.gen(function* () {
      const query = Object.entries(bad).flatMap(([field, [value = ""]]) =>
        field === "cursor" ? [] : [[field, value] as const],
      )
      const answer = yield* Scene.send(all(world.own.key, query))
      assert.sameMembers(
        [...Scene.fieldsOf(answer)],
        query.map(([field]) => field),
      )
    }),
  )

  play("refuse a second value where there can be one", (world) =>
    Effect.gen(function* () {
      const once: Query = [
        ["startTs", "2026-09-21T14:13:20Z"],
        ["endTs", "2026-09-21T14:13:20Z"],
        ["asset", usdc],
        ["network", "eip155:8453"],
        ["sortBy", "date"],
        ["sortDir", "desc"],
        ["limit", "50"],
        ["referenceId", "order"],
        ["cursor", "cursor"],
      ]
      for (const pair of once) {
        const answer = yield* Scene.send(all(world.own.key, [pair, pair]))
        assert.deepStrictEqual(Scene.fieldsOf(answer), [pair[0]])
      }
      const answer = yield* Scene.send(all(world.own.key, [...once, ...once]))
      assert.sameMembers(
        [...Scene.fieldsOf(answer)],
        once.map(([name]) => name),
      )
    }),
  )

  play("are not names that are unknown or in another case", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const id = yield* Scene.createPayment(key, merchantId)
      const query = ["Limit", "LIMIT", "status[]", "tokenSymbol", "page", "__proto__", "", "😀"]
      const sent = all(
        key,
        query.flatMap((name) => [[name, "!"] as const, [name, "!"] as const]),
      )
      assert.deepStrictEqual(yield* ids(sent), [id])
    }),
  )

  play("take a cancelled payment for no status, and show it where none is asked for", (world) =>
    Effect.gen(function* () {
      const { id } = yield* Gateway.reach(world, "cancelled by the payer")
      const { key } = world.own
      const { body } = yield* get(all(key))
      assert.deepStrictEqual(idsOf(body), [id])
      assert.strictEqual(Scene.text(body, "data", 0, "status"), "cancelled")
      assert.strictEqual(Scene.at(body, "stats", "totalTransactions"), 1)
      for (const statuses of [["cancelled"], ["succeeded", "cancelled"]]) {
        const query = statuses.map((status) => ["status", status] as const)
        assert.deepStrictEqual(Scene.fieldsOf(yield* Scene.send(all(key, query))), ["status"])
      }
      const every = ["requires_action", "processing", "succeeded", "failed", "expired"]
      const query = every.map((status) => ["status", status] as const)
      assert.deepStrictEqual(yield* ids(all(key, query)), [])
    }),
  )

  play("include the first moment and exclude the last, to less than a millisecond", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      // 2026-09-21T14:13:20.123Z
      yield* TestClock.setTime(Scene.now + 123)
      const id = yield* Scene.createPayment(key, merchantId)
      const second = "2026-09-21T14:13:20"
      const includes: ReadonlyArray<readonly [string, boolean, boolean]> = [
        [`${second}.123Z`, true, false],
        [`${second}.122Z`, true, false],
        [`${second}.124Z`, false, true],
        [`${second}.1230000000Z`, true, false],
        [`${second}.1230000001Z`, false, true],
        [`${second}.1229999999Z`, true, false],
        [`${second}.12Z`, true, false],
        [`${second}.13Z`, false, true],
        [`${second}Z`, true, false],
        ["2026-09-21T14:13:21Z", false, true],
        [`${second.toLowerCase()}.123z`, true, false],
        ["2026-09-21T16:13:20.123+02:00", true, false],
        ["2026-09-21T16:13:20.124+02:00", false, true],
        ["2026-09-22T00:43:20.123+10:30", true, false],
        ["2026-09-20T14:14:20.123-23:59", true, false],
        [`${second}.123+00:00`, true, false],
        [`${second}.123-00:00`, true, false],
        ["0000-01-01T00:00:00Z", true, false],
        ["9999-12-31T23:59:59.999Z", false, true],
        ["2024-02-29T00:00:00Z", true, false],
        ["2016-12-31T23:59:60Z", true, false],
        ["2026-09-30T23:59:60Z", false, true],
      ]
      for (const [text, fromThen, untilThen] of includes) {
        const shown = (one: boolean) => (one ? [id] : [])
        assert.deepStrictEqual(yield* ids(all(key, [["startTs", text]])), shown(fromThen), text)
        assert.deepStrictEqual(yield* ids(all(key, [["endTs", text]])), shown(untilThen), text)
      }
      const range: Query = [
        ["startTs", `${second}.123Z`],
        ["endTs", `${second}.124Z`],
      ]
      assert.deepStrictEqual(yield* ids(all(key, range)), [id])
      const empty: Query = [
        ["startTs", `${second}.123Z`],
        ["endTs", `${second}.123Z`],
      ]
      assert.deepStrictEqual(yield* ids(all(key, empty)), [])
    }),
  )

  play("find a reference by any part of it, in any ASCII case, every character literal", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const references = [
        "ORDER-1",
        "Order 1/a.b:c,d+e",
        "orderX1/aXb",
        "100% a_b \\ ünï😀 (x) [y]",
        "aaa",
        "İSTANBUL ſ K",
      ]
      const byReference = new Map<string, string>()
      for (const referenceId of references) {
        byReference.set(yield* Scene.createPayment(key, merchantId, { referenceId }), referenceId)
      }
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["order", ["ORDER-1", "Order 1/a.b:c,d+e", "orderX1/aXb"]],
        ["ORDER", ["ORDER-1", "Order 1/a.b:c,d+e", "orderX1/aXb"]],
        ["ORDER-1", ["ORDER-1"]],
        ["der 1", ["Order 1/a.b:c,d+e"]],
        ["a.b", ["Order 1/a.b:c,d+e"]],
        ["axb", ["orderX1/aXb"]],
        ["d+e", ["Order 1/a.b:c,d+e"]],
        ["b:c,d", ["Order 1/a.b:c,d+e"]],
        ["100", ["100% a_b \\ ünï😀 (x) [y]"]],
        ["aaa", ["aaa"]],
        ["AAA", ["aaa"]],
        ["aaaa", []],
        ["...", []],
        ["   ", []],
        ["istanbul", []],
        ["STANBUL", ["İSTANBUL ſ K"]],
        ["a b", []],
        ["b".repeat(35), []],
      ]
      for (const [part, wanted] of cases) {
        const found = yield* ids(all(key, [["referenceId", part]]))
        assert.sameMembers(
          found.map((id) => byReference.get(id) ?? ""),
          [...wanted],
          part,
        )
      }
    }),
  )

  play(
    "find tokens by symbol in any case, by asset with or without its prefix, and by network, and currencies in any case",
    (world) =>
      Effect.gen(function* () {
        const { known } = yield* stocked(world)
        const { key } = world.own
        const [base, , eurc] = Catalogue.tokens
        const cases: ReadonlyArray<readonly [Query, Catalogue.Wanted | null]> = [
          [[["token_symbol", "usdc"]], { symbols: ["USDC"] }],
          [[["token_symbol", "UsDc"]], { symbols: ["USDC"] }],
          [
            [
              ["token_symbol", "USDC"],
              ["token_symbol", "USDC"],
              ["token_symbol", "EURC"],
            ],
            { symbols: ["USDC", "EURC"] },
          ],
          [[["token_symbol", "DOGE"]], null],
          [[["token_symbol", "USD"]], null],
          [[["token_symbol", "US"]], null],
          [[["asset", usdc]], { asset: base }],
          [[["asset", `caip19/${usdc}`]], { asset: base }],
          [[["asset", usdc.toLowerCase()]], { asset: base }],
          [[["asset", Catalogue.assetOf(eurc)]], { asset: eurc }],
          [[["asset", `eip155:8453/erc20:0x${"1".repeat(40)}`]], null],
          [[["network", "eip155:8453"]], { chainIds: [8453] }],
          [[["network", "eip155:8453,eip155:56"]], { chainIds: [8453, 56] }],
          [[["network", "eip155:56,eip155:8453,eip155:56"]], { chainIds: [8453, 56] }],
          [[["network", "eip155:1"]], null],
          [[["network", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"]], null],
          [[["network", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp,eip155:56"]], { chainIds: [56] }],
          [
            [
              ["asset", usdc],
              ["token_symbol", "EURC"],
            ],
            null,
          ],
          [
            [
              ["asset", usdc],
              ["network", "eip155:56"],
            ],
            null,
          ],
          [[["merchantId", "nothing"]], null],
          [[["currency", "eur"]], { currencies: ["EUR"] }],
          [
            [
              ["currency", "Eur"],
              ["currency", "USD"],
              ["currency", "EUR"],
            ],
            { currencies: ["EUR", "USD"] },
          ],
          [[["currency", "XXX"]], null],
          [[["currency", "CHF"]], null],
        ]
        for (const [query, wanted] of cases) {
          const { body } = yield* get(all(key, [...query, ["limit", "200"]]))
          const chosen = wanted === null ? [] : Catalogue.select(known, wanted)
          if (wanted !== null) assert.isAbove(chosen.length, 0)
          assert.deepStrictEqual(idsOf(body), expected(chosen), JSON.stringify(query))
          assert.deepStrictEqual(Scene.at(body, "stats"), Catalogue.stats(chosen))
        }
      }),
  )
})
