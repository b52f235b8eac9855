import { assert, describe, it } from "@effect/vitest"
import * as Receipt from "../../src/checkout/Receipt.ts"
import type { View } from "../../src/checkout/View.ts"
import { english } from "../../src/messages/CheckoutMessages.ts"
import * as Languages from "../../src/messages/Languages.ts"
import { base, open, paymentId, succeeded } from "./Fixtures.ts"

const price = {
  unit: "iso4217/USD",
  value: "1250",
  display: { assetName: "US dollar", assetSymbol: "USD", decimals: 2 },
}
const txId = "0x5e1ec7ed"
const paid = succeeded.info ?? assert.fail()

const view = (more: Partial<View["page"]> = {}, merchant = "Blue Door Coffee"): View => ({
  page: {
    page: "checkout",
    pageToken: "token",
    paymentId,
    mode: "live",
    link: `https://pay.example/?pid=${paymentId}`,
    now: 0,
    info: {
      amount: price,
      buyer: null,
      expiresAt: 0,
      merchant: { name: merchant },
      description: "Breakfast",
      lineItems: [{ name: "Flat white", quantity: 2, amount: price }],
      status: "succeeded",
    },
    status: open,
    referenceId: "order-7",
    refunds: null,
    returnTo: null,
    accepted: [],
    explorers: { [base]: "https://basescan.org/tx/" },
    frameOrigins: [],
    walletConnect: false,
    termsUrl: "https://pay.example/terms",
    privacyUrl: "https://pay.example/privacy",
    ...more,
  },
  messages: english.texts,
  language: "en",
  locale: "en",
  origin: "https://pay.example",
  now: () => 0,
})

const html = (of: View) => Receipt.html(of, { ...paid, txId }, Date.UTC(2026, 8, 21))

describe("a receipt", () => {
  it("contains the amount, the merchant, the items, the token, the network and the transaction", () => {
    const text = html(view()).replaceAll(/<\/?bdi>/gu, "")
    for (const said of [
      "Blue Door Coffee",
      "order-7",
      "Breakfast",
      "2 × Flat white",
      "$12.50",
      "1.25 USDC",
      "Base",
      txId,
      "2026",
    ]) {
      assert.include(text, said)
    }
    assert.include(text, `href="https://basescan.org/tx/${txId}"`)
    assert.notInclude(text, "TEST")
  })

  it("lists what was refunded, and to which account", () => {
    const hash = `0x${"cd".repeat(32)}`
    const to = "eip155:8453:0x2222222222222222222222222222222222222222"
    const each = [
      { amount: paid.optionAmount, to, txId: hash },
      { amount: paid.optionAmount, to, txId: null },
    ]
    const text = html(view({ refunds: { of: "part", each } }))
    for (const said of [english.texts.refund.sent, english.texts.refund.open, to]) {
      assert.include(text, said)
    }
    assert.include(text, `href="https://basescan.org/tx/${hash}"`)
  })

  it("marks a test payment as a test", () => {
    assert.include(html(view({ mode: "test", explorers: {} })), english.texts.test)
    assert.notInclude(html(view({ explorers: {} })), "href")
  })

  it("runs no script of a merchant, and loads nothing", () => {
    const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;`
    const text = html(view({ referenceId: hostile }, hostile))
    assert.notMatch(text, /<(?:script|img|link|iframe)|<[^>]*\ssrc=|url\(/u)
    assert.include(text, "&#60;script&#62;")
  })

  it("is in the payer's language and direction", async () => {
    const { texts } = await Languages.load("checkout", english, ["he"])
    const text = html({ ...view(), messages: texts, language: "he", locale: "he" })
    assert.include(text, `<html lang="he" dir="rtl">`)
    assert.include(text, texts.receipt)
    const [title = "", ...rows] = text.split("<tr>")
    assert.include(title, "\u2068Blue Door Coffee\u2069</title>")
    for (const written of ["Blue Door Coffee", "order-7", "Breakfast", "Flat white", txId]) {
      assert.include(rows.join(""), `<bdi>${written}</bdi>`)
    }
    assert.include(rows.join(""), "\u2068USDC\u2069")
  })
})
