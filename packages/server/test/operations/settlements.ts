/**
 * Settlement destinations as the tests of several operations write them.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Result } from "effect"
import * as Scene from "../scene.ts"

/** Assets of the interface, in the spelling of EIP-55. */
export const assets = {
  usdcOnBase: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  eurcOnBase: "eip155:8453/erc20:0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42",
  usdcOnArbitrum: "eip155:42161/erc20:0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
  usdcOnPolygon: "eip155:137/erc20:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
  usdcOnEthereum: "eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  usdtOnBsc: "eip155:56/erc20:0x55d398326f99059fF775485246999027B3197955",
} as const

/** Accounts on Base that cannot be a merchant's, and the words for each of them. */
export const deadEnds = [
  [`0x${"0".repeat(40)}`, "the zero address"],
  ["0x000000000000000000000000000000000000dEaD", "an address for burning tokens"],
  ["0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", "what some wallets write for a chain's own coin"],
  ["0x0000000000000000000000000000000000000001", "a precompile or system contract"],
  ["0x00000000000000000000000000000000000000ff", "a precompile or system contract"],
  ["0x4200000000000000000000000000000000000006", "a precompile or system contract"],
  ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "the contract of USDC"],
  ["0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", "the contract of EURC"],
  ["0x000000000022D473030F116dDEE9F6B43aC78BA3", "the Permit2 contract"],
  ...collectingWallets.map(
    ({ address }) => [address, "an account of this payment service"] as const,
  ),
] as const

/** An account on a chain that money may go to. */
export const destinationOn = (chainId: number): string => Scene.accountOf(Scene.treasury, chainId)

/** An asset, going to an account on its chain. */
export const entry = (asset: string) => ({
  asset,
  destination: destinationOn(Number(/eip155:(\d+)/u.exec(asset)?.[1])),
})

/** A request that registers destinations. */
export const registering = (
  key: string,
  merchantId: string,
  settlements: Scene.Json,
): Scene.Sent & { readonly key: string } => ({
  path: `/v1/merchants/${merchantId}/settlements/crypto`,
  key,
  headers: { "Idempotency-Key": Scene.fresh("settlements") },
  body: { settlements },
})

/** Registers assets; returns the ids of the destinations. */
export const register = Effect.fnUntraced(function* (
  key: string,
  merchantId: string,
  all: ReadonlyArray<string>,
) {
  const answer = yield* Scene.send(registering(key, merchantId, all.map(entry)))
  assert.strictEqual(answer.status, 201, answer.text)
  return Scene.list(answer.body, "settlements").map((each) => Scene.text(each, "id"))
})

export const tokenOf = (asset: string): Caip.Token => Result.getOrThrow(Eip155.parseToken(asset))

/** Nothing ever happens to this one. */
const bystander = Wallet.make(99)

/** How much more of an asset an account holds than at the beginning. */
export const gained = Effect.fnUntraced(function* (asset: string, { address }: Wallet.Wallet) {
  const chain = yield* SimulatedChain
  const token = tokenOf(asset)
  const untouched = yield* chain.balanceOf(token, bystander.address)
  return (yield* chain.balanceOf(token, address)) - untouched
})
