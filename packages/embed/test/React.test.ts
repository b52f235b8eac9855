/**
 * React in a browser is tested in packages/florin/test/browser.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { createElement } from "react"
import { renderToString } from "react-dom/server"
import { Cart, OrderPage, OwnButton } from "../test-support/Cart.tsx"

const payment = "https://pay.example/?pid=pay_1"

describe("the React component", () => {
  it("renders on a server, without custom elements", () => {
    assert.strictEqual(
      renderToString(createElement(Cart, { payment })),
      `<florin-checkout payment="${payment}" label="Pay now"></florin-checkout>`,
    )
    assert.strictEqual(
      renderToString(createElement(OwnButton, { payment })),
      `<button type="button">Pay now</button>`,
    )
    assert.strictEqual(
      renderToString(createElement(OrderPage, { paymentId: "pay_1" })),
      "<p>Waiting for your payment …</p>",
    )
  })

  it("is in the README as it is compiled here", () => {
    const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8")
    const [, shown] = /```tsx\n([^]*?)```/u.exec(read("../README.md")) ?? []
    assert.strictEqual(shown, read("../test-support/Cart.tsx").replace(/^\/\*\*[^]*?\*\/\n/u, ""))
  })
})
