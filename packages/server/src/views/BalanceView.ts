/**
 * Balances as the operator's API shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Balance"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import type * as Balances from "@florin/core/engine/Balances"

export const accounts = (
  { accounts: all, mode }: Balances.Balances,
  catalog: Catalog.Catalog,
): Wire.List["accounts"] =>
  all.map(({ address, float, holds, kept, onChain, owed, suspense, token }) => {
    const amount = (quantity: bigint) => TokenAmount.json(token, quantity, catalog)
    return {
      mode,
      account: Family.formatAccount(catalog, { chainId: token.chainId, address }),
      onChain: onChain === null ? null : amount(onChain),
      ledger: amount(holds),
      owed: amount(owed),
      reserved: amount(kept),
      suspense: amount(suspense),
      float: amount(float),
    }
  })

export const tokens = (
  { mode, tokens: all }: Balances.Balances,
  catalog: Catalog.Catalog,
): Wire.List["tokens"] =>
  all.map(({ debt, fees, token }) => ({
    mode,
    fees: TokenAmount.json(token, fees, catalog),
    debt: TokenAmount.json(token, debt, catalog),
  }))
