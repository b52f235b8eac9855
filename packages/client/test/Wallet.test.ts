import { assert, describe, it } from "@effect/vitest"
import { makeWallet, type Wallet } from "../src/Client.ts"
import { endpoints } from "./Endpoints.ts"
import { account, final, info, option, processing, sign, succeeded } from "./Fixtures.ts"
import { service } from "./Script.ts"

const cancelled = {
  paymentId: "pay_1",
  status: "cancelled",
  cancelledReason: "cancelled_by_user",
  cancelledAt: "2026-11-21T07:00:00.000Z",
}
const confirmRequest = {
  optionId: "option-1",
  results: [{ type: "walletRpc" as const, data: ["0xa1"] }],
  excludeFromRelayer: null,
}

const calls: ReadonlyArray<
  readonly [
    name: string,
    call: (wallet: Wallet) => Promise<unknown>,
    asked: string,
    body: unknown,
    answer: object,
  ]
> = [
  ["get", (wallet) => wallet.get("pay_1"), "GET /v1/gateway/payment/pay_1", undefined, info],
  [
    "options",
    (wallet) => wallet.options("pay_1", { accounts: [account], refresh: ["option-0"] }),
    "POST /v1/gateway/payment/pay_1/options",
    { accounts: [account], refresh: ["option-0"] },
    { options: [option()] },
  ],
  [
    "options with info",
    (wallet) =>
      wallet.options("pay_1", { accounts: [] }, { includePaymentInfo: true, includeCosts: true }),
    "POST /v1/gateway/payment/pay_1/options?includePaymentInfo=true&includeCosts=true",
    { accounts: [] },
    { options: null, info },
  ],
  [
    "fetch",
    (wallet) => wallet.fetch("pay_1", { optionId: "option-1", data: "" }),
    "POST /v1/gateway/payment/pay_1/fetch",
    { optionId: "option-1", data: "" },
    { actions: [sign] },
  ],
  [
    "confirm",
    (wallet) => wallet.confirm("pay_1", confirmRequest, { maxPollMs: 0 }),
    "POST /v1/gateway/payment/pay_1/confirm?maxPollMs=0",
    confirmRequest,
    processing,
  ],
  [
    "status",
    (wallet) => wallet.status("pay_1", { maxPollMs: 5 }),
    "GET /v1/gateway/payment/pay_1/status?maxPollMs=5",
    undefined,
    final("failed", { failureCode: null }),
  ],
  [
    "cancel",
    (wallet) => wallet.cancel("pay_1"),
    "POST /v1/gateway/payment/pay_1/cancel",
    {},
    cancelled,
  ],
]

const options = { baseUrl: "https://api.example", apiKey: "flr_test_wk_1" }

describe("makeWallet", () => {
  it.each(calls)("%s", async (_, call, asked, body, answer) => {
    const { fetch, seen } = service([{ json: answer }])
    assert.deepStrictEqual(await call(makeWallet({ ...options, fetch })), answer)
    assert.deepStrictEqual(
      seen.map((one) => [`${one.method} ${one.path}${one.query}`, one.body]),
      [[asked, body]],
    )
  })

  it("has a call for every endpoint of the gateway", () => {
    const left = endpoints((group) => group === "gateway").filter(
      (pattern) => !calls.some(([, , asked]) => pattern.test(asked)),
    )
    assert.deepStrictEqual(left, [])
  })

  it("encodes an id so that it cannot change the path", async () => {
    const { fetch, seen } = service([{ json: succeeded }])
    await makeWallet({ ...options, fetch }).status("../../payments?x=1#y")
    assert.strictEqual(seen[0]?.path, "/v1/gateway/payment/..%2F..%2Fpayments%3Fx%3D1%23y/status")
  })

  it.each([
    (wallet: Wallet, signal: AbortSignal) => wallet.get("pay_1", { signal }),
    (wallet: Wallet, signal: AbortSignal) => wallet.options("pay_1", { accounts: [] }, { signal }),
    (wallet: Wallet, signal: AbortSignal) =>
      wallet.fetch("pay_1", { optionId: "", data: "" }, { signal }),
    (wallet: Wallet, signal: AbortSignal) => wallet.confirm("pay_1", confirmRequest, { signal }),
    (wallet: Wallet, signal: AbortSignal) => wallet.status("pay_1", { signal }),
    (wallet: Wallet, signal: AbortSignal) => wallet.cancel("pay_1", { signal }),
  ])("stops each call when its signal aborts: %#", async (call) => {
    const controller = new AbortController()
    const { fetch } = service(["silence"], { call: () => controller.abort() })
    const error = await call(makeWallet({ ...options, fetch }), controller.signal).catch(
      (caught: unknown) => caught,
    )
    assert.propertyVal(error, "_tag", "Aborted")
  })
})
