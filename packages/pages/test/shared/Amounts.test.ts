import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Languages from "../../src/messages/Languages.ts"
import * as Amounts from "../../src/shared/Amounts.ts"
import { amount } from "../checkout/Fixtures.ts"

const fiat = (currency: string, value: string, decimals: number) => ({
  unit: `iso4217/${currency}`,
  value,
  display: { assetName: currency, assetSymbol: currency, decimals },
})
const token = (value: string, decimals = 6) => ({
  ...amount,
  value,
  display: { ...amount.display, decimals },
})
const Value = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,77}$/u))
const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 18 }))
const plain = (text: string) => text.replaceAll(/\s/gu, " ")

describe("Amounts.format", () => {
  it.each([
    ["en", "€12.50", fiat("EUR", "1250", 2)],
    ["de", "12,50 €", fiat("EUR", "1250", 2)],
    ["en", "$0.05", fiat("USD", "5", 2)],
    ["en", "$1,234,567.89", fiat("USD", "123456789", 2)],
    ["en", "¥1,250", fiat("JPY", "1250", 0)],
    ["en", "1.25 USDC", token("1250000")],
    ["en", "1.00 USDC", token("1000000")],
    ["en", "0.000001 USDC", token("1")],
    ["en", "7 USDC", token("7", 0)],
  ])("writes money as the locale does: in %s as %s", (locale, expected, given) => {
    assert.strictEqual(plain(Amounts.format(given, locale)), expected)
  })

  it("uses the locale's own digits on both sides of the point", () => {
    assert.match(Amounts.format(fiat("EUR", "1250", 2), "ar-EG"), /١٢٫٥٠/u)
  })

  it.each([
    ["ar", "\u2067\u200f12.50 \u2068US$\u2069\u2069", fiat("USD", "1250", 2)],
    ["ar-EG", "\u2067\u200f١٢٫٥٠ \u2068US$\u2069\u2069", fiat("USD", "1250", 2)],
    ["he-IL", "\u2067\u200f12.50 \u200f\u2068$\u2069\u2069", fiat("USD", "1250", 2)],
    ["ar", "\u20671.25 \u2068USDC\u2069\u2069", token("1250000")],
    ["he", "\u20671e3 \u2068USDC\u2069\u2069", token("1e3")],
  ])(
    "isolates an amount and its unit in right-to-left text: in %s as %s",
    (locale, expected, given) => {
      assert.strictEqual(plain(Amounts.format(given, locale)), expected)
    },
  )

  it.each([...Languages.languages.keys()])(
    "isolates an amount from the direction of the sentence only in right-to-left languages: %s",
    (tag) => {
      const isIsolated = Amounts.format(token("1"), tag).startsWith("\u2067")
      assert.strictEqual(isIsolated, tag === "ar" || tag === "he")
    },
  )

  it("keeps every digit of a large amount", () => {
    const written = Amounts.format(token("123456789012345678901234567890123456789", 18), "en")
    assert.strictEqual(written, "123,456,789,012,345,678,901.234567890123456789 USDC")
  })

  it("shows a text that is not an integer unchanged", () => {
    assert.strictEqual(Amounts.format(token("1e3"), "en"), "1e3 USDC")
  })

  it.prop(
    "reads back the integer",
    [Arbitrary.schema(Value), Arbitrary.schema(Decimals)],
    ([value, decimals]) => {
      const [whole = "", fraction = ""] = Amounts.format(token(value, decimals), "en")
        .replace(" USDC", "")
        .replaceAll(",", "")
        .split(".")
      assert.strictEqual(BigInt(whole + fraction.padEnd(decimals, "0")), BigInt(value))
    },
    { arbitrary: { runs: 300 } },
  )
})

describe("Amounts.countdown", () => {
  it.each([
    [285_000, "4:45"],
    [284_001, "4:45"],
    [60_000, "1:00"],
    [999, "0:01"],
    [0, "0:00"],
    [-5000, "0:00"],
    [3_725_000, "1:02:05"],
    [90_000_000, "25:00:00"],
  ])("shows %d ms as %s", (leftInMs, expected) => {
    assert.strictEqual(Amounts.countdown(leftInMs, "en"), expected)
  })
})

describe("Amounts.chainOf", () => {
  it("is the chain of a token, and absent for a currency", () => {
    assert.strictEqual(Amounts.chainOf(amount.unit), "eip155:8453")
    assert.isUndefined(Amounts.chainOf("iso4217/USD"))
    assert.isUndefined(Amounts.chainOf("caip19/solana:1/token:abc"))
  })
})

describe("Amounts.formatBalance", () => {
  it.each([
    ["250000000", 6, "250.00 USDC"],
    ["1234567", 6, "1.2345 USDC"],
    ["1299999999999999999", 18, "1.2999 USDC"],
    ["99", 6, "0.00 USDC"],
    ["5", 18, "0.00 USDC"],
    ["1250", 2, "12.50 USDC"],
  ] as const)("rounds a balance down: %s with %d decimals is %s", (value, decimals, said) => {
    const balance = token(value, decimals)
    assert.strictEqual(Amounts.formatBalance(balance, "en"), said)
  })
})

describe("Amounts.withDigits", () => {
  it("writes the digits of a sentence as the locale does", () => {
    assert.strictEqual(Amounts.withDigits("4 of 12 blocks", "en"), "4 of 12 blocks")
    assert.strictEqual(Amounts.withDigits("4 / 12", "ar-EG"), "٤ / ١٢")
  })
})
