/**
 * Accounts that no merchant has: what is paid out to one of these is lost, or comes back to us as if it were paid.
 *
 * @module
 */
import type * as Caip from "./Caip.ts"
import * as Catalog from "./Catalog.ts"
import * as Family from "./Family.ts"

/** What a service knows of accounts: the tokens on each chain, and its own accounts. */
export interface Known {
  readonly catalog: Catalog.Catalog
  readonly accounts: ReadonlyArray<Caip.Account>
}

/** What an account is that no merchant has; undefined for any other. */
export const of = (
  { address, chainId }: Caip.Account,
  { accounts, catalog }: Known,
): string | undefined => {
  const nobodys = Family.of(catalog, chainId)?.deadEnd(address)
  if (nobodys !== undefined) return nobodys
  // Our keys are the same on every chain.
  if (accounts.some((each) => each.address === address)) return "an account of this payment service"
  const asset = Catalog.onChain(catalog, chainId).find(({ token }) => token.address === address)
  return asset && `the contract of ${asset.symbol}`
}
