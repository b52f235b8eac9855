/**
 * Accounts that cannot belong to a merchant: a payout to one of these is lost, or returns to us as if it were a
 * payment.
 *
 * @module
 */
import type * as Caip from "./Caip.ts"
import * as Catalog from "./Catalog.ts"
import * as Family from "./Family.ts"

/** The accounts that a service knows: the tokens on each chain, and its own accounts. */
export interface Known {
  readonly catalog: Catalog.Catalog
  readonly accounts: ReadonlyArray<Caip.Account>
}

/** Describes an account that cannot belong to a merchant; undefined for any other. */
export const of = (
  { address, chainId }: Caip.Account,
  { accounts, catalog }: Known,
): string | undefined => {
  const nobodys = Family.of(catalog, chainId)?.deadEnd(address)
  if (nobodys !== undefined) return nobodys
  // Our keys are the same on every chain.
  if (accounts.some((each) => each.address === address)) return "an account of this payment service"
  const asset = Catalog.assetsOf(catalog, chainId).find(({ token }) => token.address === address)
  return asset && `the contract of ${asset.symbol}`
}
