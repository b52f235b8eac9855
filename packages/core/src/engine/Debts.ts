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
import { LedgerStore } from "../ports/LedgerStore.ts"

/** What each of the merchants owes in a token. */
export const of = Effect.fn("Debts.of")(function* (
  mode: Mode.Mode,
  token: Caip.Token,
  merchants: ReadonlyArray<MerchantId.MerchantId>,
) {
  const ledger = yield* LedgerStore
  const debts = yield* Effect.forEach([...new Set(merchants)], (merchantId) =>
    Effect.map(
      ledger.balance(mode, { _tag: "Debt", merchantId }, token),
      (debt) => [merchantId, Result.getOrElse(Money.fromBigInt(debt), () => Money.zero)] as const,
    ),
  )
  return new Map(debts)
})
