/**
 * The built-in networks. An operator adds others by a file.
 *
 * @module
 */
import type * as Network from "../chain/Network.ts"
import * as Gas from "./Gas.ts"
import * as Names from "./Names.ts"

const gwei = 1_000_000_000n
const coin = gwei * gwei

/** The default gas settings of a network. */
export const usualGas = { tipMin: 1_000_000n, headroom: 20, most: 1_000_000n, isDataExtra: false }

/** A network as a person writes it down. */
export interface Row extends Omit<Network.Network, "chainId" | "explorerUrl" | "details"> {
  readonly chainId: number
  readonly explorer: string
  readonly gas: Partial<Gas.Gas> & Pick<Gas.Gas, "priceMax">
}

/** Fills in what a row leaves out. */
export const network = ({ chainId, explorer, gas, ...row }: Row): Network.Network => ({
  ...row,
  chainId: Names.chainId(chainId),
  explorerUrl: `https://${explorer}/tx/`,
  details: Gas.encode({ ...usualGas, ...gas }),
})

export const all: ReadonlyArray<Network.Network> = [
  network({
    chainId: 1,
    name: "Ethereum",
    icon: "ethereum",
    coin: "ETH",
    etaInS: 180,
    explorer: "etherscan.io",
    finality: 12,
    minimum: 5,
    gas: { priceMax: 100n * gwei, tipMin: gwei / 10n, allowance: 200_000n * gwei },
  }),
  network({
    chainId: 10,
    name: "OP Mainnet",
    icon: "optimism",
    coin: "ETH",
    etaInS: 30,
    explorer: "optimistic.etherscan.io",
    finality: 10,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true, allowance: 50_000n * gwei },
  }),
  network({
    chainId: 56,
    name: "BNB Smart Chain",
    icon: "bsc",
    coin: "BNB",
    etaInS: 15,
    explorer: "bscscan.com",
    finality: "finalized",
    minimum: 0.2,
    gas: { priceMax: 20n * gwei, tipMin: gwei / 20n, allowance: 200_000n * gwei },
  }),
  network({
    chainId: 137,
    name: "Polygon",
    icon: "polygon",
    coin: "POL",
    etaInS: 20,
    explorer: "polygonscan.com",
    finality: "finalized",
    minimum: 0.05,
    gas: { priceMax: 1_000n * gwei, tipMin: 25n * gwei, allowance: coin / 2n },
  }),
  network({
    chainId: 143,
    name: "Monad",
    icon: "monad",
    coin: "MON",
    etaInS: 5,
    explorer: "monadscan.com",
    finality: "finalized",
    minimum: 0.05,
    // Gas is charged by its limit, not by its use.
    gas: { priceMax: 500n * gwei, tipMin: 2n * gwei, headroom: 5, allowance: 2n * coin },
  }),
  network({
    chainId: 8453,
    name: "Base",
    icon: "base",
    coin: "ETH",
    etaInS: 30,
    explorer: "basescan.org",
    finality: 10,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true, allowance: 50_000n * gwei },
  }),
  network({
    chainId: 42161,
    name: "Arbitrum One",
    icon: "arbitrum",
    coin: "ETH",
    etaInS: 30,
    explorer: "arbiscan.io",
    finality: 80,
    minimum: 0.05,
    // Data is paid for in gas, and may take far more than the call.
    gas: { priceMax: 10n * gwei, most: 20_000_000n, allowance: 50_000n * gwei },
  }),
  network({
    chainId: 42220,
    name: "Celo",
    icon: "celo",
    coin: "CELO",
    etaInS: 30,
    explorer: "celoscan.io",
    finality: 20,
    minimum: 0.05,
    // It is an OP stack chain, too, but by its rules charges nothing for data.
    gas: { priceMax: 500n * gwei, allowance: coin / 5n },
  }),
]
