import { assert, describe, it } from "@effect/vitest"
import * as Mount from "../src/http/Mount.ts"

const pid = "/?pid=pay_1"

/** The address of the service, the target of a request, and what Florin reads; null is the app's. */
const rows: ReadonlyArray<readonly [publicUrl: string, target: string, read: string | null]> = [
  ["https://a.example/pay", "/pay/v1/payments?limit=2", "/v1/payments?limit=2"],
  ["https://a.example/pay", "/pay", "/"],
  ["https://a.example/pay", "/pay?pid=pay_1", pid],
  ["https://a.example/pay/", "/pay/", "/"],
  ["https://a.example/shop/pay", "/shop/pay/docs", "/docs"],
  ["https://a.example/pay", "http://a.example/pay/docs", "/docs"],
  // The checkout, where payment links lead.
  ["https://a.example/pay", pid, pid],
  ["https://a.example/pay", "https://a.example/?lang=de&pid=pay_1", "/?lang=de&pid=pay_1"],
  ["https://a.example/pay", "/pay_1", "/pay_1"],
  ["https://a.example/pay", "/collect/?pid=pay_1&accounts=a", "/collect/?pid=pay_1&accounts=a"],
  ["https://a.example/pay", "/pages/florin.js", "/pages/florin.js"],
  // The app's own.
  ["https://a.example/pay", "/", null],
  ["https://a.example/pay", "/?page=2", null],
  ["https://a.example/pay", "/menu?pid=pay_1", null],
  ["https://a.example/pay", "/payment", null],
  ["https://a.example/pay", "/pay_1/receipt", null],
  ["https://a.example/pay", "/collect", null],
  ["https://a.example/pay", "/pages", null],
  ["https://a.example/pay", "/v1/payments", null],
  ["https://a.example/pay", "/shop/pay/v1/payments", null],
  ["https://a.example/pay", "/PAY/v1/payments", null],
  // At the root, the handler itself passes on what it does not know.
  ["https://a.example", "/v1/payments", "/v1/payments"],
  ["https://a.example/", "/menu", "/menu"],
]

describe("Mount", () => {
  for (const [publicUrl, target, read] of rows) {
    it(`reads ${target} at ${publicUrl} as ${read}`, () => {
      assert.strictEqual(Mount.locate(publicUrl, target), read)
    })
  }
})
