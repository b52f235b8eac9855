import { assert, describe, it } from "@effect/vitest"
import * as Ask from "../../src/start/Ask.ts"
import type { Start } from "../../src/start/Start.ts"

describe("an amount on the start page", () => {
  it("is read in the digits of its currency, without rounding", () => {
    for (const [text, currency, value] of [
      ["12.50", "USD", "1250"],
      ["12.5", "EUR", "1250"],
      ["12,5", "EUR", "1250"],
      [" 12 ", "EUR", "1200"],
      ["0.01", "USD", "1"],
      ["999999999.99", "USD", "99999999999"],
      ["7", "JPY", "7"],
      // A browser counts none, and the API counts the fillér.
      ["1000", "HUF", "100000"],
    ] as const) {
      assert.deepStrictEqual(Ask.amount(text, currency), { unit: `iso4217/${currency}`, value })
    }
  })

  for (const [text, currency] of [
    ["", "USD"],
    ["0", "USD"],
    ["0.00", "USD"],
    ["1.005", "USD"],
    ["1.5", "JPY"],
    ["-1", "USD"],
    ["1e3", "USD"],
    ["1000000000000000", "USD"],
    ["$1", "USD"],
  ] as const) {
    it(`is refused if it is ambiguous: ${JSON.stringify(text)} ${currency}`, () => {
      assert.isUndefined(Ask.amount(text, currency))
    })
  }
})

describe("the next order on the start page", () => {
  it("follows all orders, and nothing else", () => {
    const next = (...references: ReadonlyArray<string>) =>
      Ask.nextOrder(references.map((referenceId) => ({ referenceId })))
    assert.strictEqual(next(), 1)
    assert.strictEqual(next("first-payment", "order-", "order-x", "my-order-9", "order-1e9"), 1)
    assert.strictEqual(next("order-2", "order-10", "order-9"), 11)
    assert.strictEqual(next(`order-${"9".repeat(30)}`), 1)
  })
})

describe("the curl command on the start page", () => {
  it("is one argument for the shell even if the description has a quote", () => {
    const keys = { partnerKey: "flr_test_pk_1", walletKey: "flr_test_wk_1", merchantId: "mrch_1" }
    const start: Start = {
      page: "start",
      ...keys,
      live: keys,
      listenCommand: "",
      currencies: [],
      outcomes: [],
      chains: [],
      wallets: [],
    }
    const command = Ask.curl("http://localhost:3000", start, {
      referenceId: "order-1",
      amount: { unit: "iso4217/USD", value: "1250" },
      description: "Bob's beans",
    })
    assert.include(command, String.raw`"description":"Bob'\''s beans"}'`)
  })
})
