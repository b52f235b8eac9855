/**
 * A chain that can be asked: what is known of it, and the way to its nodes.
 *
 * @module
 */
import type { ChainConfig } from "./ChainConfig.ts"
import * as Rpc from "./Rpc.ts"

export interface Link {
  readonly config: ChainConfig
  readonly rpc: Rpc.Rpc
}

/** As many calls as most providers take in one request; of one that takes fewer, `Rpc` learns so. */
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
