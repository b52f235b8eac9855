/**
 * The chains we serve: what a person calls them, and how long they take.
 *
 * @module
 */
import * as Caip from "./Caip.ts"

export interface Network {
  readonly chainId: Caip.ChainId
  readonly name: string
  /** Names the drawing that the server serves for this network. */
  readonly icon: string
  /** Seconds from the payer's signature to a final payment, as a rule. */
  readonly etaInS: number
  /** What a transaction's hash is appended to, to look at it in the network's explorer. */
  readonly explorerUrl: string
}

const network = (
  chainId: number,
  name: string,
  icon: string,
  etaInS: number,
  explorer: string,
): Network => ({
  chainId: Caip.ChainId.make(chainId),
  name,
  icon,
  etaInS,
  explorerUrl: `https://${explorer}/tx/`,
})

export const all: ReadonlyArray<Network> = [
  network(1, "Ethereum", "ethereum", 180, "etherscan.io"),
  network(10, "OP Mainnet", "optimism", 30, "optimistic.etherscan.io"),
  network(56, "BNB Smart Chain", "bsc", 15, "bscscan.com"),
  network(137, "Polygon", "polygon", 20, "polygonscan.com"),
  network(143, "Monad", "monad", 5, "monadscan.com"),
  network(8453, "Base", "base", 30, "basescan.org"),
  network(42161, "Arbitrum One", "arbitrum", 20, "arbiscan.io"),
  network(42220, "Celo", "celo", 20, "celoscan.io"),
]

const byChainId: ReadonlyMap<Caip.ChainId, Network> = new Map(
  all.map((each) => [each.chainId, each]),
)

/** The network of a chain id, or undefined where we do not serve it. */
export const find = (chainId: Caip.ChainId): Network | undefined => byChainId.get(chainId)
