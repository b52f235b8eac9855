/**
 * The store of the ledger: who is owed what, in double entries.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import * as Money from "../domain/ground/Money.ts"
import type * as PartnerId from "../domain/ground/PartnerId.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as MerchantBalance from "../domain/list/MerchantBalance.ts"
import type * as Statement from "../domain/list/Statement.ts"
import * as Ledger from "../domain/money/Ledger.ts"
import type * as Idempotency from "../domain/partner/Idempotency.ts"
import type { Page, Tenant } from "./AccountStore.ts"
import type { IdempotencyConflict, Overdrawn, Read, StorageUnavailable } from "./StorageError.ts"

/** Which accounts: these, or what all merchants of a partner owe, deleted ones too, or of all partners for null. */
export type Among =
  | ReadonlyArray<Ledger.Account>
  | { readonly debtorsOf: PartnerId.PartnerId | null }

/**
 * Stores ledger transactions, and the balance of every account.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - Ledger transactions come from `Ledger`, which builds only movements that balance.
 * - Balances of zero may be left out.
 */
export class LedgerStore extends Context.Service<
  LedgerStore,
  {
    /** What each of our accounts holds, or one of them in a token, and what is owed from it: `Ledger.holdings`. */
    readonly holdings: (
      mode: Mode.Mode,
      held: Ledger.Held | null,
    ) => Read<ReadonlyArray<Ledger.Holding>>
    /** What every account, or each of some, holds of one token or of all. Test and live money never add up. */
    readonly balances: (
      mode: Mode.Mode,
      token: Caip.Token | null,
      among?: Among,
    ) => Read<Ledger.Balances>
    /**
     * A page of the balances of a tenant's merchants, deleted ones too: `MerchantBalance.sumsOf` what is stored, in the
     * order of `MerchantBalance.compare`. All sums of a page are of one moment.
     */
    readonly merchantBalances: (
      tenant: Tenant,
      query: MerchantBalance.Query,
      terms: MerchantBalance.Terms,
    ) => Read<Page<MerchantBalance.Sums>>
    /** What a merchant was owed, received and paid in a period: `Statement.of` all booked decisions. */
    readonly statement: (
      mode: Mode.Mode,
      merchantId: MerchantId.MerchantId,
      period: Statement.Period,
    ) => Read<ReadonlyArray<Statement.OfToken>>
    /** Every ledger transaction of a payment, in the order it was written, or the one posted under a key, in any mode. */
    readonly ledgerOf: (
      of: PaymentId.PaymentId | { readonly key: Idempotency.IdempotencyKey },
    ) => Read<ReadonlyArray<Ledger.Transaction>>
    /**
     * Writes a movement that belongs to no payment, exactly once per key: the operator's own money in or out, or a
     * loss. A different movement under the same key is refused, and so is the same one in another mode. Returns whether
     * it was written now.
     */
    readonly post: (
      mode: Mode.Mode,
      key: Idempotency.IdempotencyKey,
      transaction: Ledger.Transaction,
    ) => Effect.Effect<boolean, Overdrawn | IdempotencyConflict | StorageUnavailable>
  }
>()("@florin/core/ports/LedgerStore") {}

/** What one of our accounts holds of a token beyond what is owed from it: `Ledger.float` of all balances. */
export const floatOf = (
  ledger: Pick<LedgerStore["Service"], "holdings">,
  mode: Mode.Mode,
  held: Ledger.Held,
): Read<bigint> =>
  Effect.map(ledger.holdings(mode, held), (found) =>
    found.reduce((sum, { holds, owed }) => sum + holds - owed, 0n),
  )

/** What all merchants of a mode, or of one partner in it, owe of each token, in any order. */
export const owingOf = (
  ledger: Pick<LedgerStore["Service"], "balances">,
  mode: Mode.Mode,
  partnerId: PartnerId.PartnerId | null,
): Read<ReadonlyArray<Ledger.Sum>> =>
  Effect.map(ledger.balances(mode, null, { debtorsOf: partnerId }), Ledger.sums)

/** What each of the merchants owes in a token, which payouts deduct. */
export const debtsOf = (
  ledger: Pick<LedgerStore["Service"], "balances">,
  mode: Mode.Mode,
  token: Caip.Token,
  merchants: ReadonlyArray<MerchantId.MerchantId>,
) => {
  const accounts = merchants.map((merchantId) => ({ _tag: "Debt", merchantId }) as const)
  return Effect.map(
    ledger.balances(mode, token, accounts),
    (balances) =>
      new Map(
        accounts.map((account) => {
          const debt = Money.fromBigInt(Ledger.balanceOf(balances, account, token))
          return [account.merchantId, Result.getOrElse(debt, () => Money.zero)] as const
        }),
      ),
  )
}
