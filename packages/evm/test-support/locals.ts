/**
 * Local chains for every network that is served.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as LocalChain from "@florin/localnet/LocalChain"
import { Context, Effect, Layer } from "effect"
import * as Link from "./link.ts"
import * as Node from "./node.ts"

export const startsWithinInMs = 240_000

/** A chain on which the accounts that collect can pay for gas. */
const withGas = Effect.fnUntraced(function* (chainId: Caip.ChainId) {
  const local = yield* LocalChain.make({ chainId, blocks: "byHand" })
  for (const { address } of Link.collecting) yield* local.fundGas(address, 10n ** 20n)
  return local
})

/** The chains of one test file: its rules fund accounts of their own, and undo what else they do. */
export class Locals extends Context.Service<
  Locals,
  ReadonlyMap<Caip.ChainId, LocalChain.LocalChain>
>()("@florin/evm/test/Locals") {
  static readonly layer = Layer.effect(
    Locals,
    Effect.map(
      Effect.forEach(BuiltIn.catalog.networks, ({ chainId }) => withGas(chainId), {
        concurrency: "unbounded",
      }),
      (chains) => new Map(chains.map((chain) => [chain.chainId, chain])),
    ),
  )
}

export const of = (chainId: Caip.ChainId) =>
  Effect.map(Locals, (chains) => chains.get(chainId) ?? assert.fail(`no chain ${chainId}`))

/** A node in front of a chain: it holds every request up, and passes it on. */
export const inFrontOf = (
  local: LocalChain.LocalChain,
  holdUp: () => Promise<void> = () => Promise.resolve(),
) =>
  Node.make(async (_, body) => {
    await holdUp()
    return { body: await passOn(local, body) }
  })

/** What a chain answers to a request. */
export const passOn = async (
  local: Pick<LocalChain.LocalChain, "rpcUrl">,
  body: string,
): Promise<string> => {
  const answer = await fetch(local.rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  })
  return answer.text()
}
