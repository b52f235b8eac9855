import { assert, describe, it } from "@effect/vitest"
import { parsePaymentLink } from "@florin/client"
import * as SafeUrl from "../../src/checkout/SafeUrl.ts"

const own = "http://localhost:3000"

describe("SafeUrl.web", () => {
  it("accepts https, and the page's own origin", () => {
    assert.strictEqual(SafeUrl.web("https://shop.example/a?b#c", own), "https://shop.example/a?b#c")
    assert.strictEqual(SafeUrl.web(`${own}/icons/usdc.svg`, own), `${own}/icons/usdc.svg`)
  })

  it.each([
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "http://shop.example/",
    "http://localhost:3001/",
    "blob:https://shop.example/1",
    "https://shop.example@evil.example/",
    "https://:secret@evil.example/",
    "//shop.example/",
    "/relative",
    "",
    undefined,
  ])("refuses %o", (text) => {
    assert.isUndefined(SafeUrl.web(text, own))
  })
})

describe("SafeUrl.merchant", () => {
  it("is on the payer's own machine only after test payments", () => {
    for (const url of ["http://localhost:4000/thanks", "http://127.0.0.1/", "http://[::1]:8/"]) {
      assert.strictEqual(SafeUrl.merchant(url, { mode: "test" }, own), url)
      assert.isUndefined(SafeUrl.merchant(url, { mode: "live" }, own))
    }
    for (const url of [
      "http://shop.example/",
      "http://localhost.example/",
      "http://127.0.0.1.example/",
      "http://me@localhost/",
      "javascript:alert(1)",
      undefined,
    ]) {
      assert.isUndefined(SafeUrl.merchant(url, { mode: "test" }, own))
    }
    assert.strictEqual(
      SafeUrl.merchant("https://shop.example/", { mode: "live" }, own),
      "https://shop.example/",
    )
  })
})

describe("SafeUrl.drawing", () => {
  it("is loaded from the page's own origin, whatever host and folder the service sent", () => {
    for (const base of ["https://pay.florin.example", "https://cdn.example/florin", own]) {
      assert.strictEqual(SafeUrl.iconPath(`${base}/icons/base-l2.svg`), "/icons/base-l2.svg")
    }
  })

  it.each([
    "https://cdn.example/other/usdc.svg",
    "https://cdn.example/icons/usdc.png",
    "https://cdn.example/icons/usdc.svg/x",
    "https://cdn.example/?/icons/usdc.svg",
    "https://cdn.example/icons/../usdc.svg",
    "/icons/usdc.svg",
    "",
    undefined,
  ])("is never loaded from %o", (text) => {
    assert.isUndefined(SafeUrl.iconPath(text))
  })
})

describe("SafeUrl.walletIcon", () => {
  it("is an image inside the announcement, and never loaded from elsewhere", () => {
    assert.isDefined(SafeUrl.walletIcon("data:image/svg+xml,<svg/>"))
    assert.isDefined(SafeUrl.walletIcon("data:image/png;base64,AA=="))
    for (const other of ["https://wallet.example/i.png", "data:text/html,<b>", "javascript:1", 7]) {
      assert.isUndefined(SafeUrl.walletIcon(other))
    }
  })
})

describe("SafeUrl.ownForm", () => {
  it("keeps path and query, and removes the host", () => {
    assert.strictEqual(
      SafeUrl.ownForm("https://evil.example/collect/?pid=pay_1&accounts=a", own),
      `${own}/collect/?pid=pay_1&accounts=a`,
    )
  })

  it("opens no other page", () => {
    for (const other of [
      "https://pay.example/",
      "https://pay.example/collect/x",
      "javascript:1",
      "",
    ]) {
      assert.isUndefined(SafeUrl.ownForm(other, own))
    }
  })
})

describe("SafeUrl.transaction", () => {
  it("is the explorer's address with the hash", () => {
    const explorer = "https://scan.example/tx/"
    assert.strictEqual(SafeUrl.transaction(explorer, "0xab", own), `${explorer}0xab`)
    assert.isUndefined(SafeUrl.transaction(explorer, "../../evil", own))
    assert.isUndefined(SafeUrl.transaction("javascript:alert(1)//", "0xab", own))
    assert.isUndefined(SafeUrl.transaction(undefined, "0xab", own))
  })
})

describe("SafeUrl.walletApp", () => {
  it("is read by a wallet as the same payment", () => {
    const uri = SafeUrl.walletApp("https://pay.florin.example/?pid=pay_1")
    const link = parsePaymentLink(uri, { payLinkHost: "pay.florin.example" })
    if (link._tag !== "PairingWithPayment") return assert.fail(link._tag)
    assert.strictEqual(link.paymentId, "pay_1")
    assert.strictEqual(link.uri, uri)
  })
})

describe("SafeUrl.email", () => {
  it("writes to a plain address about the payment", () => {
    assert.strictEqual(
      SafeUrl.email("help@bluedoor.example", "order 7 & more"),
      "mailto:help@bluedoor.example?subject=order%207%20%26%20more",
    )
  })

  it.each([
    undefined,
    "",
    "help",
    "a@b?bcc=c@d",
    "a@b&cc=c@d",
    "a@b,c@d",
    "a b@c",
    "a@b@c",
    "a%0d@b",
  ])("refuses what is not exactly one plain address: %j", (address) => {
    assert.isUndefined(SafeUrl.email(address, "order 7"))
  })
})
