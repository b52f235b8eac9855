/**
 * The store of outflows, and of decisions on payments, outflows and inflows.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Balance from "../domain/books/Balance.ts"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as InflowId from "../domain/chain/InflowId.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as OutflowId from "../domain/ground/OutflowId.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as Payout from "../domain/list/Payout.ts"
import type * as DailyLimit from "../domain/outflow/DailyLimit.ts"
import type * as Inflow from "../domain/outflow/Inflow.ts"
import type * as Lane from "../domain/outflow/Lane.ts"
import type * as Outflow from "../domain/outflow/Outflow.ts"
import type * as Change from "../domain/payment/Change.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import type { Page, Tenant } from "./AccountStore.ts"
import type { Lease } from "./DueWork.ts"
import {
  type ClaimTaken,
  type Found,
  type LaneMoved,
  type LeaseLost,
  type NotFound,
  type Overdrawn,
  type Read,
  requireOne,
  type StorageUnavailable,
  type Uncovered,
} from "./StorageError.ts"

/** The records that a decision reads, each named once. */
export interface Subjects {
  readonly outflows: ReadonlyArray<OutflowId.OutflowId>
  readonly payments: ReadonlyArray<PaymentId.PaymentId>
  readonly inflows?: ReadonlyArray<InflowId.InflowId>
  /** The merchants and the token whose destinations the decision reads, too. */
  readonly destinations?: {
    readonly token: Caip.Token
    readonly merchants: ReadonlyArray<MerchantId.MerchantId>
  }
}

/** The current records, in the order in which they were named. */
export interface Shown {
  readonly outflows: ReadonlyArray<Outflow.Outflow>
  readonly payments: ReadonlyArray<Payment.Payment>
  readonly inflows: ReadonlyArray<Inflow.Inflow>
  /** `AccountStore.destinations` of the named merchants for the token, in any order. */
  readonly destinations: Balance.Lasts
}

/** The result of a decision: the response to the caller, and what is written with it. */
export interface WriteDecision<A> {
  readonly result: A
  readonly write: Change.Write | null
}

/** Which shares that wait to be gathered, or for a destination. */
export type WaitingShares =
  /** Those of a group that are not held back at `now`. */
  | { readonly _tag: "Group"; readonly group: Balance.Group; readonly now: number }
  /** Those of a merchant in a token, or of all of the tenant, of which something is left, also if they are held back. */
  | {
      readonly _tag: "Token"
      readonly tenant: Tenant
      readonly token: Caip.Token
      readonly merchantId: MerchantId.MerchantId | null
    }
  /** Those that a merchant is owed in a token, without a destination. */
  | {
      readonly _tag: "Owed"
      readonly token: Caip.Token
      readonly merchantId: MerchantId.MerchantId
    }

/** A share that waits. */
export interface PendingShare {
  readonly paymentId: PaymentId.PaymentId
  readonly merchantId: MerchantId.MerchantId
}

/**
 * Stores outflows, and writes decisions on payments, outflows and inflows together.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - A decision may write the records that it read, and create outflows. If any of these records, or a destination that
 *   it read, has changed before the write, the decision runs again with the current ones.
 * - There is only one outflow with a given `Outflow.turnKey`: a write that would create another fails with
 *   `ClaimTaken`.
 * - All of a write is visible, or none of it, whatever the number of records.
 * - An inflow that a payment takes hands over its claim: from then on the payment rests on the transfer.
 * - A write that draws on a partner's credit is refused as overdrawn unless `Credit.allows` it with the debts as they
 *   are after it. Concurrent writes together never exceed the credit.
 * - A write with a limit is refused as overdrawn unless `DailyLimit.allows` it with everything that is sent after it.
 *   Concurrent writes together never exceed the limit.
 * - Of concurrent decisions that exclude each other, exactly one writes. Writes that share records never deadlock.
 */
export class OutflowStore extends Context.Service<
  OutflowStore,
  {
    /** The outflows among these that exist, each once, in any order. */
    readonly outflowsById: (
      ids: ReadonlyArray<OutflowId.OutflowId>,
    ) => Read<ReadonlyArray<Outflow.Outflow>>
    /** The outflows of a mode that wait, were sent or are held, oldest first. */
    readonly openOutflows: (mode: Mode.Mode) => Read<ReadonlyArray<Outflow.Outflow>>
    /** A page of the outflows that pass a filter, newest first: `Payout.passes` and `Payout.compare`. */
    readonly outflows: (
      scope: Payout.Scope,
      filter: Payout.Filter,
      page: { readonly after: Payout.Position | null; readonly limit: number },
    ) => Read<Page<Payout.Listed>>
    /** Shares that wait, oldest payment first. */
    readonly waitingShares: (
      which: WaitingShares,
      limit: number,
    ) => Read<ReadonlyArray<PendingShare>>
    /**
     * The payments of the tenant whose refund still needs money in a token from one of these merchants, or from any if
     * it is null; oldest first.
     */
    readonly refundsInNeed: (
      tenant: Tenant,
      token: Caip.Token,
      merchants: ReadonlyArray<MerchantId.MerchantId> | null,
    ) => Read<ReadonlyArray<PaymentId.PaymentId>>
    /** What was sent after `since` by the outflows that are counted together, in any order. */
    readonly sentSince: (
      counted: DailyLimit.Counted,
      since: number,
    ) => Read<ReadonlyArray<DailyLimit.Sent>>
    /** The sum of these shares, before any deduction. */
    readonly pendingQuantity: (group: Balance.Group, now: number) => Read<bigint>
    /**
     * Runs `decide` on the current records, and writes what it returns. With a lease, it writes only while the lease is
     * valid. A signed transaction takes the next slot of its lane: both are written together, or neither is. A decision
     * that writes nothing takes no slot.
     */
    readonly modify: <A, E>(
      subjects: Subjects,
      decide: (shown: Shown) => Result.Result<WriteDecision<A>, E>,
      lease: Lease | null,
      signed?: Lane.Signed,
    ) => Effect.Effect<
      A,
      E | NotFound | ClaimTaken | Uncovered | Overdrawn | LeaseLost | LaneMoved | StorageUnavailable
    >
  }
>()("@florin/core/ports/OutflowStore") {}

/** The outflow with this id, which must exist. */
export const findOutflow = (
  outflows: OutflowStore["Service"],
  id: OutflowId.OutflowId,
): Found<Outflow.Outflow> => requireOne("outflow", outflows.outflowsById([id]))
