/**
 * What merchants owe us, which payouts deduct.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import * as Money from "../domain/ground/Money.ts"
import * as Ledger from "../domain/money/Ledger.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"

/** What each of the merchants owes in a token. */
export const of = Effect.fn("Debts.of")(function* (
  mode: Mode.Mode,
  token: Caip.Token,
  merchants: ReadonlyArray<MerchantId.MerchantId>,
) {
  const accounts = merchants.map((merchantId) => ({ _tag: "Debt", merchantId }) as const)
  const balances = yield* (yield* LedgerStore).balances(mode, token, accounts)
  return new Map(
    accounts.map((account) => {
      const debt = Money.fromBigInt(Ledger.balanceOf(balances, account, token))
      return [account.merchantId, Result.getOrElse(debt, () => Money.zero)] as const
    }),
  )
})
