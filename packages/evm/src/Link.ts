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

/** As many calls as every provider takes in one request. */
const batchMax = 100

export const make = (config: ChainConfig): Link => ({
  config,
  rpc: Rpc.make({
    chainId: config.chainId,
    urls: config.rpcUrls,
    answerWithinInMs: config.answerWithinInMs,
    batchMax,
  }),
})
