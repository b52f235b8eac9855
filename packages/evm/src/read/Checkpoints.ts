/**
 * Blocks that were final, and whether they still are.
 *
 * @module
 */
import type * as ChainState from "@florin/core/domain/chain/ChainState"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Ask } from "../node/Rpc.ts"
import * as Together from "../node/Together.ts"
import * as Head from "./Head.ts"
import type { Link } from "./Link.ts"
import * as Queries from "./Queries.ts"

/** The newest block that is final by the chain's policy; null if there is none yet. */
export const final = Effect.fnUntraced(function* ({ config, rpc }: Link) {
  const { final: block } = yield* Head.read(rpc, config, yield* Head.latest(rpc))
  if (block === null) return null
  const checkpoint: ChainState.Checkpoint = { number: block.number, hash: block.hash }
  return checkpoint
})

/** The block that one node shows at the height of a checkpoint; null if it is behind. */
export const blockOf = (node: Ask, { number }: ChainState.Checkpoint) =>
  Effect.map(
    Effect.result(node.ask(Queries.block(number))),
    (response): ChainState.Checkpoint | null =>
      Result.isSuccess(response) && response.success?.number === number
        ? { number, hash: response.success.hash }
        : null,
  )

/**
 * Whether a checkpoint is on the canonical chain. One node is enough to confirm that it is. To conclude that it is not,
 * no node may contradict, because the chain is stopped for it.
 */
export const stands = Effect.fnUntraced(function* (
  { config: { chainId }, rpc }: Link,
  checkpoint: ChainState.Checkpoint,
) {
  const block = yield* rpc.ask(Queries.block(checkpoint.number))
  if (block?.hash === checkpoint.hash) return true
  const blocks = yield* Together.each(rpc.nodes, (node) => blockOf(node, checkpoint))
  const reported = blocks.filter((each) => each !== null)
  if (reported.length > 0 && reported.every(({ hash }) => hash !== checkpoint.hash)) return false
  return yield* ChainUnavailable.of(
    chainId,
    `no node has block ${checkpoint.number}, or they show different ones`,
  )
})
