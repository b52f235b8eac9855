/**
 * Accounts that no merchant has: what is paid out to one of these is lost, or comes back to us as if it were paid.
 *
 * @module
 */
import * as Asset from "./Asset.ts"
import type * as Caip from "./Caip.ts"
import * as Catalog from "./Catalog.ts"

/** What a service knows of accounts: the tokens on each chain, and its own accounts. */
export interface Known {
  readonly catalog: Catalog.Catalog
  readonly accounts: ReadonlyArray<Caip.Account>
}

/** Nobody has the key of these, and each is somewhere taken for an account. */
const named: { readonly [address: string]: string } = {
  [`0x${"0".repeat(40)}`]: "the zero address",
  [`0x${"dead".padStart(40, "0")}`]: "an address for burning tokens",
  [`0x${"e".repeat(40)}`]: "what some wallets write for a chain's own coin",
  [Asset.permit2Address]: "the Permit2 contract",
}

/**
 * Precompiles and what chains deploy for themselves: below 2^16 everywhere (the contracts of Polygon, BNB Chain and Celo
 * are there, too), and the predeploys of rollups of the OP stack. Nobody can find a key for such an address.
 */
const ofChain = /^0x(?:0{36}|420{35})/u

/** What an account is that no merchant has; undefined for any other. */
export const of = (
  { address, chainId }: Caip.Account,
  { accounts, catalog }: Known,
): string | undefined => {
  const name = named[address]
  if (name !== undefined) return name
  if (ofChain.test(address)) return "a precompile or system contract"
  // Our keys are the same on every chain.
  if (accounts.some((each) => each.address === address)) return "an account of this payment service"
  const asset = Catalog.onChain(catalog, chainId).find(({ token }) => token.address === address)
  return asset && `the contract of ${asset.symbol}`
}
