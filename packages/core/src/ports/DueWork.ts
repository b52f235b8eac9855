/**
 * The queue of due work: what must be done for a payment, when, and which worker has the lease on it.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as OutflowId from "../domain/ground/OutflowId.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as Turn from "../domain/list/Turn.ts"
import type * as Outflow from "../domain/outflow/Outflow.ts"
import type * as Change from "../domain/payment/Change.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import type { LeaseLost, Read, StorageUnavailable } from "./StorageError.ts"
import type { ClaimOptions } from "./Turns.ts"

/** The lease on one piece of due work. It lasts until it expires or the work is written. */
export type Lease = PaymentLease | OutflowLease

export interface PaymentLease {
  readonly id: PaymentId.PaymentId
  readonly kind: Change.WorkKind
  readonly fence: number
}

export interface OutflowLease {
  readonly id: OutflowId.OutflowId
  readonly kind: Change.OutflowWorkKind
  readonly fence: number
}

/** Whether a lease is on the work of an outflow. */
export const isOutflowLease = (lease: Lease): lease is OutflowLease =>
  lease.kind === "send" || lease.kind === "recheck"

export interface Leased {
  readonly lease: Lease
  /** The queue that it waited in. */
  readonly queue: Turn.Queue
  /** How often in a row this work has failed since it was last set due. */
  readonly failures: number
}

export interface Claimed extends Leased {
  readonly payment: Payment.Payment
  readonly lease: PaymentLease
}

export interface ClaimedOutflow extends Leased {
  readonly outflow: Outflow.Outflow
  readonly lease: OutflowLease
}

/** Due work of one kind that no worker has the lease on. */
export interface Backlog extends Pick<Turn.Queue, "group"> {
  readonly kind: Lease["kind"]
  readonly count: number
  /** When the oldest piece of it became due. */
  readonly oldestDueAt: number
}

/** The most pieces of work that are counted of each kind, so that looking at a long queue stays cheap. */
export const backlogMax = 10_000

/**
 * Leases due work to workers. A change of a payment or an outflow sets when its work is due.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - Queues take turns, and no queue gets more than its places (`Turns`). The work of a queue is claimed in the order in
 *   which it is due. It can be claimed from the time that `nextDueAt` returns.
 * - On a database, a claim costs about the same whether little or much work is due.
 * - A lease is valid until another worker claims its work, or the work is set again or postponed, even if the lease has
 *   expired. A write that names the kind of the lease uses the lease up.
 */
export class DueWork extends Context.Service<
  DueWork,
  {
    /** The storage's time, in epoch milliseconds. It responds even if our clock is off. */
    readonly time: Read<number>
    /** Fails if there is no space left to write, which reads do not notice. */
    readonly requireRoom: Read<void>
    /**
     * Leases due work of one kind, in turns. A piece of work has one holder at a time. When its lease expires, the work
     * is due again for the next worker, and the earlier holder's fence is no longer valid.
     */
    readonly claimDue: (
      kind: Change.WorkKind,
      options: ClaimOptions,
    ) => Read<ReadonlyArray<Claimed>>
    /** The same for work that is due for outflows. */
    readonly claimDueOutflows: (
      kind: Change.OutflowWorkKind,
      options: ClaimOptions,
    ) => Read<ReadonlyArray<ClaimedOutflow>>
    /**
     * Returns work that could not be done now, so that it is due again later, with how often in a row it has failed: 0
     * if it only waits.
     */
    readonly postpone: (
      lease: Lease,
      dueAt: number,
      failures: number,
    ) => Effect.Effect<void, LeaseLost | StorageUnavailable>
    /** When the next work of a kind is due or its lease expires, or null. A worker can sleep until then. */
    readonly nextDueAt: (kind: Lease["kind"]) => Read<number | null>
    /**
     * How much work is due and waits for a worker, by kind and group, in any order; groups without any are left out. Of
     * each kind the first `backlogMax` pieces are counted, in the order in which they can be claimed.
     */
    readonly backlog: (now: number) => Read<ReadonlyArray<Backlog>>
  }
>()("@florin/core/ports/DueWork") {}
