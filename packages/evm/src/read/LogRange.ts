/**
 * Searches the logs of a node, and learns how many blocks it takes in one call. Providers allow 10,000, 500 or 10, and
 * some have no logs. The range shrinks for each node that refuses it, and a larger one is tried again after a while.
 *
 * @module
 */
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Ask, NodeRefused, Rpc } from "../node/Rpc.ts"
import * as Together from "../node/Together.ts"
import * as Head from "./Head.ts"
import * as Queries from "./Queries.ts"

/** Most providers search this many blocks in one call. */
export const most = 2_000
const step = 4
/** Small ranges are sent together, so that a few hundred blocks are still one request. */
const rangesAtOnce = 8
const growAfterInMs = 10 * 60_000

/** No node has logs of these blocks: only the token's own view function can show the state. */
export const noLogs = "no logs"

/** What the first node shows that responds and has logs. */
export const onAnyNode = Effect.fnUntraced(function* <A>(
  { nodes }: Rpc,
  ask: (node: Ask) => Effect.Effect<A | typeof noLogs, ChainUnavailable>,
) {
  let silent: ChainUnavailable | null = null
  for (const node of nodes) {
    const found = yield* Effect.result(ask(node))
    if (Result.isFailure(found)) silent = found.failure
    else if (found.success !== noLogs) return found.success
  }
  return silent === null ? noLogs : yield* silent
})

/** How many blocks to request from a node; 0 if it has no logs. */
export const of = Effect.fnUntraced(function* ({ learnt }: Rpc, node: Ask) {
  const known = learnt.logBlocks.get(node)
  if (known === undefined) return most
  const now = yield* Clock.currentTimeMillis
  if (now - known.since < growAfterInMs) return known.blocks
  const { next: blocks = Math.min(most, Math.max(1, known.blocks * step)), ...rest } = known
  learnt.logBlocks.set(node, { ...rest, blocks, since: now })
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

/** Remembers that a node refused a range. If it refuses a single block, it has no logs. */
export const recordRefusal = Effect.fnUntraced(function* (
  { chainId, learnt }: Rpc,
  node: Ask,
  blocks: number,
  { code, message }: NodeRefused,
) {
  const fewer = code === noSuchMethod ? 0 : Math.floor(blocks / step)
  // Before the node counts as without logs, a single block is tried.
  const next = fewer === 0 && blocks > 1 && code !== noSuchMethod ? 1 : fewer
  learnt.logBlocks.set(node, { blocks: next, since: yield* Clock.currentTimeMillis })
  if (next === 0) {
    yield* Effect.logWarning("a node has no logs", { chainId, message })
  }
})

/** How long a node that responds to other calls must not respond to searches until it counts as one without logs. */
const silentForInMs = 60_000

/** Remembers that a node did not respond to a search: its limits may be temporary, so nothing is concluded at first. */
const recordSilence = Effect.fnUntraced(function* (
  { chainId, learnt }: Rpc,
  node: Ask,
  blocks: number,
) {
  // A node that is down shows nothing about its logs.
  yield* node.ask(Queries.block("latest"))
  const now = yield* Clock.currentTimeMillis
  const { since = now, silentSince = now } = learnt.logBlocks.get(node) ?? {}
  if (now - silentSince < silentForInMs) {
    learnt.logBlocks.set(node, { blocks, since, silentSince })
    return
  }
  learnt.logBlocks.set(node, { blocks: 0, since: now, next: blocks })
  yield* Effect.logWarning("a node does not respond to eth_getLogs", { chainId })
})

/** How nodes refuse a range that ends after their newest block. Other machines at the same address may have it. */
const beyondHead = /beyond [a-z ]*(?:head|latest)/iu

/** Whether a node refused ranges because it is behind, and not because of their size. */
const isBehind = (
  node: Ask,
  { message }: NodeRefused,
  ranges: ReadonlyArray<Queries.BlockRange>,
): Effect.Effect<boolean, ChainUnavailable> =>
  beyondHead.test(message)
    ? Effect.succeed(true)
    : Effect.map(
        node.ask(Queries.block(Math.max(...ranges.map(({ toBlock }) => toBlock)))),
        (block) => block === null,
      )

/**
 * The logs in ranges of blocks; null if the node refuses a range of this size, which is remembered. Fails if the node
 * does not have these blocks yet.
 */
export const search = Effect.fnUntraced(function* (
  rpc: Rpc,
  node: Ask,
  blocks: number,
  filter: Queries.LogFilter,
  ranges: ReadonlyArray<Queries.BlockRange>,
) {
  const responses = yield* Together.each(ranges, (range) =>
    node.attempt(Queries.logs({ ...filter, ...range })),
  ).pipe(Effect.tapError(() => Effect.ignore(recordSilence(rpc, node, blocks))))
  const refused = responses.find(Result.isFailure)
  if (refused !== undefined) {
    if (yield* isBehind(node, refused.failure, ranges)) return yield* Head.unsound(rpc.chainId)
    yield* recordRefusal(rpc, node, blocks, refused.failure)
    return null
  }
  const known = rpc.learnt.logBlocks.get(node)
  if (known?.silentSince !== undefined) {
    rpc.learnt.logBlocks.set(node, { blocks, since: known.since })
  }
  return responses.flatMap((each) => (Result.isSuccess(each) ? each.success : []))
})
