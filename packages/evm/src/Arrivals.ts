/**
 * Finds transfers of served tokens to our accounts, no matter who sent them and whether the payer reported them.
 *
 * The results of all nodes are combined, so that one node alone cannot hide a transfer. A transfer that one node made
 * up is detected before anything is booked: two hosts must show the exact log.
 *
 * @module
 */
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Agreement from "./Agreement.ts"
import type { Ask } from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import * as Head from "./read/Head.ts"
import type { Link } from "./read/Link.ts"
import * as LogRange from "./read/LogRange.ts"
import * as Logs from "./read/Logs.ts"
import * as Queries from "./read/Queries.ts"

/** What one node shows. */
const onNode = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  node: Ask,
  { fromBlock, toBlock }: Queries.BlockRange,
) {
  // A node that is behind would show no logs for blocks that it does not have.
  if ((yield* node.ask(Queries.block(toBlock))) === null) return yield* Head.unsound(rpc.chainId)
  const filter = {
    address: config.assets.map(({ token }) => token.address),
    topics: [Logs.transferTopic, null, [...config.accounts.keys()].map(Logs.addressTopic)],
  }
  const found: Array<Queries.Log> = []
  let next = fromBlock
  while (next <= toBlock) {
    const blocks = yield* LogRange.of(rpc, node)
    if (blocks === 0) return LogRange.noLogs
    const range = { fromBlock: next, toBlock: Math.min(toBlock, next + blocks - 1) }
    const logs = yield* LogRange.search(rpc, node, blocks, filter, [range])
    if (logs === null) continue
    found.push(...logs)
    next = range.toBlock + 1
  }
  return found
})

/** Whether a log moves a served token from another account to one of ours, in these blocks. */
const isArrival = (
  { accounts, assets, chainId }: Link["config"],
  range: Queries.BlockRange,
  log: Queries.Log,
): boolean => {
  if (!Logs.isTransfer(log) || Logs.quantity(log) === 0n) return false
  const { from, to } = Logs.ends(chainId, log)
  return (
    assets.some(({ token }) => token.address === log.address) &&
    accounts.has(to) &&
    !accounts.has(from) &&
    log.blockNumber >= range.fromBlock &&
    log.blockNumber <= range.toBlock
  )
}

const keyOf = ({ logIndex, txHash }: Transfer.Log): string => `${txHash}:${logIndex}`

/** What hosts show of a range of blocks, each log once; null if none of them has logs. */
export const inBlocks = Effect.fnUntraced(function* (link: Link, range: Queries.BlockRange) {
  const responses = yield* Agreement.responsesOf(link, (one) =>
    LogRange.onAnyNode(one.rpc, (node) => onNode(one, node, range)),
  )
  const shown = responses.filter((each) => each !== LogRange.noLogs)
  if (shown.length === 0) return null
  const logs = shown
    .flat()
    .filter((log) => isArrival(link.config, range, log))
    .map((log) => Logs.of(link.config.chainId, log))
  return [...new Map(logs.map((log) => [keyOf(log), log])).values()].toSorted(
    (left, right) => left.blockNumber - right.blockNumber || left.logIndex - right.logIndex,
  )
})

/** Whether enough hosts show exactly this log in a final block. */
export const isShown = (
  link: Link,
  sought: Transfer.Log,
): Effect.Effect<boolean, ChainUnavailable> =>
  Agreement.isShown(
    link,
    Effect.fnUntraced(function* (one) {
      const { config, rpc } = one
      const [newest, block, receipt] = yield* Together.all([
        Head.latest(rpc),
        rpc.ask(Queries.block(sought.blockNumber)),
        rpc.ask(Queries.receipt(sought.txHash)),
      ])
      const { final } = yield* Head.read(rpc, config, newest)
      const isFinal = final !== null && sought.blockNumber <= final.number
      const isMovement = Logs.isMovement(sought.movement)
      return (
        isFinal &&
        block?.hash === sought.blockHash &&
        receipt?.blockHash === sought.blockHash &&
        receipt.logs.some((log) => log.logIndex === sought.logIndex && isMovement(log))
      )
    }),
  )
