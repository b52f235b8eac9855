/**
 * A chain that can be asked: what is known of it, and the way to its nodes.
 *
 * @module
 */
import type { ChainConfig } from "./ChainConfig.ts"
import type { Rpc } from "./Rpc.ts"

export interface Link {
  readonly config: ChainConfig
  readonly rpc: Rpc
}
