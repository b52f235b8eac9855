/**
 * Addresses without a known key, on every EVM chain.
 *
 * @module
 */
import type * as Caip from "../chain/Caip.ts"
import * as Names from "./Names.ts"

/** Each is sometimes mistaken for an account. */
const named: { readonly [address: string]: string } = {
  [`0x${"0".repeat(40)}`]: "the zero address",
  [`0x${"dead".padStart(40, "0")}`]: "an address for burning tokens",
  [`0x${"e".repeat(40)}`]: "what some wallets write for a chain's own coin",
  [Names.permit2Address]: "the Permit2 contract",
}

/**
 * Precompiles and contracts that chains deploy themselves: below 2^16 everywhere (including the contracts of Polygon,
 * BNB Chain and Celo), and the predeploys of OP stack rollups. Nobody can find a key for such an address.
 */
const ofChain = /^0x(?:0{36}|420{35})/u

/** Describes an address that belongs to nobody; undefined for any other. */
export const of = (address: Caip.Address): string | undefined =>
  named[address] ?? (ofChain.test(address) ? "a precompile or system contract" : undefined)
