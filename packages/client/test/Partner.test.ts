import { assert, describe, it } from "@effect/vitest"
import { makePartner, type Partner, type PartnerOptions } from "../src/Client.ts"
import { endpoints } from "./Endpoints.ts"
import { refusal, service, type ScriptedResponse } from "./Script.ts"

const options = { baseUrl: "https://api.example", apiKey: "flr_test_pk_1" }

const partner = (
  answers: ReadonlyArray<ScriptedResponse>,
  more: Partial<PartnerOptions> = {},
  on: Parameters<typeof service>[1] = {},
) => {
  const script = service(answers, on)
  const { fetch, timing } = script
  return { florin: makePartner({ ...options, fetch, timing, ...more }), ...script }
}

const quantity = { unit: "iso4217/USD", value: "1250" }
const newPayment = { referenceId: "ORDER-7", amount: quantity, metadata: { cart: "6735" } }
const aPart = { amount: { unit: "iso4217/USD", value: "250" }, reason: "One of two bags" }

const newMerchant = { merchantName: "Corner Shop", merchantEmail: "shop@example.com" }
const destinations = { settlements: [{ asset: "eip155:1/erc20:0x1", destination: "eip155:1:0x2" }] }
const destination = { destination: "eip155:1:0x3" }

const created = {
  paymentId: "pay_1",
  status: "requires_action",
  expiresAt: 1_800_000_000,
  isFinal: false,
  pollInMs: 1000,
  gatewayUrl: "https://pay.example/?pid=pay_1",
}
const stats = {
  totalRevenue: [],
  totalRefunded: [],
  netRevenue: [],
  totalTransactions: 0,
  totalCustomers: 0,
}
const page = (ids: ReadonlyArray<string>, nextCursor: string | null = null) => ({
  data: ids.map((paymentId) => ({ paymentId })),
  nextCursor,
  stats,
})
const merchants = (ids: ReadonlyArray<string>, nextCursor: string | null = null) => ({
  merchants: ids.map((id) => ({ id })),
  totalCount: 3,
  nextCursor,
})
const events = (ids: ReadonlyArray<string>, hasMore: boolean) => ({
  data: ids.map((id) => ({ id })),
  nextCursor: `after ${ids.at(-1)}`,
  hasMore,
})

/** A call, how it must arrive, and what else the request must have. */
type Case = readonly [
  asked: string,
  call: (florin: Partner, more?: { readonly signal: AbortSignal }) => Promise<unknown>,
  sent?: {
    readonly body?: object
    /** The `Merchant-Id`. */
    readonly of?: string
    /** Whether the client makes an `Idempotency-Key`. */
    readonly once?: boolean
  },
]

const calls: ReadonlyArray<Case> = [
  [
    "POST /v1/payments",
    (florin, more) => florin.payments.create(newPayment, more),
    { body: newPayment, of: "mrch_own", once: true },
  ],
  [
    "GET /v1/payments/pay_1",
    (florin, more) => florin.payments.get("pay_1", more),
    { of: "mrch_own" },
  ],
  [
    "GET /v1/payments/pay_1/status?maxPollMs=7",
    (florin, more) =>
      florin.payments.status("pay_1", { maxPollMs: 7, merchantId: "mrch_other", ...more }),
    { of: "mrch_other" },
  ],
  [
    "POST /v1/payments/pay_1/cancel",
    (florin, more) => florin.payments.cancel("pay_1", more),
    { body: {}, of: "mrch_own" },
  ],
  [
    "GET /v1/payments?token_symbol=USDC&token_symbol=EURC&currency=EUR&sortBy=amount&limit=2",
    (florin, more) =>
      florin.payments.list(
        { token_symbol: ["USDC", "EURC"], currency: ["EUR"], sortBy: "amount", limit: 2 },
        more,
      ),
    { of: "mrch_own" },
  ],
  [
    "GET /v1/payments/statistics?by=week&timeZone=Europe%2FBerlin&currency=EUR",
    (florin, more) =>
      florin.payments.statistics(
        { by: "week", timeZone: "Europe/Berlin", currency: ["EUR"] },
        { merchantId: "mrch_other", ...more },
      ),
    { of: "mrch_other" },
  ],
  [
    "GET /v1/merchants/payments?status=failed",
    (florin, more) => florin.payments.listOfMerchant("mrch_2", { status: ["failed"] }, more),
    { of: "mrch_2" },
  ],
  [
    "POST /v1/refunds",
    (florin, more) => florin.refunds.create({ paymentId: "pay_1" }, more),
    { body: { paymentId: "pay_1" }, of: "mrch_own", once: true },
  ],
  [
    "POST /v1/refunds",
    (florin, more) => florin.refunds.create({ paymentId: "pay_1", ...aPart }, more),
    { body: { paymentId: "pay_1", ...aPart }, of: "mrch_own", once: true },
  ],
  [
    "POST /v1/refunds/destination",
    (florin, more) =>
      florin.refunds.destination({ paymentId: "pay_1", destination: "a:b:c" }, more),
    { body: { paymentId: "pay_1", destination: "a:b:c" }, of: "mrch_own" },
  ],
  [
    "GET /v1/refunds?paymentId=pay_1",
    (florin, more) => florin.refunds.list("pay_1", more),
    { of: "mrch_own" },
  ],
  [
    "GET /v1/refunds/rfnd_1",
    (florin, more) => florin.refunds.get("rfnd_1", more),
    { of: "mrch_own" },
  ],
  [
    "POST /v1/merchants",
    (florin, more) => florin.merchants.create(newMerchant, more),
    { body: newMerchant, once: true },
  ],
  ["GET /v1/merchants/mrch_1", (florin, more) => florin.merchants.get("mrch_1", more)],
  [
    "PATCH /v1/merchants/mrch_1",
    (florin, more) => florin.merchants.update("mrch_1", { iconUrl: null }, more),
    { body: { iconUrl: null } },
  ],
  ["DELETE /v1/merchants/mrch_1", (florin, more) => florin.merchants.remove("mrch_1", more)],
  [
    "GET /v1/merchants?status=active&search=shop",
    (florin, more) => florin.merchants.list({ status: "active", search: "shop" }, more),
  ],
  [
    "GET /v1/events?cursor=c1&limit=2",
    (florin, more) => florin.events.list({ cursor: "c1", limit: 2 }, more),
  ],
  [
    "POST /v1/webhooks",
    (florin, more) => florin.webhooks.create({ url: "https://shop.example/florin" }, more),
    { body: { url: "https://shop.example/florin" }, once: true },
  ],
  ["GET /v1/webhooks", (florin, more) => florin.webhooks.list(more)],
  ["GET /v1/webhooks/whk_1", (florin, more) => florin.webhooks.get("whk_1", more)],
  [
    "PATCH /v1/webhooks/whk_1",
    (florin, more) => florin.webhooks.change("whk_1", { types: null }, more),
    { body: { types: null } },
  ],
  ["DELETE /v1/webhooks/whk_1", (florin, more) => florin.webhooks.remove("whk_1", more)],
  [
    "POST /v1/webhooks/whk_1/rotate",
    (florin, more) => florin.webhooks.rotate("whk_1", more),
    { once: true },
  ],
  ["POST /v1/webhooks/whk_1/test", (florin, more) => florin.webhooks.test("whk_1", more)],
  [
    "GET /v1/webhooks/whk_1/deliveries?cursor=c1&limit=2",
    (florin, more) => florin.webhooks.deliveries("whk_1", { cursor: "c1", limit: 2 }, more),
  ],
  [
    "POST /v1/webhooks/whk_1/deliveries/dlv_1/redeliver",
    (florin, more) => florin.webhooks.redeliver("whk_1", "dlv_1", more),
  ],
  [
    "POST /v1/webhooks/whk_1/replay",
    (florin, more) => florin.webhooks.replay("whk_1", { from: "2026-11-21T07:00:00Z" }, more),
    { body: { from: "2026-11-21T07:00:00Z" } },
  ],
  [
    "POST /v1/keys",
    (florin, more) => florin.keys.create({ name: "till", scopes: ["pay"] }, more),
    { body: { name: "till", scopes: ["pay"] }, once: true },
  ],
  ["GET /v1/keys", (florin, more) => florin.keys.list(more)],
  [
    "POST /v1/keys/key_1/rotate",
    (florin, more) => florin.keys.rotate("key_1", {}, more),
    { body: {}, once: true },
  ],
  ["GET /v1/approvals", (florin, more) => florin.approvals.list(more)],
  ["POST /v1/approvals/key_1/approve", (florin, more) => florin.approvals.approve("key_1", more)],
  ["POST /v1/approvals/key_1/decline", (florin, more) => florin.approvals.decline("key_1", more)],
  ["DELETE /v1/keys/key_1", (florin, more) => florin.keys.revoke("key_1", more)],
  [
    "GET /v1/merchants/mrch_1/statement?from=2026-09-01&to=2026-09-30",
    (florin, more) =>
      florin.merchants.statement("mrch_1", { from: "2026-09-01", to: "2026-09-30" }, more),
  ],
  [
    "GET /v1/payouts?merchantId=mrch_1&status=paid",
    (florin, more) => florin.payouts.list({ merchantId: "mrch_1", status: "paid" }, more),
  ],
  [
    "GET /v1/balances?merchantId=mrch_1",
    (florin, more) => florin.balances.list({ merchantId: "mrch_1" }, more),
  ],
  ["GET /v1/payouts/out_1", (florin, more) => florin.payouts.get("out_1", more)],
  [
    "GET /v1/audit-log?cursor=c1&limit=2",
    (florin, more) => florin.auditLog.list({ cursor: "c1", limit: 2 }, more),
  ],
  ["GET /v1/assets", (florin, more) => florin.assets.list(more)],
  [
    "GET /v1/merchants/mrch_1/settlements",
    (florin, more) => florin.settlements.list("mrch_1", more),
  ],
  [
    "POST /v1/merchants/mrch_1/settlements/crypto",
    (florin, more) => florin.settlements.create("mrch_1", destinations, more),
    { body: destinations, once: true },
  ],
  [
    "PUT /v1/merchants/mrch_1/settlements/crypto/crypto_1",
    (florin, more) => florin.settlements.change("mrch_1", "crypto_1", destination, more),
    { body: destination },
  ],
  [
    "DELETE /v1/merchants/mrch_1/settlements/crypto/crypto_1",
    (florin, more) => florin.settlements.remove("mrch_1", "crypto_1", more),
  ],
]

const idempotencyKeys = (seen: ReturnType<typeof service>["seen"]) =>
  seen.map(({ headers }) => headers.get("idempotency-key"))

describe("the client of a partner", () => {
  /** Has the members that the client requires of any response. */
  const members =
    "approvals assets buckets crypto data deleted deliveries deliveryId destination eventId expiresAt gatewayUrl " +
    "hasMore id isFinal key keys merchant merchantId merchants nextCursor paymentId " +
    "payments referenceId refundId revoked secret settlements state statement stats status statuses " +
    "tokens webhook webhooks"
  const answer = Object.fromEntries(members.split(" ").map((member) => [member, null]))

  for (const [asked, call, { body, of, once = false } = {}] of calls) {
    it(`sends ${asked}, and returns its response`, async () => {
      const { florin, seen } = partner([{ json: answer }], { merchantId: "mrch_own" })
      assert.deepStrictEqual(await call(florin), answer)
      assert.deepStrictEqual(
        seen.map((one) => [`${one.method} ${one.path}${one.query}`, one.body]),
        [[asked, body]],
      )
      assert.strictEqual(seen[0]?.headers.get("merchant-id"), of ?? null)
      assert.strictEqual(seen[0]?.headers.has("idempotency-key"), once)
    })

    it(`retries ${asked}, and stops when its signal aborts`, async () => {
      const retrying = partner(["lost", refusal(503, "unavailable"), { json: answer }])
      assert.deepStrictEqual(await call(retrying.florin), answer)
      assert.lengthOf(retrying.seen, 3)
      assert.lengthOf(new Set(idempotencyKeys(retrying.seen)), 1)

      const controller = new AbortController()
      const stopping = partner(["silence"], {}, { call: () => controller.abort() })
      const { signal } = controller
      const error = await call(stopping.florin, { signal }).catch((caught: unknown) => caught)
      assert.propertyVal(error, "_tag", "Aborted")
    })
  }

  it("has a call for every endpoint of a partner that is not deprecated", () => {
    const left = endpoints((group) => group !== "gateway").filter(
      (pattern) =>
        // Only a browser has a session.
        !["GET", "POST", "DELETE"].some(
          (method) =>
            pattern.test(`${method} /v1/session`) ||
            pattern.test(`${method} /v1/session/passkeys`) ||
            pattern.test(`${method} /v1/session/passkeys/key_0`),
        ) &&
        // The stream is no single call: EventStream.test.ts.
        !pattern.test("GET /v1/events/stream") &&
        !calls.some(([asked]) => pattern.test(asked)),
    )
    assert.deepStrictEqual(left, [])
  })

  it("uses a new Idempotency-Key for each creation, or the caller's", async () => {
    const { florin, seen } = partner(Array.from({ length: 3 }, () => ({ json: created })))
    await florin.payments.create(newPayment)
    await florin.payments.create(newPayment)
    await florin.payments.create(newPayment, { idempotencyKey: "order-7" })
    const [first, second, third] = idempotencyKeys(seen)
    assert.match(first ?? "", /^[0-9a-f]{32}$/u)
    assert.match(second ?? "", /^[0-9a-f]{32}$/u)
    assert.notStrictEqual(first, second)
    assert.strictEqual(third, "order-7")
  })

  it("sends the merchant of a new payment once, in the body if it is there", async () => {
    const { florin, seen } = partner([{ json: created }], { merchantId: "mrch_own" })
    await florin.payments.create({ ...newPayment, merchantId: "mrch_body" })
    assert.isFalse(seen[0]?.headers.has("merchant-id"))
    assert.deepInclude(seen[0]?.body, { merchantId: "mrch_body" })
  })

  it("sends no merchant if none is known", async () => {
    const { florin, seen } = partner([{ json: created }])
    await florin.payments.create(newPayment)
    assert.isFalse(seen[0]?.headers.has("merchant-id"))
  })
})

describe("iterating a list", () => {
  const idsOf = async (items: AsyncIterable<{ readonly paymentId: string }>) => {
    const ids: Array<string> = []
    for await (const { paymentId } of items) ids.push(paymentId)
    return ids
  }

  it("yields every payment once, with the same filters on each page", async () => {
    const { florin, seen } = partner([
      { json: page(["pay_1", "pay_2"], "c1") },
      { json: page([], "c2") },
      { json: page(["pay_3"]) },
    ])
    const ids = await idsOf(florin.payments.all({ status: ["succeeded"], limit: 2 }))
    assert.deepStrictEqual(ids, ["pay_1", "pay_2", "pay_3"])
    assert.deepStrictEqual(
      seen.map(({ query }) => query),
      [
        "?status=succeeded&limit=2",
        "?status=succeeded&limit=2&cursor=c1",
        "?status=succeeded&limit=2&cursor=c2",
      ],
    )
  })

  it("yields a merchant's payments, starting at a cursor", async () => {
    const { florin, seen } = partner([{ json: page(["pay_1"], "c2") }, { json: page(["pay_2"]) }])
    const ids = await idsOf(florin.payments.allOfMerchant("mrch_1", { cursor: "c1" }))
    assert.deepStrictEqual(ids, ["pay_1", "pay_2"])
    assert.deepStrictEqual(
      seen.map(({ path, query, headers }) => [path, query, headers.get("merchant-id")]),
      [
        ["/v1/merchants/payments", "?cursor=c1", "mrch_1"],
        ["/v1/merchants/payments", "?cursor=c2", "mrch_1"],
      ],
    )
  })

  it("yields every delivery to a webhook once", async () => {
    const delivered = (ids: ReadonlyArray<string>, nextCursor: string | null) => ({
      json: { data: ids.map((id) => ({ id })), nextCursor },
    })
    const { florin, seen } = partner([
      delivered(["dlv_3", "dlv_2"], "c1"),
      delivered(["dlv_1"], null),
    ])
    const ids: Array<string> = []
    for await (const { id } of florin.webhooks.allDeliveries("whk_1")) ids.push(id)
    assert.deepStrictEqual(ids, ["dlv_3", "dlv_2", "dlv_1"])
    assert.deepStrictEqual(
      seen.map(({ query }) => query),
      ["", "?cursor=c1"],
    )
  })

  it("yields every merchant once", async () => {
    const { florin, seen } = partner([
      { json: merchants(["mrch_1", "mrch_2"], "c1") },
      { json: merchants(["mrch_3"]) },
    ])
    const ids: Array<string> = []
    for await (const { id } of florin.merchants.all({ search: "shop" })) ids.push(id)
    assert.deepStrictEqual(ids, ["mrch_1", "mrch_2", "mrch_3"])
    assert.deepStrictEqual(
      seen.map(({ query }) => query),
      ["?search=shop", "?search=shop&cursor=c1"],
    )
  })

  it("yields every existing event, and ends although there is always a cursor", async () => {
    const { florin, seen } = partner([
      { json: events(["evt_1", "evt_2"], true) },
      { json: events(["evt_3"], false) },
    ])
    const ids: Array<string> = []
    for await (const { id } of florin.events.all({ limit: 2 })) ids.push(id)
    assert.deepStrictEqual(ids, ["evt_1", "evt_2", "evt_3"])
    assert.deepStrictEqual(
      seen.map(({ query }) => query),
      ["?limit=2", "?limit=2&cursor=after%20evt_2"],
    )
  })

  it("requests no page before it is needed", async () => {
    const { florin, seen } = partner([{ json: page(["pay_1", "pay_2"], "c1") }])
    const all = florin.payments.all()
    assert.isEmpty(seen)
    const first = await all.next()
    assert.deepInclude(first.value, { paymentId: "pay_1" })
    await all.return()
    assert.lengthOf(seen, 1)
  })

  it("fails if a page fails", async () => {
    const { florin } = partner([{ json: page(["pay_1"], "c1") }, refusal(400, "invalid_params")])
    const error = await idsOf(florin.payments.all()).catch((caught: unknown) => caught)
    assert.deepInclude(error, { _tag: "Refused", code: "invalid_params" })
  })
})
