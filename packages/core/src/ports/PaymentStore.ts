/**
 * The store of payments, and of the payer data that is collected for them.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as AuditLog from "../domain/AuditLog.ts"
import type * as Caip from "../domain/Caip.ts"
import type * as ChainState from "../domain/ChainState.ts"
import type * as Change from "../domain/Change.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as OptionRouting from "../domain/OptionRouting.ts"
import type * as Outflow from "../domain/Outflow.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as PaymentFilter from "../domain/PaymentFilter.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import type * as PaymentOption from "../domain/PaymentOption.ts"
import type * as PaymentQuery from "../domain/PaymentQuery.ts"
import type * as PaymentStats from "../domain/PaymentStats.ts"
import type * as Refund from "../domain/Refund.ts"
import type * as Transfer from "../domain/Transfer.ts"
import type * as UnclaimedId from "../domain/UnclaimedId.ts"
import type { Page, Tenant } from "./AccountStore.ts"
import type { Created, Once } from "./AnswerStore.ts"
import type { Hold } from "./DueWork.ts"
import type {
  ClaimTaken,
  Found,
  IdempotencyConflict,
  LeaseLost,
  NotFound,
  Overdrawn,
  Read,
  StorageUnavailable,
  Uncovered,
} from "./StorageError.ts"

/** What a decision says: the answer for the caller, and what is written with it. No change writes nothing. */
export interface Decision<A> {
  readonly answer: A
  readonly change?: Change.Change | null
}

/** A final transfer that a payment, an outflow or unclaimed money rests on, by its claim, and the block that it was found in. */
export interface Resting {
  readonly claim: string
  /** What rests on it. */
  readonly id: PaymentId.PaymentId | Outflow.OutflowId | UnclaimedId.UnclaimedId
  readonly mark: ChainState.Mark
}

/** A log of a transaction that was claimed, and the payment that it is booked for; null if something else holds it. */
export interface ClaimedLog extends Transfer.LogId {
  readonly paymentId: PaymentId.PaymentId | null
}

/**
 * Stores payments and collected payer data.
 *
 * Contract, besides that of every store in `Storage`:
 * - Decisions on one payment run in one order: each sees everything that the one before it wrote. Of concurrent decisions
 *   that exclude each other, exactly one writes.
 * - All of a change is visible, or none of it: the payment, its event, ledger lines, claims, due work and the transaction
 *   in its lane. A failed write changes nothing and takes no nonce.
 * - A claim is kept for ever. The first change that holds it wins; every later one fails with `ClaimTaken`. A change that
 *   moves a transfer moves its claim too, so that the place it left is free.
 * - A change that draws on an allowance is written if nothing else draws on it, or if it covers that all: the payments in
 *   `Processing` with the same account and token, in any mode, by the flows that it names. Otherwise it fails with
 *   `Uncovered`, also if it comes at the same moment as another.
 * - A change that charges budgets for failures is written if each of them allows it at that moment, and else fails with
 *   `Uncovered`. Of many at once no more are written than are allowed.
 * - Payments are listed in the order of the query's sort, then by id.
 */
export class PaymentStore extends Context.Service<
  PaymentStore,
  {
    /** Creates a payment, once per key if there is one, with the entry of the audit log that describes it. */
    readonly createPayment: (
      change: Change.Change,
      once: Once | null,
      answer: string,
      now: number,
      entry?: AuditLog.Entry,
    ) => Effect.Effect<Created, IdempotencyConflict | StorageUnavailable>
    readonly payment: (id: PaymentId.PaymentId) => Found<Payment.Payment>
    /** Runs `decide` on the payment as it is, and writes its change. With a hold, only while the hold is good. */
    readonly modifyPayment: <A, E>(
      id: PaymentId.PaymentId,
      decide: (current: Payment.Payment) => Result.Result<Decision<A>, E>,
      hold?: Hold,
    ) => Effect.Effect<
      A,
      E | NotFound | ClaimTaken | Uncovered | Overdrawn | LeaseLost | StorageUnavailable
    >
    /** What is being processed by flows of accounts will take of their tokens, by account and token. */
    readonly committed: (
      accounts: ReadonlyArray<Caip.Account>,
      flows: ReadonlyArray<PaymentOption.Flow>,
    ) => Read<ReadonlyArray<OptionRouting.Committed>>
    /** Whether a payment in `Processing`, in any mode, waits for a transaction that its own account's wallet sent. */
    readonly isAwaited: (account: Caip.Account, txHash: string) => Read<boolean>
    /**
     * The transfers that payments and outflows of a mode rest on: found in this block of a chain or a newer one, the newest block
     * first. `after` is the last one of the page before. One that is gone for good is left out.
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
    /** The logs of a transaction that are claimed, each where its claim names it now, in the order of their index. */
    readonly claimsOf: (chainId: Caip.ChainId, txHash: string) => Read<ReadonlyArray<ClaimedLog>>
    /** A page of payments after the query's position. */
    readonly payments: (
      tenant: Tenant,
      query: PaymentQuery.PaymentQuery,
      now: number,
    ) => Read<Page<Payment.Payment>>
    /** Statistics over everything that the filter lets through. */
    readonly paymentStats: (
      tenant: Tenant,
      filter: PaymentFilter.Filter,
      now: number,
    ) => Read<PaymentStats.Stats>
    readonly paymentOfRefund: (tenant: Tenant, id: Refund.RefundId) => Found<Payment.Payment>
    /** Payments with something that an operator can move on: `Payment.isStuck`. */
    readonly stuckPayments: (mode: Mode.Mode) => Read<ReadonlyArray<Payment.Payment>>
    /**
     * Keeps what a payer's form held, sealed by the vault, for a payment, account and session. The first one stays: of many
     * at once one is kept, and the others change nothing. Only a change replaces it. Whether one is kept: where a payment
     * has `Limits.collectedPerPaymentMax`, none is added, so that nobody pushes out another's. Those that come at once may
     * be a few more.
     */
    readonly putCollected: (id: PaymentId.PaymentId, data: Change.Collected) => Found<boolean>
    /** What is kept. Data whose key is gone, as after a restore without the keys, is not there. */
    readonly collected: (id: PaymentId.PaymentId) => Read<ReadonlyArray<Change.Collected>>
    /** The payments for which something is kept of an account, in any order. */
    readonly paymentsWithCollected: (
      account: Caip.Account,
    ) => Read<ReadonlyArray<PaymentId.PaymentId>>
    /** Deletes what is kept for a payment, of one account or of all, with its keys; returns how much that was. */
    readonly eraseCollected: (id: PaymentId.PaymentId, account: Caip.Account | null) => Read<number>
    /** Deletes what is past its time, `limit` of it at most, and passes over what is in use; answers how many. */
    readonly deleteCollected: (now: number, limit: number) => Read<number>
  }
>()("@florin/core/ports/PaymentStore") {}
