import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Result } from "effect"
import * as RatesDocument from "../src/RatesDocument.ts"
import * as Tables from "../test-support/tables.ts"

const { day, ecb, json } = Tables

const refusal = (text: string): string => {
  const parsed = RatesDocument.parse(text)
  if (Result.isSuccess(parsed)) return assert.fail(`it was read: ${text.slice(0, 200)}`)
  assert.strictEqual(parsed.failure._tag, "InvalidRates")
  return parsed.failure.message
}

const fractions = (text: string) => {
  const { base, observedAt, prices } = Result.getOrThrow(RatesDocument.parse(text))
  return {
    base,
    observedAt,
    prices: Object.fromEntries(
      [...prices].map(([ticker, each]) => [ticker, `${each.numerator}/${each.denominator}`]),
    ),
  }
}

const rows = {
  USD: "1.1367",
  JPY: "180.57",
  GBP: "0.85986",
  ISK: "138.00",
  IDR: "19014.2",
}
const read = {
  USD: "11367/10000",
  JPY: "18057/100",
  GBP: "85986/100000",
  ISK: "13800/100",
  IDR: "190142/10",
}

describe("RatesDocument.parse of the central bank's XML", () => {
  it("reads the day and every rate, exactly", () => {
    const expected = { base: "EUR", observedAt: Date.UTC(2026, 8, 24), prices: read }
    assert.deepStrictEqual(fractions(ecb("2026-09-24", rows)), expected)
    const text = ecb("2026-09-24", rows)
    assert.deepStrictEqual(fractions(text.replaceAll("'", '"')), expected)
    assert.deepStrictEqual(fractions(text.replaceAll(/>\s+</gu, "><")), expected)
    assert.deepStrictEqual(fractions(text.replaceAll("\n", "\r\n")), expected)
  })

  it("reads an unknown currency", () => {
    assert.deepStrictEqual(fractions(ecb("2026-09-24", { XAU: "0.0003" })).prices, {
      XAU: "3/10000",
    })
  })

  const good = ecb("2026-09-24", rows)
  it.each([
    { what: "a rate of zero", text: good.replace("1.1367", "0.0000"), says: "above 0" },
    { what: "a negative rate", text: good.replace("1.1367", "-1.1367"), says: "of one day" },
    { what: "a rate that is no number", text: good.replace("1.1367", "N/A"), says: "of one day" },
    { what: "a rate with two points", text: good.replace("1.1367", "1.1.3"), says: "above 0" },
    { what: "a rate with an exponent", text: good.replace("1.1367", "1e3"), says: "of one day" },
    { what: "an empty rate", text: good.replace("1.1367", ""), says: "of one day" },
    { what: "a huge rate", text: good.replace("1.1367", "9".repeat(18)), says: "above 0" },
    { what: "a currency twice", text: good.replace("JPY", "USD"), says: "listed twice" },
    { what: "the euro in itself", text: good.replace("JPY", "EUR"), says: "rate to itself" },
    { what: "a currency in small letters", text: good.replace("JPY", "jpy"), says: "of one day" },
    { what: "no rate", text: ecb("2026-09-24", {}), says: "of one day" },
    { what: "a day in no calendar", text: ecb("2026-02-30", rows), says: "does not exist" },
    { what: "a day with a time", text: ecb("2026-09-24T00:00", rows), says: "of one day" },
    {
      what: "two days",
      text: good.replace("</Cube>\n", `</Cube>\n${day("2026-09-23", rows)}\n`),
      says: "of one day",
    },
    {
      what: "an attribute more",
      text: good.replace("rate=", "unit='1' rate="),
      says: "of one day",
    },
    {
      what: "a comment",
      text: good.replace("<Cube currency='JPY'", "<!-- --><Cube currency='JPY'"),
      says: "of one day",
    },
    { what: "an entity", text: good.replace("1.1367", "&rate;"), says: "of one day" },
    { what: "an end that is missing", text: good.slice(0, -10), says: "of one day" },
    { what: "something behind its end", text: `${good}<script/>`, says: "of one day" },
    { what: "a page of a website", text: "<!doctype html><html></html>", says: "of one day" },
  ])("refuses the whole document with $what", ({ says, text }) => {
    assert.include(refusal(text), says)
  })

  it("refuses XML that takes a naive parser long", () => {
    const start = good.slice(0, good.indexOf("<Cube>"))
    for (const each of [
      start + "<Cube>".repeat(10_000),
      start + " ".repeat(60_000),
      start + `<Cube> <Cube time='2026-09-24'>${" ".repeat(60_000)}`,
      `${good.slice(0, good.indexOf("</Cube>"))}${"<Cube currency='USD' rate='1'/>\n ".repeat(2_000)}`,
    ]) {
      refusal(each)
    }
  })
})

describe("RatesDocument.parse of JSON", () => {
  it("reads base, time and every rate, exactly", () => {
    assert.deepStrictEqual(fractions(json("2026-09-24T16:00:00+02:00", rows)), {
      base: "EUR",
      observedAt: Date.UTC(2026, 8, 24, 14),
      prices: read,
    })
    assert.deepStrictEqual(
      fractions(json("2026-09-24T16:00:00Z", { USDC: "0.9998", ETH: "2500" }, "USD")).prices,
      { USDC: "9998/10000", ETH: "2500/1" },
    )
  })

  const observedAt = "2026-09-24T16:00:00Z"
  const whole = { base: "EUR", observedAt, rates: { USD: "1.1" } }
  it.each([
    { what: "a rate of zero", value: { ...whole, rates: { USD: "1.1", GBP: "0" } } },
    { what: "a negative rate", value: { ...whole, rates: { USD: "-1.1" } } },
    { what: "a rate as a number", value: { ...whole, rates: { USD: 1.1 } } },
    { what: "a rate of null", value: { ...whole, rates: { USD: null } } },
    { what: "a currency in small letters", value: { ...whole, rates: { usd: "1.1" } } },
    { what: "a currency of one letter", value: { ...whole, rates: { USD: "1.1", U: "1" } } },
    { what: "a rate of the base", value: { ...whole, rates: { EUR: "1" } } },
    { what: "no rate", value: { ...whole, rates: {} } },
    { what: "rates in a list", value: { ...whole, rates: ["1.1"] } },
    { what: "no base", value: { observedAt, rates: whole.rates } },
    { what: "an invalid base", value: { ...whole, base: "€" } },
    { what: "no time", value: { base: "EUR", rates: whole.rates } },
    { what: "a time without an offset", value: { ...whole, observedAt: "2026-09-24T16:00:00" } },
    { what: "a time in seconds", value: { ...whole, observedAt: 1_790_000_000 } },
    { what: "a member more", value: { ...whole, validUntil: observedAt } },
    { what: "a list", value: [whole] },
    { what: "null", value: null },
    { what: "text", value: "EUR" },
  ])("refuses the whole document with $what", ({ value }) => {
    refusal(JSON.stringify(value))
  })

  it("refuses a member named __proto__", () => {
    refusal(`{"base":"EUR","observedAt":"${observedAt}","rates":{"__proto__":"1"}}`)
  })
})

describe("RatesDocument.parse", () => {
  it.prop(
    "M20: reads hostile text as a table with rates, or refuses it without repeating it",
    [
      HostileText.of([
        "<?xml version='1.0'?>",
        "<gesmes:Envelope x>",
        "<Cube>",
        "<Cube time='2026-09-24'>",
        "<Cube currency='USD' rate='",
        "1.1",
        "'/>",
        "</Cube>",
        "</gesmes:Envelope>",
        '{"base":"EUR","observedAt":"2026-09-24T16:00:00Z","rates":{',
        '"USD":"1"',
        "}}",
        "secret",
      ]),
    ],
    ([text]) => {
      const parsed = RatesDocument.parse(text)
      if (Result.isSuccess(parsed)) assert.isAbove(parsed.success.prices.size, 0)
      else assert.notInclude(parsed.failure.message, "secret")
    },
    { arbitrary: { runs: Counts.of({ usual: 1_000, full: 10_000 }) } },
  )
})
