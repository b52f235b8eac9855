import { assert, describe, it } from "@effect/vitest"
import type * as Option from "@florin/api/wire/Option"
import * as Choices from "../../src/checkout/Choices.ts"

const way = (
  symbol: string,
  network: string,
  actions: ReadonlyArray<"build" | "send" | "sign"> = ["sign"],
): Option.PaymentOption => ({
  id: `${symbol} ${network}`,
  account: "eip155:1:0x1111111111111111111111111111111111111111",
  actions: actions.map((kind) =>
    kind === "build"
      ? { type: "build", data: "" }
      : {
          type: "walletRpc",
          data: {
            chain_id: "eip155:1",
            method: kind === "sign" ? "eth_signTypedData_v4" : "eth_sendTransaction",
            params: [],
          },
        },
  ),
  amount: {
    unit: `unit of ${symbol} ${network}`,
    value: "1",
    display: {
      assetSymbol: symbol,
      assetName: `${symbol} coin`,
      decimals: 0,
      networkName: network,
    },
  },
  collectData: null,
  etaS: 2,
  expiresAt: 0,
})

const ways = [way("USDC", "Base"), way("EURC", "Base"), way("USDC", "Polygon")]

describe("Choices", () => {
  it("recommends the service's first option", () => {
    assert.strictEqual(Choices.recommend(ways, undefined)?.id, "USDC Base")
    assert.isUndefined(Choices.recommend([], undefined))
  })

  it("recommends the option that the wallet used last, if it is offered", () => {
    assert.strictEqual(Choices.recommend(ways, "unit of USDC Polygon")?.id, "USDC Polygon")
    assert.strictEqual(Choices.recommend(ways, "unit of gone")?.id, "USDC Base")
  })

  it("groups by token, in the order of each token's best way", () => {
    assert.deepStrictEqual(
      Choices.group(ways).map(({ symbol, ways: its }) => [symbol, its.map(({ id }) => id)]),
      [
        ["USDC", ["USDC Base", "USDC Polygon"]],
        ["EURC", ["EURC Base"]],
      ],
    )
  })

  it.each([
    ["usdc", ["USDC Base", "USDC Polygon"]],
    [" POLY ", ["USDC Polygon"]],
    ["eurc coin", ["EURC Base"]],
    ["", ["USDC Base", "EURC Base", "USDC Polygon"]],
    ["litecoin", []],
  ])("finds %j by token and network", (text, ids) => {
    assert.deepStrictEqual(
      Choices.filterByText(ways, text).map(({ id }) => id),
      ids,
    )
  })

  it("knows whether the payer pays the network fee", () => {
    const feeOf = (...actions: ReadonlyArray<"build" | "send" | "sign">) =>
      Choices.networkFeeOf(way("USDC", "Base", actions))
    assert.strictEqual(feeOf("sign"), "none")
    assert.strictEqual(feeOf("build"), "maybe")
    assert.strictEqual(feeOf("build", "send"), "some")
  })

  it("shows an estimated network fee: nothing, less than the smallest unit, or about so much", () => {
    const fee = (value: string, ...actions: ReadonlyArray<"build" | "send" | "sign">) => {
      const display = { assetName: "US dollar", assetSymbol: "USD", decimals: 2 }
      const networkFee = { unit: "iso4217/USD", value, display }
      return Choices.networkFeeOf({ ...way("USDC", "Base", actions), networkFee })
    }
    assert.strictEqual(fee("0", "sign"), "none")
    assert.strictEqual(fee("0", "build"), "none")
    assert.strictEqual(fee("1", "send"), "below")
    assert.strictEqual(fee("2", "send"), "about")
    // Whoever sends a transaction pays for it.
    assert.strictEqual(fee("0", "send"), "some")
    assert.strictEqual(fee("-1", "send"), "some")
  })

  it("derives the network fee from the steps if there is no estimate", () => {
    const without = { ...way("USDC", "Base", ["build"]), networkFee: null }
    assert.strictEqual(Choices.networkFeeOf(without), "maybe")
  })
})
