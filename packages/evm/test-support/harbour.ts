/**
 * An operator's own network and token, as in an asset file.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"

export const addressOf = (digits: string): string =>
  Eip155.formatAddress(Caip.Address.make(`0x${digits.padStart(40, "0")}`))

export const network = (chainId: number) => ({
  chainId,
  name: "Harbour",
  etaInS: 4,
  finality: 2,
  minimum: 0,
  gas: { maxFeeInGwei: 100 },
})

/** Signed for by EIP-3009, with 8 decimals; pausable, with a blocklist. */
export const token = (chainId: number) => ({
  chainId,
  address: addressOf("a11ce"),
  symbol: "HARB",
  name: "Harbour Dollar",
  decimals: 8,
  peg: "USD",
  flow: "eip3009",
  domain: { name: "Harbour Dollar", version: "7" },
  switches: ["paused"],
  blocklist: "isBlacklisted",
})
