/**
 * The store of payments, and of the payer data that is collected for them.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as ChainState from "../domain/chain/ChainState.ts"
import type * as InflowId from "../domain/chain/InflowId.ts"
import type * as PaymentOption from "../domain/chain/PaymentOption.ts"
import type * as Transfer from "../domain/chain/Transfer.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as OutflowId from "../domain/ground/OutflowId.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as PaymentFilter from "../domain/list/PaymentFilter.ts"
import type * as PaymentQuery from "../domain/list/PaymentQuery.ts"
import type * as PaymentSeries from "../domain/list/PaymentSeries.ts"
import type * as PaymentStats from "../domain/list/PaymentStats.ts"
import type * as AuditLog from "../domain/partner/AuditLog.ts"
import type * as Change from "../domain/payment/Change.ts"
import type * as Entry from "../domain/payment/Entry.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import type * as Refund from "../domain/payment/Refund.ts"
import type { Page, Tenant } from "./AccountStore.ts"
import type { Created, Once } from "./ResponseStore.ts"
import type { Found, IdempotencyConflict, Read, StorageUnavailable } from "./StorageError.ts"

/**
 * A final transfer that a payment, an outflow or an inflow rests on: its claim, and the block in which it was
 * found.
 */
export interface Resting {
  readonly claim: string
  /** The payment, outflow or inflow that rests on it. */
  readonly id: PaymentId.PaymentId | OutflowId.OutflowId | InflowId.InflowId
  readonly checkpoint: ChainState.Checkpoint
}

/** A claimed log of a transaction, and the payment that it is booked for; null if something else has the claim. */
export interface ClaimedLog extends Transfer.LogId {
  readonly paymentId: PaymentId.PaymentId | null
}

/**
 * Stores payments and collected payer data. `OutflowStore.modify` writes decisions on payments.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - Decisions on one payment run in one order: each sees everything that the one before it wrote. Of concurrent
 *   decisions that exclude each other, exactly one writes.
 * - All of a change is visible, or none of it: the payment, its event, ledger lines, claims, due work and the
 *   transaction in its lane. A failed write changes nothing and takes no nonce.
 * - A claim is kept forever. The first change that makes it wins; every later one fails with `ClaimTaken`. A change
 *   that moves a transfer to another position moves its claim too, so that the earlier position is free.
 * - A change that draws on its account's money is written if nothing else draws on it, or if what is available covers
 *   all draws: those of the payments in `Processing` with the same account and token, in any mode, by the flows that
 *   the draw names, except the payments that it names as taken. Otherwise it fails with `Uncovered`. This also applies
 *   to concurrent changes.
 * - A change that charges budgets for failures is written if each budget allows it at that time, and otherwise fails
 *   with `Uncovered`. Concurrent changes together never exceed a budget. An entry that charges nothing only requires
 *   that much room, as far as earlier writes show.
 * - Payments are listed in the order of the query's sort, then by id.
 */
export class PaymentStore extends Context.Service<
  PaymentStore,
  {
    /** Creates a payment together with its audit log entry, once per key if there is one. */
    readonly createPayment: (
      change: Change.Change,
      once: Once | null,
      response: string,
      now: number,
      entry?: AuditLog.Entry,
    ) => Effect.Effect<Created, IdempotencyConflict | StorageUnavailable>
    /** The payment with this id, or with this refund if it is the tenant's. */
    readonly payment: (
      of: PaymentId.PaymentId | { readonly tenant: Tenant; readonly refundId: Refund.RefundId },
    ) => Found<Payment.Payment>
    /** The options of payments in `Processing`, in any mode, by which we take from accounts; in any order. */
    readonly committed: (
      accounts: ReadonlyArray<Caip.Account>,
      flows: ReadonlyArray<PaymentOption.Flow>,
    ) => Read<ReadonlyArray<PaymentOption.PaymentOption>>
    /**
     * Whether a payment of the account in `Processing`, in any mode, waits for this transaction: the one that the
     * account's wallet sent, or any version of the one with which we collect.
     */
    readonly isAwaited: (account: Caip.Account, txHash: string) => Read<boolean>
    /**
     * The transfers that payments and outflows of a mode rest on and that were found in this block of a chain or a
     * newer one, newest block first. `after` is the last one of the previous page. Transfers that are gone for good are
     * left out.
     */
    readonly resting: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
      page: {
        readonly fromBlock: number
        readonly after: Resting | null
        readonly limit: number
      },
    ) => Read<ReadonlyArray<Resting>>
    /**
     * The claimed logs of a transaction, each at the position that its claim names now, in the order of their index.
     */
    readonly claimsOf: (chainId: Caip.ChainId, txHash: string) => Read<ReadonlyArray<ClaimedLog>>
    /** A page of payments after the query's position. */
    readonly payments: (
      tenant: Tenant,
      query: PaymentQuery.PaymentQuery,
      now: number,
    ) => Read<Page<Payment.Payment>>
    /** Statistics over all payments that pass the filter. */
    readonly paymentStats: (
      tenant: Tenant,
      filter: PaymentFilter.Filter,
      now: number,
    ) => Read<PaymentStats.Stats>
    /** `PaymentSeries.of` all payments. */
    readonly paymentSeries: (
      tenant: Tenant,
      filter: PaymentFilter.Filter,
      edges: PaymentSeries.Edges,
      now: number,
    ) => Read<PaymentSeries.Series>
    /**
     * The refund of a merchant in a token that was requested last, of those that were sent with money that the merchant
     * already had; null if there is none.
     */
    readonly lastSentRefund: (
      tenant: Tenant,
      token: Caip.Token,
      merchantId: MerchantId.MerchantId,
    ) => Read<Entry.RefundOf | null>
    /** Payments with something that an operator can resolve: `Payment.isStuck`. */
    readonly stuckPayments: (mode: Mode.Mode) => Read<ReadonlyArray<Payment.Payment>>
    /**
     * Stores what a payer entered in the form, sealed by the vault, for a payment, account and session. The first write
     * wins: of several at the same time one is stored, and the others change nothing. Only a change replaces it.
     * Returns whether one is stored. If a payment already has `Limits.collectedPerPaymentMax`, none is added, so that
     * nobody can push out another payer's data. Concurrent writes may exceed this limit by a few.
     */
    readonly putCollected: (id: PaymentId.PaymentId, data: Change.Collected) => Found<boolean>
    /** What is stored. Data without its key, as after a restore without the keys, is left out. */
    readonly collected: (id: PaymentId.PaymentId) => Read<ReadonlyArray<Change.Collected>>
    /** The payments for which data of an account is stored, in any order. */
    readonly paymentsWithCollected: (
      account: Caip.Account,
    ) => Read<ReadonlyArray<PaymentId.PaymentId>>
    /**
     * Deletes what is stored for a payment, of one account or of all, together with its keys; returns how many records.
     */
    readonly eraseCollected: (id: PaymentId.PaymentId, account: Caip.Account | null) => Read<number>
    /** Deletes at most `limit` expired records, and skips those in use; returns how many. */
    readonly deleteCollected: (now: number, limit: number) => Read<number>
  }
>()("@florin/core/ports/PaymentStore") {}
