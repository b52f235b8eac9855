/**
 * Queries one chain's nodes by JSON-RPC. Queries made at the same time are sent in few requests, every response is
 * matched to its query by id, and a response that cannot be decoded is rejected.
 *
 * Providers limit the calls of a request, to 10, 3 or 1. Requests begin with {@link Options.batchMax} calls and shrink
 * for each node that refuses them, down to single calls.
 *
 * Providers also refuse single methods. Searches of logs and transactions that are sent therefore go in requests of
 * their own, and a node that refuses them rests for them only. What one node refuses, the next one is asked for.
 *
 * No message contains a node's URL, which may carry a key, or a caller's transaction.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Call from "./Call.ts"
import * as Failover from "./Failover.ts"
import * as Node from "./Node.ts"

export { isRevert, NodeRefused, type Query, unavailable } from "./Call.ts"
export type Ask = Failover.Ask

/** How many blocks of logs a node searches in one call. */
interface LogBlocks {
  readonly blocks: number
  readonly since: number
  /** Since when no search got a response, while other calls did. */
  readonly silentSince?: number
  /** How many are tried next; by default a few times as many. */
  readonly next?: number
}

/** What was learnt of the nodes from their responses. It is lost when the process ends, and learnt again. */
export interface Learnt {
  /** Whether the nodes take calls without a recipient. */
  takesProgram: boolean
  /** Whether the chain is a local one; null until a node reported it. */
  isLocal: boolean | null
  /** How many hosts do not respond, or are far behind the others. */
  awayHosts: number
  /** Whether at least one node keeps the states of old blocks; null until one was asked. */
  keepsStates: boolean | null
  /** How many blocks of logs each node searches in one call: 0 if it has no logs. */
  readonly logBlocks: Map<Ask, LogBlocks>
  /** The block in which an account's nonce was used, by account and nonce. */
  readonly nonceBlocks: Map<string, number>
  /** A block after which an authorization was spent, or a permit left nothing to take, by its nonce. */
  readonly spentBlocks: Map<string, { readonly number: number; readonly hash: string }>
  /** Our accounts of which nodes take one transaction at a time, because they delegate (EIP-7702). */
  readonly limited: Set<Caip.Address>
}

export const nothingLearnt = (): Learnt => ({
  takesProgram: true,
  isLocal: null,
  awayHosts: 0,
  keepsStates: null,
  logBlocks: new Map(),
  nonceBlocks: new Map(),
  spentBlocks: new Map(),
  limited: new Set(),
})

/** Adds an entry, and keeps only the newest ones. */
export const learn = <A>(map: Map<string, A>, key: string, value: A): void => {
  map.delete(key)
  const [oldest] = map.keys()
  if (map.size >= learntMax && oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}
const learntMax = 1_000

export interface Rpc extends Ask {
  readonly chainId: Caip.ChainId
  readonly learnt: Learnt
  /** Every node on its own: one node that has the result, or takes the transaction, is enough. */
  readonly nodes: ReadonlyArray<Ask & { readonly host: string }>
  /** The nodes of each host on their own, for results that need more than one host. */
  readonly hosts: ReadonlyArray<Rpc>
  /** Whether every node timed out when it was last asked. */
  readonly isSilent: () => boolean
}

export interface Options extends Node.Options {
  /** In the order in which they are asked. */
  readonly urls: ReadonlyArray<Redacted.Redacted>
}

/** Calls a contract. A revert is the contract's own response, and any other refusal by the node counts as none. */
export const called = Effect.fnUntraced(function* <A>(
  { attempt, chainId }: Rpc,
  query: Call.Query<A>,
) {
  const response = yield* attempt(query)
  return Result.isSuccess(response) || Call.isRevert(response.failure)
    ? response
    : yield* Call.unavailable(chainId)(response.failure)
})

/** Whether a node is on this machine. */
export const isLoopback = (url: Redacted.Redacted): boolean => {
  const text = Redacted.value(url)
  return URL.canParse(text) && /^(?:localhost|127\.[0-9.]+|\[::1\])$/u.test(new URL(text).hostname)
}

/** The identity of a host: its name; on this machine, the port. */
const hostOf = (url: Redacted.Redacted): string => {
  const text = Redacted.value(url)
  if (!URL.canParse(text)) return text
  const { hostname, port } = new URL(text)
  return isLoopback(url) ? `loopback:${port}` : hostname.replace(/\.$/u, "")
}

/** How many hosts the nodes are on. */
export const countHosts = (urls: ReadonlyArray<Redacted.Redacted>): number =>
  new Set(urls.map(hostOf)).size

/** Makes the connection to a chain's nodes. It sends nothing before the first query. */
export const make = (options: Options): Rpc => {
  const { chainId, urls } = options
  const each = urls.map((url) => {
    const node = Node.make(options, url)
    return { node, alone: { ...Failover.make(chainId, [node]), host: hostOf(url) } }
  })
  const over = (some: typeof each) => ({
    chainId,
    ...Failover.make(
      chainId,
      some.map(({ node }) => node),
    ),
    nodes: some.map(({ alone }) => alone),
    isSilent: () => some.every(({ node }) => node.reads.isSilent()),
  })
  const learnt = nothingLearnt()
  const ofHost = (some: typeof each): Rpc => ({
    ...over(some),
    // What one host reports of a state must not influence conclusions about another. The rest only says where to look.
    learnt: { ...nothingLearnt(), logBlocks: learnt.logBlocks, nonceBlocks: learnt.nonceBlocks },
    hosts: [],
  })
  const byHost = Arr.groupBy(each, ({ alone }) => alone.host)
  return { ...over(each), learnt, hosts: Object.values(byHost).map(ofHost) }
}
