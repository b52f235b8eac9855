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

/** A call, how it must arrive, its body, and the response. */
type Case = readonly [
  asked: string,
  call: (wallet: Wallet, more?: { readonly signal: AbortSignal }) => Promise<unknown>,
  body: unknown,
  answer: object,
]

const root = "/v1/gateway/payment/pay_1"
const refresh = { accounts: [account], refresh: ["option-0"] }

const calls: ReadonlyArray<Case> = [
  [`GET ${root}`, (wallet, more) => wallet.get("pay_1", more), undefined, info],
  [
    `POST ${root}/options`,
    (wallet, more) => wallet.options("pay_1", refresh, more),
    refresh,
    { options: [option()] },
  ],
  [
    `POST ${root}/options?includePaymentInfo=true&includeCosts=true`,
    (wallet, more) =>
      wallet.options(
        "pay_1",
        { accounts: [] },
        { includePaymentInfo: true, includeCosts: true, ...more },
      ),
    { accounts: [] },
    { options: null, info },
  ],
  [
    `POST ${root}/fetch`,
    (wallet, more) => wallet.fetch("pay_1", { optionId: "option-1", data: "" }, more),
    { optionId: "option-1", data: "" },
    { actions: [sign] },
  ],
  [
    `POST ${root}/confirm?maxPollMs=0`,
    (wallet, more) => wallet.confirm("pay_1", confirmRequest, { maxPollMs: 0, ...more }),
    confirmRequest,
    processing,
  ],
  [
    `GET ${root}/status?maxPollMs=5`,
    (wallet, more) => wallet.status("pay_1", { maxPollMs: 5, ...more }),
    undefined,
    final("failed", { failureCode: null }),
  ],
  [`POST ${root}/cancel`, (wallet, more) => wallet.cancel("pay_1", more), {}, cancelled],
]

const options = { baseUrl: "https://api.example", apiKey: "flr_test_wk_1" }

describe("the client of a wallet", () => {
  it.each(calls)("sends %s, and returns its response", async (asked, call, body, answer) => {
    const { fetch, seen } = service([{ json: answer }])
    assert.deepStrictEqual(await call(makeWallet({ ...options, fetch })), answer)
    assert.deepStrictEqual(
      seen.map((one) => [`${one.method} ${one.path}${one.query}`, one.body]),
      [[asked, body]],
    )
  })

  it("has a call for every endpoint of the gateway", () => {
    const left = endpoints((group) => group === "gateway").filter(
      (pattern) => !calls.some(([asked]) => pattern.test(asked)),
    )
    assert.deepStrictEqual(left, [])
  })

  it("encodes an id so that it cannot change the path", async () => {
    const { fetch, seen } = service([{ json: succeeded }])
    await makeWallet({ ...options, fetch }).status("../../payments?x=1#y")
    assert.strictEqual(seen[0]?.path, "/v1/gateway/payment/..%2F..%2Fpayments%3Fx%3D1%23y/status")
  })

  it.each(calls)("stops %s when its signal aborts", async (_, call) => {
    const controller = new AbortController()
    const { fetch } = service(["silence"], { call: () => controller.abort() })
    const { signal } = controller
    const error = await call(makeWallet({ ...options, fetch }), { signal }).catch(
      (caught: unknown) => caught,
    )
    assert.propertyVal(error, "_tag", "Aborted")
  })
})
