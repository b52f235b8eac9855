import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Option, Redacted } from "effect"
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
    const rpc = [1, 8453, 137].map((id) => ({
      chainId: Eip155.chainId(id),
      url: Redacted.make("http://127.0.0.1:1"),
    }))
    const unpriced = (rateFile: string | null) =>
      Prices.unpriced({ rateFeed: [], rateFile, rpc }, BuiltIn.catalog)
    assert.deepStrictEqual(unpriced(null), ["ETH", "POL"])
    assert.deepStrictEqual(
      unpriced("https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"),
      ["ETH", "POL"],
    )
    assert.deepStrictEqual(unpriced("/rates.json"), [])
  })
})
