import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as FailureBudgets from "../../src/serve/FailureBudgets.ts"
import * as Prices from "../../src/serve/Prices.ts"

describe("failureBudgets of florin serve", () => {
  it("S1: names each budget once, as a whole number", () => {
    assert.deepStrictEqual(
      Option.getOrThrow(FailureBudgets.parse(["merchant=20", "account=0", "key=1000"])),
      { merchant: 20, account: 0, key: 1000 },
    )
    for (const text of ["merchant", "merchant=", "merchant=-1", "merchant=1001", "shop=1"]) {
      assert.isTrue(Option.isNone(FailureBudgets.parse([text])), text)
    }
    assert.isTrue(Option.isNone(FailureBudgets.parse(["key=1", "key=2"])))
  })
})

describe("coins without a price", () => {
  it("S12: are those that neither a feed nor the operator's table can price", () => {
    const unpriced = (rateFile: string | null) =>
      Prices.unpriced({ rateFeed: [], rateFile }, ["ETH", "ETH", "POL"])
    assert.deepStrictEqual(unpriced(null), ["ETH", "POL"])
    assert.deepStrictEqual(
      unpriced("https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"),
      ["ETH", "POL"],
    )
    assert.deepStrictEqual(unpriced("/rates.json"), [])
  })
})
