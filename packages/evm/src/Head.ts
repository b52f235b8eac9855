/**
 * How far a chain has come: its newest block, and the newest one that its policy calls final.
 *
 * @module
 */
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import type { ChainConfig } from "./ChainConfig.ts"
import * as Queries from "./Queries.ts"
import type { Rpc } from "./Rpc.ts"

export interface Head {
  readonly latest: Queries.Block
  /** Null while the chain is too young to have one. */
  readonly final: Queries.Block | null
}

/** A node that names a block and cannot show it is not to be believed now. */
export const unsound = (chainId: ChainConfig["chainId"]) =>
  new ChainUnavailable({ chainId, message: `chain ${chainId}: the node contradicts itself` })

/** The newest block that a node names. It is only believed once {@link read} has found it by its number. */
export const latest = Effect.fnUntraced(function* (rpc: Rpc) {
  const block = yield* rpc.ask(Queries.block("latest"))
  return block ?? (yield* unsound(rpc.chainId))
})

/**
 * What is final below a newest block. The newest one is found by its number, too, so that a height which a node made up
 * ends nothing.
 */
export const read = Effect.fnUntraced(function* (
  rpc: Rpc,
  { chainId, finality }: ChainConfig,
  newest: Queries.Block,
) {
  const finalNumber = typeof finality === "number" ? newest.number - finality : finality
  const [found, final] = yield* Effect.all(
    [
      rpc.ask(Queries.block(newest.number)),
      typeof finalNumber === "number" && finalNumber < 0
        ? Effect.succeed(null)
        : rpc.ask(Queries.block(finalNumber)),
    ],
    { concurrency: "unbounded" },
  )
  const isSound =
    found !== null &&
    found.number === newest.number &&
    (final === null ||
      (final.number <= newest.number &&
        (typeof finalNumber === "string" || final.number === finalNumber)))
  // Another hash at the same height is a reorganisation between two questions: ask again.
  if (!isSound || found.hash !== newest.hash) return yield* unsound(chainId)
  const head: Head = { latest: newest, final }
  return head
})
