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
  it("recommends what the service puts first", () => {
    assert.strictEqual(Choices.recommend(ways, undefined)?.id, "USDC Base")
    assert.isUndefined(Choices.recommend([], undefined))
  })

  it("recommends what the wallet paid with last, if it is still on offer", () => {
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
      Choices.matching(ways, text).map(({ id }) => id),
      ids,
    )
  })

  it("knows who pays the network", () => {
    const feeOf = (...actions: ReadonlyArray<"build" | "send" | "sign">) =>
      Choices.networkFeeOf(way("USDC", "Base", actions))
    assert.strictEqual(feeOf("sign"), "none")
    assert.strictEqual(feeOf("build"), "maybe")
    assert.strictEqual(feeOf("build", "send"), "some")
  })
})
