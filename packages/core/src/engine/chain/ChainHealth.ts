/**
 * The state of a chain's nodes, and of our accounts on it.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Caip from "../../domain/chain/Caip.ts"
import type * as ChainState from "../../domain/chain/ChainState.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type { Chain, NodeHealth } from "../../ports/Chain.ts"
import { LaneStore } from "../../ports/LaneStore.ts"

/** A node compared with the others of its chain. */
export interface Node {
  readonly health: NodeHealth
  /** By how much its newest block is older than the newest of all nodes; null if it does not respond. */
  readonly behindInMs: number | null
}

export interface Nodes {
  /**
   * The blocks that the nodes show at the same height, in the order of the nodes, if they differ: then at least one
   * node is wrong.
   */
  readonly differing: ReadonlyArray<ChainState.Checkpoint | null> | null
  /** In the order of their configuration. */
  readonly nodes: ReadonlyArray<Node>
  /** The age of the newest block that any node shows; null if none responds. */
  readonly headAgeInMs: number | null
}

/** The nodes of a chain as they are now. */
export const nodes = Effect.fnUntraced(function* (chain: Chain["Service"], chainId: Caip.ChainId) {
  const all = yield* chain.nodes(chainId)
  const now = yield* Clock.currentTimeMillis
  const newestAt = Math.max(...all.map(({ newestBlockAt }) => newestBlockAt ?? -Infinity))
  const blocks = all.map(({ finalBlock }) => finalBlock ?? null)
  const hashes = new Set(blocks.flatMap((block) => block?.hash ?? []))
  const found: Nodes = {
    nodes: all.map((health) => ({
      health,
      behindInMs: health.newestBlockAt === null ? null : newestAt - health.newestBlockAt,
    })),
    headAgeInMs: newestAt === -Infinity ? null : Math.max(0, now - newestAt),
    differing: hashes.size > 1 ? blocks : null,
  }
  return found
})

/**
 * The coin's smallest units per coin, for a chain whose gas cost is not known yet. The coins of all EVM chains have
 * this many.
 */
const unitsPerCoin = 10n ** 18n

/** What one of our accounts has for gas, and the state of its lane. */
export interface Sender {
  readonly account: Caip.Account
  readonly coins: bigint
  /** How many of the coin's smallest unit are one coin. */
  readonly unitsPerCoin: bigint
  /**
   * How many hours the coins last at the cost of the last hour in which the account sent something; null if it never
   * sent anything.
   */
  readonly lastsInHours: number | null
  /** Signed transactions that are not mined, and skipped nonces; null on a chain without nonces. */
  readonly lane: { readonly waiting: number; readonly gaps: number } | null
}

/** The current state of one of our accounts. */
const sender = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chain: Chain["Service"],
  account: Caip.Account,
) {
  const { address, chainId } = account
  const lane = { chainId, sender: address }
  const store = yield* LaneStore
  const [coins, floor, { nextNonce, spending }] = yield* Effect.all(
    [chain.coins(account), chain.nonceFloor(lane), store.laneState(mode, lane)],
    { concurrency: "unbounded" },
  )
  const waiting = floor === null ? 0 : (yield* store.laneTransactions(lane, floor)).length
  const found: Sender = {
    account,
    coins,
    unitsPerCoin: chain.gasCost(chainId)?.unitsPerCoin ?? unitsPerCoin,
    lastsInHours: spending.quantity === 0n ? null : Number(coins) / Number(spending.quantity),
    lane:
      floor === null
        ? null
        : { waiting, gaps: Math.max(0, (nextNonce ?? floor) - floor - waiting) },
  }
  return found
})

/** Our accounts on a chain. */
export const senders = (mode: Mode.Mode, chain: Chain["Service"], chainId: Caip.ChainId) =>
  Effect.forEach(
    chain.accounts.filter((account) => account.chainId === chainId),
    (account) => sender(mode, chain, account),
    { concurrency: "unbounded" },
  )
