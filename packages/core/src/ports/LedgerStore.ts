/**
 * The store of the ledger: who is owed what, in double entries.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as PartnerId from "../domain/ground/PartnerId.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as Statement from "../domain/list/Statement.ts"
import type * as Credit from "../domain/money/Credit.ts"
import type * as Ledger from "../domain/money/Ledger.ts"
import type * as Idempotency from "../domain/partner/Idempotency.ts"
import type { IdempotencyConflict, Overdrawn, Read, StorageUnavailable } from "./StorageError.ts"

/** What several merchants together owe of one token. */
export type Owing = Pick<Credit.Debt, "quantity" | "token">

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
    /** What one of our accounts holds of a token beyond what is owed from it: `Ledger.float` of all balances. */
    readonly float: (mode: Mode.Mode, held: Ledger.Held) => Read<bigint>
    /** What each of our accounts holds, and what is owed from it: `Ledger.holdings` of all balances. */
    readonly holdings: (mode: Mode.Mode) => Read<ReadonlyArray<Ledger.Holding>>
    /**
     * What all merchants of a mode, or of one partner in it, owe of each token, including deleted merchants, in any
     * order; tokens without debts may be left out.
     */
    readonly owing: (
      mode: Mode.Mode,
      partnerId: PartnerId.PartnerId | null,
    ) => Read<ReadonlyArray<Owing>>
    /** What every account, or each of these, holds of one token or of all. Test and live money never add up. */
    readonly balances: (
      mode: Mode.Mode,
      token: Caip.Token | null,
      accounts?: ReadonlyArray<Ledger.Account>,
    ) => Read<Ledger.Balances>
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
