import { assert, describe, it } from "@effect/vitest"
import { parsePaymentLink } from "../src/Client.ts"

const trust = { payLinkHost: "pay.example" }
const link = "https://pay.example/?pid=pay_1"
const pairing = `wc:a1@2?pay=${encodeURIComponent(link)}`

describe("parsePaymentLink", () => {
  it.each([
    [link, { _tag: "PaymentLink", paymentId: "pay_1" }],
    ["https://eu.pay.example/pay_1", { _tag: "PaymentLink", paymentId: "pay_1" }],
    ["pay_1", { _tag: "PaymentLink", paymentId: "pay_1" }],
    [` ${link}\n`, { _tag: "PaymentLink", paymentId: "pay_1" }],
    [pairing, { _tag: "PairingWithPayment", paymentId: "pay_1", uri: pairing }],
    ["wc:a1@2", { _tag: "PairingUri", uri: "wc:a1@2" }],
    ["https://evil.example/?pid=pay_1", { _tag: "Other" }],
  ])("reads %j", (text, expected) => {
    assert.deepEqual<object>(parsePaymentLink(text, trust), expected)
  })

  it("returns an error for a forgery, without throwing", () => {
    const forged = parsePaymentLink("https://x@pay.example/pay_1", trust)
    assert.deepInclude(forged, { _tag: "InvalidLink", reason: "host" })
    assert.instanceOf(forged, Error)
  })
})
