import { assert, describe, it } from "@effect/vitest"
import { makePartner, type Partner, type PartnerOptions } from "../src/Client.ts"
import { endpoints } from "./Endpoints.ts"
import { amount, final, succeeded } from "./Fixtures.ts"
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
const details = { paymentId: "pay_1", referenceId: "ORDER-7", ...succeeded, settlement: null }
const cancelled = {
  paymentId: "pay_1",
  status: "cancelled",
  cancelledReason: "cancelled_by_merchant",
  cancelledAt: "2026-11-21T07:00:00.000Z",
}
const merchant = {
  id: "mrch_1",
  name: "Corner Shop",
  email: "shop@example.com",
  iconUrl: null,
  status: "active",
  createdAt: "2026-11-21T07:00:00.000Z",
}
const webhook = {
  id: "whk_1",
  url: "https://shop.example/florin",
  types: null,
  version: null,
  createdAt: "2026-11-21T07:00:00.000Z",
  disabledAt: null,
}
const key = {
  id: "key_1",
  hint: "flr_test_pk_abcd…",
  name: "till",
  scopes: ["pay"],
  from: null,
  createdAt: "2026-11-21T07:00:00.000Z",
  lastUsedAt: null,
  validUntil: null,
  successor: null,
  madeBy: null,
}
const refund = { refundId: "rfnd_1", paymentId: "pay_1", status: "pending", amount }
const settlement = { id: "crypto_1", asset: "eip155:1/erc20:0x1", destination: "eip155:1:0x2" }
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

interface Case {
  readonly asked: string
  readonly call: (florin: Partner, signal?: AbortSignal) => Promise<unknown>
  readonly answer: object
  readonly body?: object
  readonly of?: string
  readonly once?: boolean
}

const calls: ReadonlyArray<Case> = [
  {
    asked: "POST /v1/payments",
    call: (florin, signal) => florin.payments.create(newPayment, { signal }),
    answer: created,
    body: newPayment,
    of: "mrch_own",
    once: true,
  },
  {
    asked: "GET /v1/payments/pay_1",
    call: (florin, signal) => florin.payments.get("pay_1", { signal }),
    answer: details,
    of: "mrch_own",
  },
  {
    asked: "GET /v1/payments/pay_1/status?maxPollMs=7",
    call: (florin, signal) =>
      florin.payments.status("pay_1", {
        maxPollMs: 7,
        merchantId: "mrch_other",
        signal,
      }),
    answer: final("expired"),
    of: "mrch_other",
  },
  {
    asked: "POST /v1/payments/pay_1/cancel",
    call: (florin, signal) => florin.payments.cancel("pay_1", { signal }),
    answer: cancelled,
    body: {},
    of: "mrch_own",
  },
  {
    asked:
      "GET /v1/payments?token_symbol=USDC&token_symbol=EURC&currency=EUR&sortBy=amount&limit=2",
    call: (florin, signal) =>
      florin.payments.list(
        { token_symbol: ["USDC", "EURC"], currency: ["EUR"], sortBy: "amount", limit: 2 },
        { signal },
      ),
    answer: page([]),
    of: "mrch_own",
  },
  {
    asked: "GET /v1/merchants/payments?status=failed",
    call: (florin, signal) =>
      florin.payments.listOfMerchant("mrch_2", { status: ["failed"] }, { signal }),
    answer: page([]),
    of: "mrch_2",
  },
  {
    asked: "POST /v1/refunds",
    call: (florin, signal) => florin.refunds.create({ paymentId: "pay_1" }, { signal }),
    answer: refund,
    body: { paymentId: "pay_1" },
    of: "mrch_own",
    once: true,
  },
  {
    asked: "GET /v1/refunds/rfnd_1",
    call: (florin, signal) => florin.refunds.get("rfnd_1", { signal }),
    answer: refund,
    of: "mrch_own",
  },
  {
    asked: "POST /v1/merchants",
    call: (florin, signal) => florin.merchants.create(newMerchant, { signal }),
    answer: { merchant },
    body: newMerchant,
    once: true,
  },
  {
    asked: "GET /v1/merchants/mrch_1",
    call: (florin, signal) => florin.merchants.get("mrch_1", { signal }),
    answer: { merchant: { ...merchant, settlements: { crypto: [settlement], fiat: [] } } },
  },
  {
    asked: "PATCH /v1/merchants/mrch_1",
    call: (florin, signal) => florin.merchants.update("mrch_1", { iconUrl: null }, { signal }),
    answer: { merchant },
    body: { iconUrl: null },
  },
  {
    asked: "DELETE /v1/merchants/mrch_1",
    call: (florin, signal) => florin.merchants.remove("mrch_1", { signal }),
    answer: { id: "mrch_1", deleted: true },
  },
  {
    asked: "GET /v1/merchants?status=active&search=shop",
    call: (florin, signal) =>
      florin.merchants.list({ status: "active", search: "shop" }, { signal }),
    answer: merchants([]),
  },
  {
    asked: "GET /v1/events?cursor=c1&limit=2",
    call: (florin, signal) => florin.events.list({ cursor: "c1", limit: 2 }, { signal }),
    answer: events([], false),
  },
  {
    asked: "POST /v1/webhooks",
    call: (florin, signal) => florin.webhooks.create({ url: webhook.url }, { signal }),
    answer: { webhook, secret: "whsec_1" },
    body: { url: webhook.url },
    once: true,
  },
  {
    asked: "GET /v1/webhooks",
    call: (florin, signal) => florin.webhooks.list({ signal }),
    answer: { webhooks: [webhook] },
  },
  {
    asked: "GET /v1/webhooks/whk_1",
    call: (florin, signal) => florin.webhooks.get("whk_1", { signal }),
    answer: { webhook },
  },
  {
    asked: "PATCH /v1/webhooks/whk_1",
    call: (florin, signal) => florin.webhooks.change("whk_1", { types: null }, { signal }),
    answer: { webhook },
    body: { types: null },
  },
  {
    asked: "DELETE /v1/webhooks/whk_1",
    call: (florin, signal) => florin.webhooks.remove("whk_1", { signal }),
    answer: { id: "whk_1", deleted: true },
  },
  {
    asked: "POST /v1/webhooks/whk_1/rotate",
    call: (florin, signal) => florin.webhooks.rotate("whk_1", { signal }),
    answer: { webhook, secret: "whsec_2" },
    once: true,
  },
  {
    asked: "POST /v1/webhooks/whk_1/test",
    call: (florin, signal) => florin.webhooks.test("whk_1", { signal }),
    answer: { eventId: "evt_1", deliveryId: "dlv_1" },
  },
  {
    asked: "GET /v1/webhooks/whk_1/deliveries?cursor=c1&limit=2",
    call: (florin, signal) =>
      florin.webhooks.deliveries("whk_1", { cursor: "c1", limit: 2 }, { signal }),
    answer: { data: [], nextCursor: null },
  },
  {
    asked: "POST /v1/webhooks/whk_1/deliveries/dlv_1/redeliver",
    call: (florin, signal) => florin.webhooks.redeliver("whk_1", "dlv_1", { signal }),
    answer: { id: "dlv_1", state: "pending" },
  },
  {
    asked: "POST /v1/webhooks/whk_1/replay",
    call: (florin, signal) =>
      florin.webhooks.replay("whk_1", { from: "2026-11-21T07:00:00Z" }, { signal }),
    answer: { deliveries: 3 },
    body: { from: "2026-11-21T07:00:00Z" },
  },
  {
    asked: "POST /v1/keys",
    call: (florin, signal) => florin.keys.create({ name: "till", scopes: ["pay"] }, { signal }),
    answer: { key, secret: "flr_test_pk_2" },
    body: { name: "till", scopes: ["pay"] },
    once: true,
  },
  {
    asked: "GET /v1/keys",
    call: (florin, signal) => florin.keys.list({ signal }),
    answer: { keys: [key] },
  },
  {
    asked: "POST /v1/keys/key_1/rotate",
    call: (florin, signal) => florin.keys.rotate("key_1", {}, { signal }),
    answer: { key, secret: "flr_test_pk_3" },
    body: {},
    once: true,
  },
  {
    asked: "DELETE /v1/keys/key_1",
    call: (florin, signal) => florin.keys.revoke("key_1", { signal }),
    answer: { revoked: ["key_1"] },
  },
  {
    asked: "GET /v1/merchants/mrch_1/statement?from=2026-09-01&to=2026-09-30",
    call: (florin, signal) =>
      florin.merchants.statement("mrch_1", { from: "2026-09-01", to: "2026-09-30" }, { signal }),
    answer: { merchantId: "mrch_1", tokens: [] },
  },
  {
    asked: "GET /v1/payouts?merchantId=mrch_1&status=paid",
    call: (florin, signal) =>
      florin.payouts.list({ merchantId: "mrch_1", status: "paid" }, { signal }),
    answer: { data: [], nextCursor: null },
  },
  {
    asked: "GET /v1/payouts/out_1",
    call: (florin, signal) => florin.payouts.get("out_1", { signal }),
    answer: { id: "out_1", payments: [] },
  },
  {
    asked: "GET /v1/audit-log?cursor=c1&limit=2",
    call: (florin, signal) => florin.auditLog.list({ cursor: "c1", limit: 2 }, { signal }),
    answer: { data: [], nextCursor: null },
  },
  {
    asked: "GET /v1/assets",
    call: (florin, signal) => florin.assets.list({ signal }),
    answer: { assets: [] },
  },
  {
    asked: "GET /v1/merchants/mrch_1/settlements",
    call: (florin, signal) => florin.settlements.list("mrch_1", { signal }),
    answer: { crypto: [settlement], fiat: [] },
  },
  {
    asked: "POST /v1/merchants/mrch_1/settlements/crypto",
    call: (florin, signal) => florin.settlements.create("mrch_1", destinations, { signal }),
    answer: { settlements: [settlement] },
    body: destinations,
    once: true,
  },
  {
    asked: "PUT /v1/merchants/mrch_1/settlements/crypto/crypto_1",
    call: (florin, signal) =>
      florin.settlements.change("mrch_1", "crypto_1", destination, { signal }),
    answer: settlement,
    body: destination,
  },
  {
    asked: "DELETE /v1/merchants/mrch_1/settlements/crypto/crypto_1",
    call: (florin, signal) => florin.settlements.remove("mrch_1", "crypto_1", { signal }),
    answer: { id: "crypto_1", deleted: true },
  },
]

const idempotencyKeys = (seen: ReturnType<typeof service>["seen"]) =>
  seen.map(({ headers }) => headers.get("idempotency-key"))

describe("makePartner", () => {
  it.each(calls)("$asked", async ({ asked, call, answer, body, of, once = false }) => {
    const { florin, seen } = partner([{ json: answer }], { merchantId: "mrch_own" })
    assert.deepStrictEqual(await call(florin), answer)
    assert.deepStrictEqual(
      seen.map((one) => [`${one.method} ${one.path}${one.query}`, one.body]),
      [[asked, body]],
    )
    assert.strictEqual(seen[0]?.headers.get("merchant-id"), of ?? null)
    assert.strictEqual(seen[0]?.headers.has("idempotency-key"), once)
  })

  it.each(calls)("$asked retries, and stops by its signal", async ({ call, answer }) => {
    const retrying = partner(["lost", refusal(503, "unavailable"), { json: answer }])
    assert.deepStrictEqual(await call(retrying.florin), answer)
    assert.lengthOf(retrying.seen, 3)
    assert.lengthOf(new Set(idempotencyKeys(retrying.seen)), 1)

    const controller = new AbortController()
    const stopping = partner(["silence"], {}, { call: () => controller.abort() })
    const error = await call(stopping.florin, controller.signal).catch((caught: unknown) => caught)
    assert.propertyVal(error, "_tag", "Aborted")
  })

  it("has a call for every endpoint of a partner that is not deprecated", () => {
    const left = endpoints((group) => group !== "gateway").filter(
      (pattern) =>
        // The stream is no single call: EventStream.test.ts.
        !pattern.test("GET /v1/events/stream") && !calls.some(({ asked }) => pattern.test(asked)),
    )
    assert.deepStrictEqual(left, [])
  })

  it("draws a new key for each thing that is made, and takes the caller's", async () => {
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

  it("names the merchant of a new payment once: in the body where it is there", async () => {
    const { florin, seen } = partner([{ json: created }], { merchantId: "mrch_own" })
    await florin.payments.create({ ...newPayment, merchantId: "mrch_body" })
    assert.isFalse(seen[0]?.headers.has("merchant-id"))
    assert.deepInclude(seen[0]?.body, { merchantId: "mrch_body" })
  })

  it("names no merchant where none is known", async () => {
    const { florin, seen } = partner([{ json: created }])
    await florin.payments.create(newPayment)
    assert.isFalse(seen[0]?.headers.has("merchant-id"))
  })
})

describe("a list that is read to its end", () => {
  const idsOf = async (items: AsyncIterable<{ readonly paymentId: string }>) => {
    const ids: Array<string> = []
    for await (const { paymentId } of items) ids.push(paymentId)
    return ids
  }

  it("gives every payment once, with the same filters on each page", async () => {
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

  it("gives a merchant's payments, from a cursor on", async () => {
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

  it("gives every delivery to a webhook once", async () => {
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

  it("gives every merchant once", async () => {
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

  it("gives every event that is there, though its cursor never ends", async () => {
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

  it("asks for no page that nobody wants", async () => {
    const { florin, seen } = partner([{ json: page(["pay_1", "pay_2"], "c1") }])
    const all = florin.payments.all()
    assert.isEmpty(seen)
    const first = await all.next()
    assert.deepInclude(first.value, { paymentId: "pay_1" })
    await all.return()
    assert.lengthOf(seen, 1)
  })

  it("fails where a page fails", async () => {
    const { florin } = partner([{ json: page(["pay_1"], "c1") }, refusal(400, "invalid_params")])
    const error = await idsOf(florin.payments.all()).catch((caught: unknown) => caught)
    assert.deepInclude(error, { _tag: "Refused", code: "invalid_params" })
  })
})
