/**
 * Balances as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Balance"
import * as Family from "@florin/core/domain/chain/Family"
import * as MerchantBalance from "@florin/core/domain/list/MerchantBalance"
import * as Amount from "@florin/core/domain/money/Amount"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import type * as Balances from "@florin/core/engine/books/Balances"
import type * as MerchantBalances from "@florin/core/engine/books/MerchantBalances"
import type * as Effect from "effect/Effect"
import * as Record from "effect/Record"
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

export const merchants = (
  { items, nextCursor }: Effect.Success<ReturnType<typeof MerchantBalances.list>>,
  display: AmountView.Display,
): Wire.MerchantPage => ({
  data: items.map(({ balance, merchant, token }) => ({
    merchantId: merchant.id,
    merchantName: merchant.name,
    display: AmountView.unit(Amount.token(token), display).display,
    ...Record.map(MerchantBalance.parts, (_, part) =>
      TokenAmount.json(token, balance[part], display.catalog),
    ),
  })),
  nextCursor,
})
