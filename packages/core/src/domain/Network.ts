/**
 * The chains we serve: what a person calls them, how long they take, and what is usual for their transactions.
 *
 * @module
 */
import * as Caip from "./Caip.ts"

/**
 * When a block counts as final: the chain's own word for it, or a number of blocks on top of it.
 *
 * @example
 * const finality: Finality = "finalized" // or "safe", or 12
 */
export type Finality = "finalized" | "safe" | number

/** What a chain's gas is like. */
export interface Gas {
  /** The most that a unit of gas may cost, in wei, unless the operator says otherwise. */
  readonly priceMax: bigint
  /** The least that is bid on top of the base fee, in wei. */
  readonly tipMin: bigint
  /** What is added to an estimate, in percent. */
  readonly headroom: number
  /** The most that a transfer may take: a payer's account that is a contract decides what it takes to ask it. */
  readonly most: bigint
  /** Whether the chain charges what a transaction's data costs on Ethereum in addition to its gas. */
  readonly isDataExtra: boolean
}

export interface Network {
  readonly chainId: Caip.ChainId
  readonly name: string
  /** Names the drawing that the server serves for this network. */
  readonly icon: string
  /** Seconds from the payer's signature to a final payment, as a rule. */
  readonly etaInS: number
  /** What a transaction's hash is appended to, to look at it in the network's explorer. */
  readonly explorerUrl: string
  /** How long a block can still go is in docs/security.md. */
  readonly finality: Finality
  /** Below this, in whole units of a token, gas would eat a payment that we collect. */
  readonly minimum: number
  readonly gas: Gas
}

const gwei = 1_000_000_000n

interface Row extends Omit<Network, "chainId" | "explorerUrl" | "gas"> {
  readonly chainId: number
  readonly explorer: string
  readonly gas: Partial<Gas> & Pick<Gas, "priceMax">
}

const network = ({ chainId, explorer, gas, ...row }: Row): Network => ({
  ...row,
  chainId: Caip.ChainId.make(chainId),
  explorerUrl: `https://${explorer}/tx/`,
  gas: { tipMin: 1_000_000n, headroom: 20, most: 1_000_000n, isDataExtra: false, ...gas },
})

export const all: ReadonlyArray<Network> = [
  network({
    chainId: 1,
    name: "Ethereum",
    icon: "ethereum",
    etaInS: 180,
    explorer: "etherscan.io",
    finality: 12,
    minimum: 5,
    gas: { priceMax: 100n * gwei, tipMin: gwei / 10n },
  }),
  network({
    chainId: 10,
    name: "OP Mainnet",
    icon: "optimism",
    etaInS: 30,
    explorer: "optimistic.etherscan.io",
    finality: 10,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true },
  }),
  network({
    chainId: 56,
    name: "BNB Smart Chain",
    icon: "bsc",
    etaInS: 15,
    explorer: "bscscan.com",
    finality: "finalized",
    minimum: 0.2,
    gas: { priceMax: 20n * gwei, tipMin: gwei / 20n },
  }),
  network({
    chainId: 137,
    name: "Polygon",
    icon: "polygon",
    etaInS: 20,
    explorer: "polygonscan.com",
    finality: "finalized",
    minimum: 0.05,
    gas: { priceMax: 1_000n * gwei, tipMin: 25n * gwei },
  }),
  network({
    chainId: 143,
    name: "Monad",
    icon: "monad",
    etaInS: 5,
    explorer: "monadscan.com",
    finality: 2,
    minimum: 0.05,
    // Gas is paid by its limit, not by its use.
    gas: { priceMax: 500n * gwei, tipMin: 2n * gwei, headroom: 5 },
  }),
  network({
    chainId: 8453,
    name: "Base",
    icon: "base",
    etaInS: 30,
    explorer: "basescan.org",
    finality: 10,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true },
  }),
  network({
    chainId: 42161,
    name: "Arbitrum One",
    icon: "arbitrum",
    etaInS: 20,
    explorer: "arbiscan.io",
    finality: 5,
    minimum: 0.05,
    // Data is paid for in gas, of which it may take far more than the call.
    gas: { priceMax: 10n * gwei, most: 20_000_000n },
  }),
  network({
    chainId: 42220,
    name: "Celo",
    icon: "celo",
    etaInS: 20,
    explorer: "celoscan.io",
    finality: 5,
    minimum: 0.05,
    // It is of the OP stack, too, but by its rules asks nothing for data.
    gas: { priceMax: 500n * gwei },
  }),
]

const byChainId: ReadonlyMap<Caip.ChainId, Network> = new Map(
  all.map((each) => [each.chainId, each]),
)

/** The network of a chain id, or undefined if we do not serve it. */
export const find = (chainId: Caip.ChainId): Network | undefined => byChainId.get(chainId)
