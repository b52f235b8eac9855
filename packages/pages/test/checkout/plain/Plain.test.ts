import { assert, describe, it } from "@effect/vitest"
import type * as HostedPage from "@florin/api/wire/HostedPage"
import * as Plain from "../../../src/checkout/plain/Plain.ts"
import * as CheckoutMessages from "../../../src/messages/CheckoutMessages.ts"
import * as Languages from "../../../src/messages/Languages.ts"
import * as PlainMessages from "../../../src/messages/PlainMessages.ts"
import { final, open, paymentId, processing, succeeded } from "../Fixtures.ts"

const page = (more: Partial<HostedPage.Checkout> = {}): HostedPage.Checkout => ({
  page: "checkout",
  pageToken: "token",
  paymentId,
  mode: "live",
  link: `https://pay.example/?pid=${paymentId}`,
  now: 0,
  info: {
    amount: {
      unit: "iso4217/USD",
      value: "1250",
      display: { assetName: "US dollar", assetSymbol: "USD", decimals: 2 },
    },
    buyer: null,
    expiresAt: Date.UTC(2026, 10, 27, 19, 30) / 1000,
    merchant: { name: "Blue Door Coffee" },
    description: "Breakfast",
    status: "requires_action",
  },
  status: open,
  referenceId: "order-7",
  refunds: null,
  returnTo: null,
  accepted: [],
  explorers: {},
  frameOrigins: [],
  walletConnect: false,
  termsUrl: "https://pay.example/terms",
  privacyUrl: "https://pay.example/privacy",
  ...more,
})

const write = async (of: HostedPage.Checkout, tag = "en") => {
  const [checkout, { texts }] = await Promise.all([
    Languages.load("checkout", CheckoutMessages.english, [tag]),
    Languages.load("plain", PlainMessages.english, [tag]),
  ])
  return Plain.payment({ page: of, checkout, plain: texts, locale: tag }, "/style.css")
}

describe("the checkout without scripts", () => {
  it("shows the merchant, the amount, the items, the deadline, and how to pay elsewhere", async () => {
    const html = await write(page())
    for (const said of [
      "<title>Pay \u2068Blue Door Coffee\u2069 · \u2068Blue Door Coffee\u2069</title>",
      "<bdi>Blue Door Coffee</bdi>",
      "<bdi>$12.50</bdi>",
      "<bdi>Breakfast</bdi>",
      "<bdi>order-7</bdi>",
      PlainMessages.english.texts.needsScript,
      `<a href="https://pay.example/?pid=${paymentId}" target="_top"><bdi>https://pay.example/?pid=${paymentId}</bdi></a>`,
      `src="/pages/qr/${paymentId}"`,
      `href="https://pay.example/terms"`,
    ]) {
      assert.include(html, said)
    }
    assert.match(html, /Pay by Nov 27, 2026, 7:30:00\sPM UTC/u)
    assert.notInclude(html, "TEST")
  })

  it("marks a test payment as a test", async () => {
    assert.include(await write(page({ mode: "test" })), CheckoutMessages.english.texts.test)
  })

  it.each([
    ["Payment on its way", processing],
    ["Paid", succeeded],
    ["Payment failed", final("failed")],
    ["Payment declined", final("failed", { failureCode: "declined_user" })],
    ["Time is up", final("expired")],
    ["Payment cancelled", final("cancelled")],
  ])(
    "offers no way to pay once the payment is under way or over, and says %s",
    async (title, status) => {
      const html = await write(page({ status }))
      assert.include(html, `<h1>${title}</h1>`)
      assert.notMatch(html, /\/pages\/qr|class="time"|class="written"/u)
    },
  )

  it("is in the payer's language and direction, with the amount isolated", async () => {
    const html = await write(page(), "ar")
    assert.include(html, " · \u2068Blue Door Coffee\u2069</title>")
    assert.include(html, `lang="ar" dir="rtl"`)
    assert.include(html, "\u2068US$\u2069")
  })

  it("shows texts of merchants as text", async () => {
    const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)></noscript>&amp;`
    const html = await write(
      page({
        referenceId: hostile,
        link: `https://pay.example/?pid=${hostile}`,
        termsUrl: "javascript:alert(1)",
        info: { ...page().info, merchant: { name: hostile }, description: hostile },
      }),
    )
    assert.notMatch(html, /<script|<\/noscript|<img src=x|javascript:|\sstyle=/u)
    assert.include(html, "&#60;script&#62;")
  })
})
