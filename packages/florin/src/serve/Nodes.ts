/**
 * Checks that each node serves the chain for which the operator configured it. A node that does not respond now may
 * respond later. A node of another chain is a mistake, which is better reported at the start than in the log.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Evm from "@florin/evm/Evm"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Failure from "../terminal/Failure.ts"
import type * as Settings from "./Settings.ts"

const respondsWithinInMs = 3000

const named = (nodes: ReadonlyArray<Settings.Node>, index: number, chainId: Caip.ChainId) =>
  nodes.slice(0, index + 1).filter((node) => node.chainId === chainId).length

/**
 * Fails with the first node that serves another chain. Its address may hold a key, so the message gives its position
 * instead.
 */
const checkEach = (setting: string, nodes: ReadonlyArray<Settings.Node>) =>
  Effect.forEach(
    nodes,
    Effect.fnUntraced(function* ({ chainId, url }, index) {
      const found = yield* Evm.served(url, respondsWithinInMs)
      if (Option.isNone(found) || found.value === chainId) return
      return yield* Failure.make(
        `node ${named(nodes, index, chainId)} of chain ${chainId} in ${setting} serves chain ${found.value}: correct its address, or its chain`,
      )
    }),
    { concurrency: "unbounded", discard: true },
  )

/** Fails if a node serves another chain than the configured one. */
export const check = ({ rateFeedRpc, rpc, testRpc }: Settings.Values) =>
  Effect.all(
    [checkEach("rpc", rpc), checkEach("testRpc", testRpc), checkEach("rateFeedRpc", rateFeedRpc)],
    { concurrency: "unbounded", discard: true },
  )
