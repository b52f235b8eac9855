import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/Asset"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import * as Wallet from "@florin/testing/Wallet"
import { Redacted, Result } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as ChainConfig from "../src/ChainConfig.ts"
import { hex } from "../src/Queries.ts"

type Flow = NonNullable<ChainConfig.Options["flow"]>

const made = (chainId: number, flow?: Flow) =>
  ChainConfig.make(
    {
      chainId,
      rpcUrls: [Redacted.make("https://node.example")],
      accounts: [privateKeyToAccount(hex(Wallet.make(1).privateKey))],
      ...(flow !== undefined && { flow }),
    },
    BuiltIn.catalog,
  )

const flowsOf = (chainId: number, flow?: Flow): Record<string, PaymentOption.Flows> => {
  const { assets, flows } = Result.getOrThrow(made(chainId, flow))
  return Object.fromEntries(assets.map((asset) => [asset.symbol, flows(asset)]))
}

const only =
  (symbol: string, flows: PaymentOption.Flow | PaymentOption.Flows): Flow =>
  (asset: Asset.Asset) =>
    asset.symbol === symbol ? flows : asset.flow

describe("The flows of a chain's tokens", () => {
  it("are the asset table's by default, one for each token", () => {
    for (const { chainId } of BuiltIn.catalog.networks) {
      for (const { flow, symbol, token } of BuiltIn.catalog.assets) {
        if (token.chainId === chainId) assert.deepStrictEqual(flowsOf(chainId)[symbol], [flow])
      }
    }
  })

  it("are one or several, as an embedder says", () => {
    assert.deepStrictEqual(flowsOf(137, only("USDT", "transfer")), {
      USDC: ["eip3009"],
      USDT: ["transfer"],
    })
    assert.deepStrictEqual(flowsOf(137, only("USDT", ["permit2", "transfer"])), {
      USDC: ["eip3009"],
      USDT: ["permit2", "transfer"],
    })
  })

  it("are permits where the token has a domain, and are refused where not", () => {
    assert.deepStrictEqual(
      flowsOf(137, () => "permit"),
      { USDC: ["permit"], USDT: ["permit"] },
    )
    const result = made(56, only("USDT", ["permit2", "permit"]))
    if (Result.isSuccess(result)) return assert.fail("it was taken")
    assert.match(result.failure.message, /has no EIP-712 domain for permits: choose another flow$/u)
  })

  it("are refused where the token cannot be taken so, or one is named twice", () => {
    const refused = [
      [only("USDT", "eip3009"), /^chain 137: USDT \(eip155:137\/.*\) has no EIP-3009/u],
      [only("USDT", ["permit2", "eip3009"]), /has no EIP-3009: choose another flow$/u],
      [only("USDC", ["transfer", "transfer"]), /^chain 137: USDC .* names a flow twice$/u],
    ] as const
    for (const [flow, message] of refused) {
      const result = made(137, flow)
      if (Result.isSuccess(result)) return assert.fail("it was taken")
      assert.match(result.failure.message, message)
    }
  })
})
