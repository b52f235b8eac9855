import { assert, describe, it } from "@effect/vitest"
import * as Link from "../src/Link.ts"

describe("a payment link", () => {
  it.each([
    "https://pay.example/?pid=pay_1",
    "https://pay.example/pay_1",
    "http://localhost:3000/?pid=pay_1",
    "http://pay.localhost/?pid=pay_1",
    "http://127.0.0.1:3000/?pid=pay_1",
    "http://[::1]:3000/?pid=pay_1",
  ])("is %s", (payment) => {
    assert.strictEqual(Link.parse(payment)?.href, payment)
  })

  it.each([
    "",
    "pay_1",
    "/?pid=pay_1",
    "javascript:alert(1)",
    "data:text/html,<p>",
    "http://pay.example/?pid=pay_1",
    "http://localhost.evil.example/?pid=pay_1",
    "https://pay.example@evil.example/?pid=pay_1",
    "https://:secret@evil.example/?pid=pay_1",
  ])("is not %j", (payment) => {
    assert.isUndefined(Link.parse(payment))
  })

  it("is framed with its mode, and with a language if the shop requests one", () => {
    const link = Link.parse("https://pay.example/?pid=pay_1") ?? assert.fail("no link")
    assert.strictEqual(
      Link.frameUrl(link, "modal", ""),
      "https://pay.example/?pid=pay_1&embed=modal",
    )
    assert.strictEqual(
      Link.frameUrl(link, "inline", "de"),
      "https://pay.example/?pid=pay_1&embed=inline&lang=de",
    )
    assert.strictEqual(link.href, "https://pay.example/?pid=pay_1")
  })
})
