/**
 * The queue of due work: what has to be done for a payment, when, and which worker has the lease on it.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Change from "../domain/Change.ts"
import type * as Outflow from "../domain/Outflow.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import type * as Turn from "../domain/Turn.ts"
import type { LeaseLost, Read, StorageUnavailable } from "./StorageError.ts"
import type { ClaimOptions } from "./Turns.ts"

/** The right to do one piece of due work, until the lease lapses or the work is written. */
export type Hold = PaymentHold | OutflowHold

export interface PaymentHold {
  readonly id: PaymentId.PaymentId
  readonly kind: Change.WorkKind
  readonly fence: number
}

export interface OutflowHold {
  readonly id: Outflow.OutflowId
  readonly kind: Change.OutflowWorkKind
  readonly fence: number
}

/** Whether a hold is on the work of an outflow. */
export const isOutflowHold = (hold: Hold): hold is OutflowHold =>
  hold.kind === "send" || hold.kind === "recheck"

export interface Leased {
  readonly hold: Hold
  /** Where it waited. */
  readonly queue: Turn.Queue
  /** How often this work was put off since it was last set due. */
  readonly failures: number
}

export interface Claimed extends Leased {
  readonly payment: Payment.Payment
  readonly hold: PaymentHold
}

export interface ClaimedOutflow extends Leased {
  readonly outflow: Outflow.Outflow
  readonly hold: OutflowHold
}

/** Due work of one kind that no worker has the lease on. */
export interface Backlog extends Pick<Turn.Queue, "group"> {
  readonly kind: Hold["kind"]
  readonly count: number
  /** When the longest waiting of it was due. */
  readonly oldestDueAt: number
}

/** Of each kind so many pieces of work are counted at most, so that a look at a long queue stays cheap. */
export const backlogMax = 10_000

/**
 * Leases due work to workers. A change of a payment or an outflow sets when its work is due.
 *
 * Contract, besides that of every store in `Storage`:
 * - Queues take turns, and no queue is given more than its places (`Turns`). The work of a queue is claimed in the order
 *   in which it is due. It can be claimed from the moment that `nextDueAt` names.
 * - A claim costs about the same whether little or much is due.
 * - A hold is good until another worker claims its work, or the work is set again or postponed, even if its lease has
 *   lapsed. A write that names the kind of the hold uses it up.
 */
export class DueWork extends Context.Service<
  DueWork,
  {
    /** What time it is where everything is kept, in epoch milliseconds: asked even if our clock is off. */
    readonly time: Read<number>
    /** Fails if there is no space left for what is new, which reads do not notice. */
    readonly requireRoom: Read<void>
    /**
     * Leases due work of one kind, in turns. A piece of work has one holder at a time; when its lease
     * lapses it is due again, for whoever comes next, and the earlier holder's fence is worth nothing.
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
    /** Gives work back that could not be done now, to be due again later; counts the failure. */
    readonly postpone: (
      hold: Hold,
      dueAt: number,
    ) => Effect.Effect<void, LeaseLost | StorageUnavailable>
    /** When the next work of a kind is due or its lease lapses, or null: so that a worker can sleep until then. */
    readonly nextDueAt: (kind: Hold["kind"]) => Read<number | null>
    /**
     * How much is due and waits for a worker, by kind and group, in any order; groups without any are left out. Of each
     * kind the first `backlogMax` are counted, by when they can be claimed.
     */
    readonly backlog: (now: number) => Read<ReadonlyArray<Backlog>>
  }
>()("@florin/core/ports/DueWork") {}
