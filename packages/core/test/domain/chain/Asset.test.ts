import { assert, describe, it } from "@effect/vitest"
import * as Asset from "@florin/core/domain/chain/Asset"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Schema from "effect/Schema"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const isAsset = Schema.is(Asset.Asset)
const isGood = (overrides: Partial<Record<keyof Asset.Asset, unknown>>) =>
  isAsset({ ...Samples.usdcOnBase, ...overrides })

describe("Asset", () => {
  it("accepts every built-in row, and reads it back after it was stored", () => {
    const json = Schema.fromJsonString(Schema.toCodecJson(Asset.Asset))
    for (const asset of BuiltIn.catalog.assets) {
      assert.isTrue(isAsset(asset))
      const text = Schema.encodeSync(json)(asset)
      assert.deepStrictEqual(Schema.decodeSync(json)(text), asset)
    }
  })

  it("has 0 to 36 decimals", () => {
    assert.strictEqual(Asset.decimalsMost, 36)
    for (const decimals of [0, 6, 18, 36]) assert.isTrue(isGood({ decimals }))
    for (const decimals of [-1, 37, 1.5, Number.NaN]) assert.isFalse(isGood({ decimals }))
  })

  it("has a symbol that fits into a path, a filter and a page", () => {
    for (const symbol of ["U", "USDC", "USDT0", "USDC.e", "wst-ETH+", "A".repeat(16)]) {
      assert.isTrue(isGood({ symbol }), symbol)
    }
    for (const symbol of ["", ".e", "../a", "US/DC", "US:DC", "US DC", "USD₮", "A".repeat(17)]) {
      assert.isFalse(isGood({ symbol }), symbol)
    }
  })

  it("has a name that can be displayed", () => {
    for (const name of ["U", "USD Coin", "USD₮0", "n".repeat(60)]) assert.isTrue(isGood({ name }))
    for (const name of ["", "a\nb", "a\0", "\ud800", "n".repeat(61)]) {
      assert.isFalse(isGood({ name }), JSON.stringify(name))
    }
  })

  it("is pegged to a currency, or to none", () => {
    for (const peg of ["USD", "EUR", "CHF", null]) assert.isTrue(isGood({ peg }))
    for (const peg of ["", "usd", "USDC", undefined]) assert.isFalse(isGood({ peg }))
  })

  it("has a flow that is named by lower-case letters, digits and -", () => {
    for (const flow of ["eip3009", "permit2", "pledge", "a-1", "a".repeat(32)]) {
      assert.isTrue(isGood({ flow }), flow)
    }
    for (const flow of ["", "Pledge", "a b", "a/b", "a_b", "pledge\n", "a".repeat(33), null]) {
      assert.isFalse(isGood({ flow }), JSON.stringify(flow))
    }
  })

  it("keeps the adapter's own details as a JSON object, without reading them", () => {
    const json = Schema.fromJsonString(Schema.toCodecJson(Asset.Asset))
    for (const details of [{}, Harbour.coin.details, { a: { b: [null, true, 1.5, "c"] } }]) {
      assert.isTrue(isGood({ details }))
      const asset = { ...Harbour.coin, details }
      assert.deepStrictEqual(Schema.decodeSync(json)(Schema.encodeSync(json)(asset)), asset)
    }
    for (const details of [undefined, null, "", [], 1, { a: 1n }]) {
      assert.isFalse(isGood({ details }))
    }
  })
})
