/**
 * How many blocks of logs a node looks through at once. Providers say 10,000, 500 or 10, and some have no logs: the range
 * shrinks for each node that refuses it, and is tried again larger after a while.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Ask, NodeRefused, Rpc } from "./Rpc.ts"

/** As many blocks as most providers look through at once. */
export const most = 2_000
const step = 4
/** Small ranges go out together, so that a few hundred blocks are still one request. */
const rangesAtOnce = 8
const growAfterInMs = 10 * 60_000

/** How many blocks to ask a node for; 0 if it has no logs. */
export const of = Effect.fnUntraced(function* ({ learnt }: Rpc, node: Ask) {
  const known = learnt.logBlocks.get(node)
  if (known === undefined) return most
  const now = yield* Clock.currentTimeMillis
  if (now - known.since < growAfterInMs) return known.blocks
  const blocks = Math.min(most, Math.max(1, known.blocks * step))
  learnt.logBlocks.set(node, { blocks, since: now })
  return blocks
})

/** The next ranges down from a block, the newest first. */
export const below = (toBlock: number, blocks: number) => {
  const ranges: Array<{ readonly fromBlock: number; readonly toBlock: number }> = []
  let to = toBlock
  while (to >= 0 && ranges.length < (blocks === most ? 1 : rangesAtOnce)) {
    const fromBlock = Math.max(0, to - blocks + 1)
    ranges.push({ fromBlock, toBlock: to })
    to = fromBlock - 1
  }
  return ranges
}

const noSuchMethod = -32601

/** Learns that a node refused a range; a single block that it refuses is none that it has logs of. */
export const refused = Effect.fnUntraced(function* (
  { chainId, learnt }: Rpc,
  node: Ask,
  blocks: number,
  { code, message }: NodeRefused,
) {
  const fewer = code === noSuchMethod ? 0 : Math.floor(blocks / step)
  // Between a few and none, a single one is tried.
  const next = fewer === 0 && blocks > 1 && code !== noSuchMethod ? 1 : fewer
  learnt.logBlocks.set(node, { blocks: next, since: yield* Clock.currentTimeMillis })
  if (next === 0) {
    yield* Effect.logWarning("a node has no logs", { chainId, message })
  }
})
