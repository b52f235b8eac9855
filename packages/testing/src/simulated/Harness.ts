/**
 * How the chain suite moves the simulated world: Ethereum's USDC and USDT, and blocks by hand.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/Asset"
import * as Caip from "@florin/core/domain/Caip"
import * as Catalog from "@florin/core/domain/Catalog"
import { Chain } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChainHarness } from "../ChainHarness.ts"
import { SimulatedChain, type Options } from "../SimulatedChain.ts"
import * as Wallet from "../Wallet.ts"

const chainId = Caip.ChainId.make(1)
const stranger = Wallet.make(3_000_001)

const harness = Effect.gen(function* () {
  const world = yield* SimulatedChain
  const { catalog } = yield* Chain
  const tokenOf = (flow: Asset.Flow) => {
    const asset = Catalog.onChain(catalog, chainId).find((each) => each.flow === flow)
    return asset === undefined ? Effect.die(`no ${flow} token`) : Effect.succeed(asset.token)
  }
  let aheadInS = 0
  return ChainHarness.of({
    tokens: { eip3009: yield* tokenOf("eip3009"), permit2: yield* tokenOf("permit2") },
    finalityDepth: world.finalityDepth,
    nowInS: Effect.map(world.now(chainId), (nowInMs) => Math.floor(nowInMs / 1000)),
    pass: (seconds) =>
      Effect.suspend(() => {
        aheadInS += seconds
        return world.skew(chainId, aheadInS * 1000)
      }),
    mine: (count) => world.mine(chainId, count),
    reorg: (depth, orphans) =>
      world.reorg(chainId, depth, orphans === "forgotten" ? { drop: "all" } : {}),
    connect: (connected) => world.disturb(connected ? null : { seed: 1, perMille: 1000 }),
    fund: world.mint,
    block: (token, address, blocked) =>
      blocked ? world.block(address, token) : world.unblock(address, token),
    node: world.node,
    submitAuthorization: (option, signature) =>
      Effect.orDie(world.submitAuthorization(option, signature, stranger.address)),
    cancelAuthorization: (option) => Effect.asVoid(Effect.orDie(world.cancelAuthorization(option))),
  })
})

/** The simulated chain with blocks by hand, its control face, and the harness of the suite. */
export const layer = (options: Options = {}): Layer.Layer<SimulatedChain | Chain | ChainHarness> =>
  Layer.effect(ChainHarness, harness).pipe(
    Layer.provideMerge(SimulatedChain.layer({ blocks: "manual", ...options })),
  )
