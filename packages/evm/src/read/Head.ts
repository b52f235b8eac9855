/**
 * The head of a chain: its newest block, and the newest one that its policy calls final.
 *
 * @module
 */
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import type { ChainConfig, Finality } from "../config/ChainConfig.ts"
import type { Rpc } from "../node/Rpc.ts"
import * as Together from "../node/Together.ts"
import * as Queries from "./Queries.ts"

export interface Head {
  readonly latest: Queries.Block
  /** Null while the chain is too young to have one. */
  readonly final: Queries.Block | null
}

/** A node that names a block but cannot return it is not trusted now. */
export const unsound = (chainId: ChainConfig["chainId"]) =>
  ChainUnavailable.of(chainId, "the node contradicts itself")

/** The newest block that a node names. It is only trusted when {@link read} has found it by its number. */
export const latest = Effect.fnUntraced(function* (rpc: Pick<Rpc, "ask" | "chainId">) {
  const block = yield* rpc.ask(Queries.block("latest"))
  return block ?? (yield* unsound(rpc.chainId))
})

/**
 * Finds the newest final block below a newest block, by every policy that applies. It also looks up the newest block by
 * its number, so that a height which a node made up ends nothing.
 */
export const read = Effect.fnUntraced(function* (
  rpc: Pick<Rpc, "ask">,
  { chainId, finality, isLarge }: Pick<ChainConfig, "chainId" | "finality" | "isLarge">,
  newest: Queries.Block,
) {
  const named = (policy: Finality) => (typeof policy === "number" ? newest.number - policy : policy)
  const finals = isLarge === true ? [named(finality), "finalized" as const] : [named(finality)]
  const [found, blocks] = yield* Together.all([
    rpc.ask(Queries.block(newest.number)),
    Together.each(finals, (final) =>
      typeof final === "number" && final < 0 ? Effect.succeed(null) : rpc.ask(Queries.block(final)),
    ),
  ])
  const isSound =
    found !== null &&
    found.number === newest.number &&
    blocks.every((block, index) => {
      const final = finals[index]
      return (
        block === null ||
        (block.number <= newest.number && (typeof final === "string" || block.number === final))
      )
    })
  // Another hash at the same height means a reorganisation between two requests: ask again.
  if (!isSound || found.hash !== newest.hash) return yield* unsound(chainId)
  const known = blocks.filter((block) => block !== null)
  // Every policy must call a block final: the lowest one counts.
  const [lowest = null] = known.toSorted((left, right) => left.number - right.number)
  const head: Head = { latest: newest, final: known.length < blocks.length ? null : lowest }
  return head
})
