/**
 * A chain that can be queried: its configuration, and the connection to its nodes.
 *
 * @module
 */
import type { ChainConfig } from "../config/ChainConfig.ts"
import * as Rpc from "../node/Rpc.ts"

export interface Link {
  readonly config: ChainConfig
  readonly rpc: Rpc.Rpc
}

/** Most providers take this many calls in one request. If one takes fewer, `Rpc` finds out. */
export const batchMax = 10

export const make = (config: ChainConfig): Link => ({
  config,
  rpc: Rpc.make({
    chainId: config.chainId,
    urls: config.rpcUrls,
    answerWithinInMs: config.answerWithinInMs,
    batchMax,
  }),
})
