/**
 * How the chain suite controls the simulated world. Default: Ethereum's USDC and USDT, with blocks made by hand.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Chain } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChainHarness } from "../ChainHarness.ts"
import * as Eip155Kit from "../Eip155Kit.ts"
import type { Kit } from "../Kit.ts"
import { SimulatedChain, type Options } from "../SimulatedChain.ts"

/** A chain for the suite, and its family. */
export interface Ground {
  readonly chainId: Caip.ChainId
  readonly kit: Kit
}

const ethereum: Ground = { chainId: Eip155.chainId(1), kit: Eip155Kit.kit }

const harness = Effect.fnUntraced(function* ({ chainId, kit }: Ground) {
  const world = yield* SimulatedChain
  const { catalog } = yield* Chain
  const tokenOf = (flow: PaymentOption.Flow | undefined) =>
    Catalog.assetsOf(catalog, chainId).find((each) => each.flow === flow)?.token
  const direct = tokenOf(kit.flows.direct)
  const allowed = tokenOf(kit.flows.allowed)
  if (direct === undefined) return yield* Effect.die("no token that is taken directly")
  const stranger = kit.wallet(3_000_001)
  let aheadInS = 0
  return ChainHarness.of({
    kit,
    tokens: { direct, ...(allowed !== undefined && { allowed }) },
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
    ...(kit.isNumbered && {
      delegate: (address: Caip.Address, delegates: boolean) =>
        world.delegate(chainId, address, delegates),
    }),
    pause: (token, paused) => (paused ? world.pause(token) : world.unpause(token)),
    node: world.node,
    batch: ({ address }, token, to, quantities) =>
      Effect.orDie(world.batch(address, token, to, quantities)),
    submitAuthorization: (option, signature) =>
      Effect.orDie(world.submitAuthorization(option, signature, stranger.address)),
    cancelAuthorization: (option) => Effect.asVoid(Effect.orDie(world.cancelAuthorization(option))),
  })
})

/** The simulated chain with blocks made by hand, its control interface, and the harness of the suite. */
export const layer = (
  options: Options = {},
  ground: Ground = ethereum,
): Layer.Layer<SimulatedChain | Chain | ChainHarness> =>
  Layer.effect(ChainHarness, harness(ground)).pipe(
    Layer.provideMerge(SimulatedChain.layer({ blocks: "manual", ...options })),
  )
