/**
 * The chains of {@link "./ExtraAssets.ts"} that are off by default, and test networks for test mode.
 *
 * When in doubt, a policy waits longer. A number of blocks counts the blocks on top, because a rollup's sequencer may
 * take a block back, and so may a chain whose nodes do not document the tag `finalized`. The gas caps are far above
 * usual prices: they stop a mistake, not a busy day.
 *
 * @module
 */
import type * as Network from "@florin/core/domain/chain/Network"
import * as Networks from "@florin/core/domain/eip155/Networks"

const gwei = 1_000_000_000n

export const rows: ReadonlyArray<Networks.Row> = [
  {
    chainId: 50,
    name: "XDC Network",
    icon: "xdc",
    coin: "XDC",
    etaInS: 20,
    explorer: "xdcscan.com",
    // Its consensus makes a block final three rounds later.
    finality: 5,
    minimum: 0.05,
    // The base fee is fixed at 12.5 gwei, and older nodes require the same as the tip.
    gas: { priceMax: 500n * gwei, tipMin: (25n * gwei) / 2n },
  },
  {
    chainId: 130,
    name: "Unichain",
    icon: "unichain",
    coin: "ETH",
    etaInS: 30,
    explorer: "uniscan.xyz",
    // As long as on OP Mainnet: its blocks come every second.
    finality: 20,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true },
  },
  {
    chainId: 146,
    name: "Sonic",
    icon: "sonic",
    coin: "S",
    etaInS: 10,
    explorer: "sonicscan.org",
    // Its consensus never takes a block back: this only allows for a node that lags.
    finality: 2,
    minimum: 0.05,
    gas: { priceMax: 500n * gwei },
  },
  {
    chainId: 196,
    name: "X Layer",
    icon: "xlayer",
    coin: "OKB",
    etaInS: 30,
    explorer: "www.oklink.com/xlayer",
    // As long as on OP Mainnet: its blocks come every second.
    finality: 20,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true },
  },
  {
    chainId: 480,
    name: "World Chain",
    icon: "worldchain",
    coin: "ETH",
    etaInS: 30,
    explorer: "worldscan.org",
    finality: 10,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true },
  },
  {
    chainId: 999,
    name: "HyperEVM",
    icon: "hyperevm",
    coin: "HYPE",
    etaInS: 10,
    explorer: "hyperevmscan.io",
    // Its consensus never takes a block back: this only allows for a node that lags.
    finality: 2,
    minimum: 0.1,
    gas: { priceMax: 20n * gwei },
  },
  {
    chainId: 1329,
    name: "Sei",
    icon: "sei",
    coin: "SEI",
    etaInS: 10,
    explorer: "seiscan.io",
    // Its nodes report every block that they have as final.
    finality: "finalized",
    minimum: 0.05,
    gas: { priceMax: 500n * gwei },
  },
  {
    chainId: 4663,
    name: "Robinhood Chain",
    icon: "robinhood",
    coin: "ETH",
    etaInS: 30,
    explorer: "robinhoodchain.blockscout.com",
    // Two seconds: it makes ten blocks per second.
    finality: 200,
    minimum: 0.05,
    // Data is paid for in gas, as on Arbitrum One.
    gas: { priceMax: 10n * gwei, most: 20_000_000n },
  },
  {
    chainId: 9745,
    name: "Plasma",
    icon: "plasma",
    coin: "XPL",
    etaInS: 10,
    explorer: "plasmascan.to",
    finality: 3,
    minimum: 0.05,
    gas: { priceMax: 100n * gwei },
  },
  {
    chainId: 43114,
    name: "Avalanche",
    icon: "avalanche",
    coin: "AVAX",
    etaInS: 10,
    explorer: "snowtrace.io",
    // An accepted block is final within two seconds.
    finality: "finalized",
    minimum: 0.05,
    gas: { priceMax: 100n * gwei },
  },
  {
    chainId: 57073,
    name: "Ink",
    icon: "ink",
    coin: "ETH",
    etaInS: 30,
    explorer: "explorer.inkonchain.com",
    // As long as on OP Mainnet: its blocks come every second.
    finality: 20,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true },
  },
  {
    chainId: 59144,
    name: "Linea",
    icon: "linea",
    coin: "ETH",
    etaInS: 30,
    explorer: "lineascan.build",
    finality: 10,
    minimum: 0.1,
    // The base fee is close to zero: data is paid for with the tip.
    gas: { priceMax: 10n * gwei, tipMin: gwei / 20n },
  },
  // A test network has the same settings as the network that it stands for, so that tests behave as payments will.
  {
    chainId: 43113,
    name: "Avalanche Fuji",
    icon: "avalanchefuji",
    coin: "AVAX",
    isTest: true,
    etaInS: 10,
    explorer: "testnet.snowtrace.io",
    finality: "finalized",
    minimum: 0.05,
    gas: { priceMax: 100n * gwei },
  },
  {
    chainId: 80002,
    name: "Polygon Amoy",
    icon: "polygonamoy",
    coin: "POL",
    isTest: true,
    etaInS: 20,
    explorer: "amoy.polygonscan.com",
    finality: "finalized",
    minimum: 0.05,
    gas: { priceMax: 1_000n * gwei, tipMin: 25n * gwei },
  },
  {
    chainId: 84532,
    name: "Base Sepolia",
    icon: "basesepolia",
    coin: "ETH",
    isTest: true,
    etaInS: 30,
    explorer: "sepolia.basescan.org",
    finality: 10,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true },
  },
  {
    chainId: 421614,
    name: "Arbitrum Sepolia",
    icon: "arbitrumsepolia",
    coin: "ETH",
    isTest: true,
    etaInS: 30,
    explorer: "sepolia.arbiscan.io",
    finality: 80,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, most: 20_000_000n },
  },
  {
    chainId: 11155111,
    name: "Ethereum Sepolia",
    icon: "sepolia",
    coin: "ETH",
    isTest: true,
    etaInS: 180,
    explorer: "sepolia.etherscan.io",
    finality: 12,
    // Not 5 as on Ethereum, because a faucet hands out little.
    minimum: 0.05,
    gas: { priceMax: 100n * gwei, tipMin: gwei / 10n },
  },
  {
    chainId: 11155420,
    name: "OP Sepolia",
    icon: "optimismsepolia",
    coin: "ETH",
    isTest: true,
    etaInS: 30,
    explorer: "optimism-sepolia.blockscout.com",
    finality: 10,
    minimum: 0.05,
    gas: { priceMax: 10n * gwei, isDataExtra: true },
  },
]

export const all: ReadonlyArray<Network.Network> = rows.map(Networks.network)
