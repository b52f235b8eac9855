/**
 * The store of outflows, and decisions that several payments and an outflow share.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Caip from "../domain/Caip.ts"
import type * as Change from "../domain/Change.ts"
import type * as DailyLimit from "../domain/DailyLimit.ts"
import type * as Lane from "../domain/Lane.ts"
import type * as Merchant from "../domain/Merchant.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as Outflow from "../domain/Outflow.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import type * as Payout from "../domain/Payout.ts"
import type * as SettlementMatching from "../domain/SettlementMatching.ts"
import type * as UnclaimedId from "../domain/UnclaimedId.ts"
import type * as UnclaimedTransfer from "../domain/UnclaimedTransfer.ts"
import type { Page, Tenant } from "./AccountStore.ts"
import type { Hold } from "./DueWork.ts"
import type {
  ClaimTaken,
  Found,
  LaneMoved,
  LeaseLost,
  NotFound,
  Overdrawn,
  Read,
  StorageUnavailable,
  Uncovered,
} from "./StorageError.ts"

/** The records that a decision is shown, each of them named once. */
export interface Subjects {
  readonly outflows: ReadonlyArray<Outflow.OutflowId>
  readonly payments: ReadonlyArray<PaymentId.PaymentId>
  readonly unclaimed?: ReadonlyArray<UnclaimedId.UnclaimedId>
  /** Whose destinations for a token the decision looks at, too. */
  readonly destinations?: {
    readonly token: Caip.Token
    readonly merchants: ReadonlyArray<Merchant.MerchantId>
  }
}

/** The records as they are now, in the order in which they were named. */
export interface Shown {
  readonly outflows: ReadonlyArray<Outflow.Outflow>
  readonly payments: ReadonlyArray<Payment.Payment>
  readonly unclaimed: ReadonlyArray<UnclaimedTransfer.UnclaimedTransfer>
  /** `AccountStore.lastDestinations` of the merchants that are named, in any order. */
  readonly destinations: SettlementMatching.Lasts
}

/** What a decision says: the response to the caller, and what is written with it. */
export interface WriteDecision<A> {
  readonly answer: A
  readonly write: Change.Write | null
}

/** A share that waits to be gathered. */
export interface PendingShare {
  readonly paymentId: PaymentId.PaymentId
  readonly merchantId: Merchant.MerchantId
}

/**
 * Stores outflows, and writes decisions on payments, outflows and unclaimed money together.
 *
 * Contract, besides that of every store in `Storage`:
 * - A decision may write the records that it was shown, and create outflows. Every record that it writes is as it was
 *   shown, and so is every destination that it looked at, or the decision runs again: with all of them as they are then.
 * - Of the outflows with the same `Outflow.turnKey` there is one: a write that would make another fails with `ClaimTaken`.
 * - All of a write is visible, or none of it, whatever the number of records.
 * - Unclaimed money that a payment takes hands over its claim: the transfer is one that the payment rests on from then on.
 * - A write that draws on a partner's credit is refused as overdrawn unless `Credit.allows` it with the debts as they are
 *   after it. Of concurrent ones no more are written than the credit covers.
 * - A write with a limit is refused as overdrawn unless `DailyLimit.allows` it with all that is sent after it. Of
 *   concurrent ones no more are written than the limit allows.
 * - Of concurrent decisions that exclude each other, exactly one writes. Writes that share records never wait for each
 *   other in a circle.
 */
export class OutflowStore extends Context.Service<
  OutflowStore,
  {
    readonly outflow: (id: Outflow.OutflowId) => Found<Outflow.Outflow>
    /** Those of the outflows that there are, each once, in any order. */
    readonly outflowsById: (
      ids: ReadonlyArray<Outflow.OutflowId>,
    ) => Read<ReadonlyArray<Outflow.Outflow>>
    /** The outflows of a mode that wait, were sent or are held, the oldest first. */
    readonly openOutflows: (mode: Mode.Mode) => Read<ReadonlyArray<Outflow.Outflow>>
    /** A page of the tenant's payouts that pass a filter, the newest first: `Payout.passes` and `Payout.compare`. */
    readonly payouts: (
      tenant: Tenant,
      filter: Payout.Filter,
      page: { readonly after: Payout.Position | null; readonly limit: number },
    ) => Read<Page<Payout.Listed>>
    /** The shares of a group that wait to be gathered and are not held back at `now`, the oldest payment first. */
    readonly pendingShares: (
      group: SettlementMatching.Group,
      limit: number,
      now: number,
    ) => Read<ReadonlyArray<PendingShare>>
    /** The shares of a merchant in a token (of all merchants of the tenant if it is null) that wait to be gathered, held back or not, in whichever group, the oldest payment first. */
    readonly pendingSharesOf: (
      tenant: Tenant,
      token: Caip.Token,
      merchantId: Merchant.MerchantId | null,
      limit: number,
    ) => Read<ReadonlyArray<PaymentId.PaymentId>>
    /** The shares that a merchant is owed in a token, and that have nowhere to go, the oldest payment first. */
    readonly owedShares: (
      merchantId: Merchant.MerchantId,
      token: Caip.Token,
      limit: number,
    ) => Read<ReadonlyArray<PaymentId.PaymentId>>
    /**
     * The payments of the tenant whose refund still needs something of one of these merchants in a token, or of any if it is
     * null, the oldest first.
     */
    readonly refundsInNeed: (
      tenant: Tenant,
      token: Caip.Token,
      merchants: ReadonlyArray<Merchant.MerchantId> | null,
    ) => Read<ReadonlyArray<PaymentId.PaymentId>>
    /** What was sent later than `since` of the outflows that are counted together, in any order. */
    readonly sentSince: (
      counted: DailyLimit.Counted,
      since: number,
    ) => Read<ReadonlyArray<DailyLimit.Sent>>
    /** The sum of these shares, before anything is netted. */
    readonly pendingQuantity: (group: SettlementMatching.Group, now: number) => Read<bigint>
    /** Runs `decide` on the records as they are, and writes what it says. With a hold, only while the hold is good. */
    readonly modify: <A, E>(
      subjects: Subjects,
      decide: (shown: Shown) => Result.Result<WriteDecision<A>, E>,
      hold: Hold | null,
    ) => Effect.Effect<
      A,
      E | NotFound | ClaimTaken | Uncovered | Overdrawn | LeaseLost | StorageUnavailable
    >
    /**
     * As `modify`, with a transaction that takes the next slot of its lane: both are written together, or neither is. A
     * decision that writes nothing takes no slot.
     */
    readonly modifyInLane: <A, E>(
      subjects: Subjects,
      signed: Lane.Signed,
      decide: (shown: Shown) => Result.Result<WriteDecision<A>, E>,
      hold: Hold | null,
    ) => Effect.Effect<
      A,
      E | NotFound | ClaimTaken | Uncovered | Overdrawn | LeaseLost | LaneMoved | StorageUnavailable
    >
  }
>()("@florin/core/ports/OutflowStore") {}
