/**
 * Finds what a chain's nodes cannot do, and what follows from it. It checks once at the start, so that an operator
 * learns of a lack before a payment needs the feature. Lacks that are found later are reported as well.
 *
 * @module
 */
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type { ChainUnavailable, Lack, NodeHealth } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Agreement from "./Agreement.ts"
import type { Ask } from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import * as Checkpoints from "./read/Checkpoints.ts"
import * as Head from "./read/Head.ts"
import type { Link } from "./read/Link.ts"
import * as LogRange from "./read/LogRange.ts"
import * as Queries from "./read/Queries.ts"

/** Nodes that drop states keep those of far fewer blocks. */
const oldInBlocks = 10_000

/** A topic that no event has. */
const nobodys = `0x${"1".padStart(64, "0")}`

/** Shrinks the range of logs to what the node accepts. */
const lookAtLogs = Effect.fnUntraced(function* ({ rpc }: Link, node: Ask, toBlock: number) {
  for (;;) {
    const blocks = yield* LogRange.of(rpc, node)
    if (blocks === 0) return
    const fromBlock = Math.max(0, toBlock - blocks + 1)
    const filter = { address: Eip155.permit2Address, topics: [nobodys] }
    const found = yield* LogRange.search(rpc, node, blocks, filter, [{ fromBlock, toBlock }])
    if (found !== null) return
  }
})

const lookAtStates = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  node: Ask,
  newest: number,
) {
  const [account] = config.collecting
  if (account === undefined || newest < oldInBlocks) return
  const response = yield* node.attempt(Queries.nonce(account, newest - oldInBlocks))
  rpc.learnt.keepsStates = rpc.learnt.keepsStates === true || Result.isSuccess(response)
})

/** The lacks found so far. */
export const of = ({ config: { chainId, network }, rpc }: Link): ReadonlyArray<Lack> => {
  const { awayHosts, keepsStates, logBlocks, takesProgram } = rpc.learnt
  const ranges = rpc.nodes.map((node) => logBlocks.get(node)?.blocks ?? LogRange.most)
  const widest = Math.max(...ranges)
  const lacksAgreement = awayHosts > 0 && rpc.hosts.length - awayHosts < Agreement.hostsNeeded
  const all = [
    [
      lacksAgreement,
      `two nodes of different hosts must show the same, and ${awayHosts} of ${rpc.hosts.length} hosts do not respond or are behind: payments do not become final and nothing is paid out until they do`,
    ],
    [
      widest === 0,
      "no node has eth_getLogs: a cancelled authorization is detected from its token or Permit2 once final, and the transaction that used it is not found",
    ],
    [
      widest > 0 && widest < LogRange.most,
      `eth_getLogs takes ${widest} blocks at most, so finding a cancelled authorization takes longer`,
    ],
    [
      keepsStates === false,
      "no node keeps old states: a transaction that took the nonce of ours is found only soon after it",
    ],
    [
      !takesProgram,
      "a node refuses calls without a recipient: balances take more or larger requests",
    ],
  ] as const
  return all.flatMap(([isLacking, message]) =>
    isLacking ? [{ chainId, message: `${network.name}: ${message}` }] : [],
  )
}

/** A node that takes longer counts as down: the caller waits for the others no longer than this. */
const saysWithin = "2 seconds"

const soon = <A>(said: Effect.Effect<A, ChainUnavailable>): Effect.Effect<A | null> =>
  Effect.orElseSucceed(Effect.timeout(said, saysWithin), () => null)

/**
 * The state of each node now. A node's block at a final height is compared with that of others, so a single node is not
 * asked for it.
 */
export const nodes = Effect.fnUntraced(function* (link: Link) {
  const { nodes: all } = link.rpc
  const [newest, checkpoint] = yield* Together.all([
    Together.each(all, (node) =>
      Effect.result(Effect.timeout(node.ask(Queries.block("latest")), saysWithin)),
    ),
    all.length > 1 ? soon(Checkpoints.final(link)) : Effect.succeed(null),
  ])
  const finals = yield* Together.each(all, (node, index) =>
    checkpoint === null || newest[index]?._tag !== "Success"
      ? Effect.succeed(null)
      : soon(Checkpoints.blockOf(node, checkpoint)),
  )
  return newest.map((said, index): NodeHealth => {
    const host = all[index]?.host ?? ""
    if (Result.isFailure(said)) {
      const { failure } = said
      const isLate = failure._tag === "TimeoutError"
      const error = isLate ? `the node did not respond within ${saysWithin}` : failure.message
      return { newestBlockAt: null, host, error }
    }
    const block = said.success
    if (block === null) return { newestBlockAt: null, host, error: "the node has no block" }
    const shown = { newestBlockAt: block.timestamp * 1000, newestBlock: block.number, host }
    const finalBlock = finals[index] ?? null
    return finalBlock === null ? shown : Object.assign(shown, { finalBlock })
  })
})

const betweenWatchesInMs = 20_000
/** A host whose newest block is so much older than another's is behind. */
const behindInS = 60

/** Counts the hosts that do not respond or are behind, so that an operator learns why payments wait. */
export const lookAtHosts = Effect.fnUntraced(function* ({ rpc }: Link) {
  const heads = yield* Together.each(rpc.hosts, (host) => Effect.option(Head.latest(host)))
  const times = heads.flatMap(Option.toArray).map(({ timestamp }) => timestamp)
  const newest = Math.max(...times)
  const away = rpc.hosts.length - times.filter((time) => time >= newest - behindInS).length
  if (away > rpc.learnt.awayHosts) {
    yield* Effect.logWarning("a node does not respond or is behind", {
      chainId: rpc.chainId,
      away,
      hosts: rpc.hosts.length,
    })
  }
  rpc.learnt.awayHosts = away
})

/** Watches whether enough hosts respond, if two must agree. */
export const watch = (link: Link): Effect.Effect<void> =>
  link.rpc.hosts.length < Agreement.hostsNeeded
    ? Effect.void
    : lookAtHosts(link).pipe(Effect.andThen(Effect.sleep(betweenWatchesInMs)), Effect.forever)

/** Checks what each node lacks until all of them have responded, and logs it. */
export const look = Effect.fn("Lacks.look")(function* (link: Link) {
  const looking = Together.each(
    link.rpc.nodes,
    Effect.fnUntraced(function* (node) {
      const { number } = yield* Head.latest({ ...link.rpc, ask: node.ask })
      yield* Together.all([lookAtLogs(link, node, number), lookAtStates(link, node, number)])
    }),
  )
  yield* Effect.retry(looking, Schedule.spaced("1 minute"))
  for (const { chainId, message } of of(link)) {
    yield* Effect.logWarning("nodes lack something", { chainId, message })
  }
})
