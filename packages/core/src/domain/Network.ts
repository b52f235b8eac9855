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
}

const network = (chainId: number, name: string, icon: string, etaInS: number): Network => ({
  chainId: Caip.ChainId.make(chainId),
  name,
  icon,
  etaInS,
})

export const all: ReadonlyArray<Network> = [
  network(1, "Ethereum", "ethereum", 180),
  network(10, "OP Mainnet", "optimism", 30),
  network(56, "BNB Smart Chain", "bsc", 15),
  network(137, "Polygon", "polygon", 20),
  network(143, "Monad", "monad", 5),
  network(8453, "Base", "base", 30),
  network(42161, "Arbitrum One", "arbitrum", 20),
  network(42220, "Celo", "celo", 20),
]

const byChainId: ReadonlyMap<Caip.ChainId, Network> = new Map(
  all.map((each) => [each.chainId, each]),
)

/** The network of a chain id, or undefined where we do not serve it. */
export const find = (chainId: Caip.ChainId): Network | undefined => byChainId.get(chainId)
