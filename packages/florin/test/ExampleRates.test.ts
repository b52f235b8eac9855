import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as ExampleRates from "../src/dev/ExampleRates.ts"

describe("florin dev --rate", () => {
  it("reads the price of a currency in US dollars", () => {
    const rows = ["EUR=1.08", "SEK=0.0925", "GBP=3"].map((text) =>
      Option.getOrThrow(ExampleRates.parse(text)),
    )
    assert.deepStrictEqual(rows, [
      ["EUR", 10_800n],
      ["SEK", 925n],
      ["GBP", 30_000n],
    ])
  })

  for (const text of [
    "",
    "EUR",
    "EUR=",
    "EUR=0",
    "EUR=0.0000",
    "EUR=-1",
    "EUR=1.00001",
    "USD=1",
    "XAU=1",
    "eur=1",
    "EUR=1,08",
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.deepStrictEqual(ExampleRates.parse(text), Option.none())
    })
  }

  it("adds a currency to the example rates", () => {
    const rate = Option.toArray(ExampleRates.parse("SEK=0.09"))
    assert.deepStrictEqual(ExampleRates.currencies(rate), [
      "USD",
      "EUR",
      "GBP",
      "CHF",
      "JPY",
      "SEK",
    ])
  })
})
