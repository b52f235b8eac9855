/**
 * Balances as the operator's API shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Balance"
import * as Family from "@florin/core/domain/chain/Family"
import * as Amount from "@florin/core/domain/money/Amount"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import type * as Balances from "@florin/core/engine/Balances"
import * as AmountView from "./AmountView.ts"

export const accounts = (
  { accounts: all, mode }: Balances.Balances,
  display: AmountView.Display,
): Wire.List["accounts"] =>
  all.map(({ address, float, holds, kept, onChain, owed, suspense, token }) => {
    const amount = (quantity: bigint) => TokenAmount.json(token, quantity, display.catalog)
    return {
      mode,
      display: AmountView.unit(Amount.token(token), display).display,
      account: Family.formatAccount(display.catalog, { chainId: token.chainId, address }),
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
  display: AmountView.Display,
): Wire.List["tokens"] =>
  all.map(({ debt, fees, token }) => ({
    mode,
    display: AmountView.unit(Amount.token(token), display).display,
    fees: TokenAmount.json(token, fees, display.catalog),
    debt: TokenAmount.json(token, debt, display.catalog),
  }))
