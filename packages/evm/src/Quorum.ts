/**
 * Large sums are not believed to one node: a second one must show the same log in the same block.
 *
 * @module
 */
import type * as Money from "@florin/core/domain/Money"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assetOf } from "./ChainConfig.ts"
import type { Link } from "./Link.ts"
import * as Queries from "./Queries.ts"
import type { Ask } from "./Rpc.ts"

const needed = 2

const isSame = (left: Queries.Log, right: Queries.Log): boolean =>
  left.address === right.address &&
  left.data === right.data &&
  left.logIndex === right.logIndex &&
  left.blockHash === right.blockHash &&
  left.topics.join() === right.topics.join()

/** Whether one node shows a log on its canonical chain. One that does not answer does not. */
const shows = (node: Ask, log: Queries.Log) =>
  Effect.all(
    [node.ask(Queries.receipt(log.transactionHash)), node.ask(Queries.block(log.blockNumber))],
    { concurrency: "unbounded" },
  ).pipe(
    Effect.map(
      ([receipt, block]) =>
        block?.hash === log.blockHash && receipt?.logs.some((each) => isSame(each, log)) === true,
    ),
    Effect.result,
    Effect.map((shown) => Result.isSuccess(shown) && shown.success),
  )

/** Whether enough nodes show a log: always for sums below the configured one. */
export const agrees = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  log: Queries.Log,
  quantity: Money.Quantity,
) {
  const { chainId, quorumFrom } = config
  const decimals = assetOf(config, { chainId, address: log.address })?.decimals ?? 0
  if (quorumFrom === null || quantity < BigInt(quorumFrom) * 10n ** BigInt(decimals)) return true
  const shown = yield* Effect.forEach(rpc.nodes, (node) => shows(node, log), {
    concurrency: "unbounded",
  })
  return shown.filter(Boolean).length >= needed
})
