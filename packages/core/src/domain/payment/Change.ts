/**
 * The complete effect of one decision on payments and on outgoing money. An adapter writes all of it in one
 * transaction, or none of it.
 *
 * @module
 */
import type * as Caip from "../chain/Caip.ts"
import type * as Claim from "../chain/Claim.ts"
import type * as PaymentOption from "../chain/PaymentOption.ts"
import type * as Transfer from "../chain/Transfer.ts"
import type * as Money from "../ground/Money.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as PayerSession from "../ground/PayerSession.ts"
import type * as PaymentId from "../ground/PaymentId.ts"
import type * as Credit from "../money/Credit.ts"
import type * as Ledger from "../money/Ledger.ts"
import type * as DailyLimit from "../outflow/DailyLimit.ts"
import type * as Inflow from "../outflow/Inflow.ts"
import type * as Outflow from "../outflow/Outflow.ts"
import type * as Event from "./Event.ts"
import type * as FailureBudget from "./FailureBudget.ts"
import type * as Payment from "./Payment.ts"
import type * as Refund from "./Refund.ts"

/**
 * Work that a payment may need later. Each kind has its own time, lease and fence on the payment.
 *
 * - `expire`: end the payment when its time runs out.
 * - `collect`: collect the payer's money.
 * - `settle`: gather the merchant's share into a payout.
 * - `watch`: find reported transfers among the inflows.
 * - `audit`: look again for the payer's transfers, which were final and are gone from the chain.
 */
export const workKinds = ["expire", "collect", "settle", "watch", "audit"] as const
export type WorkKind = (typeof workKinds)[number]

/**
 * Work that an outflow may need.
 *
 * - `send`: send it, and follow it until it is paid or cannot be.
 * - `recheck`: look again for its transfer, which was final and is gone from the chain.
 */
export const outflowWorkKinds = ["send", "recheck"] as const
export type OutflowWorkKind = (typeof outflowWorkKinds)[number]

/** What a change charges to failure budgets, and when. The change is written only if every charge is allowed. */
export interface Charges {
  readonly at: number
  readonly entries: ReadonlyArray<FailureBudget.Entry>
}

/** When work is due, in epoch milliseconds; null when there is none. Kinds that are left out stay as they are. */
export type Due = { readonly [K in WorkKind]?: number | null }
export type OutflowDue = { readonly [K in OutflowWorkKind]?: number | null }

/** Payer data for a payment, account and session: sealed by the vault, and deleted in time. */
export interface Collected {
  readonly account: Caip.Account
  /** Null for data that arrived with a confirm of an option without a session. */
  readonly session: PayerSession.PayerSession | null
  readonly sealed: Uint8Array
  /** The second key that reading it needs, sealed and stored separately. */
  readonly key: Uint8Array
  /** Epoch milliseconds. */
  readonly deleteAt: number
}

/**
 * A transfer that a deep reorganisation removed from its block: it was found elsewhere, and its claim moved with it, or
 * it is gone for good.
 */
export interface Moved {
  readonly from: Transfer.Log
  readonly to: Transfer.Log | null
  /** Its claim is free if it is gone, because an operator may record it if it comes back. */
  readonly isFreed?: true
}

/**
 * What a confirm takes of its account's token: of its balance, or of its allowance. The change is written only if that
 * covers it in addition to everything else that these flows will still take. If they will take nothing else, the
 * confirm's own check was enough.
 */
export interface Draw {
  /** What there is to take; null if it was not read, so that nothing else may be in progress. */
  readonly available: Money.Quantity | null
  /** The flows that take from it. */
  readonly flows: ReadonlyArray<PaymentOption.Flow>
  /** Payments in progress for which no more is taken, as the chain showed when `available` was read. */
  readonly taken: ReadonlyArray<PaymentId.PaymentId>
}

export interface Change {
  /** The payment after the change. */
  readonly payment: Payment.Payment
  /** The announced event; absent if nobody else needs to know of the change. */
  readonly event?: Event.PaymentEventType
  /** The refund that the event is about. */
  readonly refundId?: Refund.RefundId
  readonly ledger: ReadonlyArray<Ledger.Transaction>
  readonly claims: ReadonlyArray<Claim.Claim>
  readonly due: Due
  readonly moved?: Moved
  readonly collected?: Collected
  readonly draws?: ReadonlyArray<Draw>
  readonly charges?: Charges
}

/** What a change does besides the payment; without an event, nobody else hears of it. */
export type Effects = Partial<Omit<Change, "payment">>

/** Completes a change: a payment that announces an event gets its next version. */
export const make = (payment: Payment.Payment, now: number, effects: Effects): Change => ({
  ledger: [],
  claims: [],
  due: {},
  ...effects,
  payment: {
    ...payment,
    revision: payment.revision + 1,
    stateVersion: effects.event === undefined ? payment.stateVersion : payment.stateVersion + 1,
    updatedAt: Math.max(now, payment.updatedAt),
  },
})

/** A ledger transaction, and the payment whose history it is part of; null if it is part of none. */
export interface Booking {
  readonly paymentId: PaymentId.PaymentId | null
  readonly transaction: Ledger.Transaction
}

/** A booking, and when it was decided. */
export interface Booked extends Booking {
  readonly bookedAt: number
}

/** The bookings of a write, in its order. */
export const bookedBy = ({ inflows = [], outflows, payments }: Write): ReadonlyArray<Booked> => [
  ...payments.flatMap(({ ledger, payment: { id, updatedAt } }) =>
    ledger.map((transaction) => ({ paymentId: id, transaction, bookedAt: updatedAt })),
  ),
  ...outflows.flatMap(({ ledger, outflow: { updatedAt } }) =>
    ledger.map((booking) => ({ ...booking, bookedAt: updatedAt })),
  ),
  ...inflows.flatMap(({ inflow: { updatedAt }, ledger }) =>
    ledger.map((transaction) => ({ paymentId: null, transaction, bookedAt: updatedAt })),
  ),
]

/** A refund that may leave its merchant with a debt, and the partner whose credit it draws on. */
export interface CreditDraw extends Credit.Draw {
  readonly partnerId: PartnerId.PartnerId
}

export interface OutflowChange {
  /** The outflow after the change. With revision 0, it is created. */
  readonly outflow: Outflow.Outflow
  readonly ledger: ReadonlyArray<Booking>
  readonly claims: ReadonlyArray<Claim.Claim>
  readonly due: OutflowDue
  readonly moved?: Moved
  /** The change is written only if the partner's credit covers it in addition to all other debts of its merchants. */
  readonly credit?: CreditDraw
  /** The change is written only if the limit allows it in addition to everything sent since. */
  readonly limit?: DailyLimit.Draw
}

export interface InflowChange {
  /**
   * The inflow after the change. With revision 0, it is created. If a payment takes it, the claim of its
   * transfer moves to that payment.
   */
  readonly inflow: Inflow.Inflow
  readonly ledger: ReadonlyArray<Ledger.Transaction>
  readonly claims: ReadonlyArray<Claim.Claim>
  readonly moved?: Moved
}

/** Several changes in one: all of them are written, or none. Each record occurs once. */
export interface Write {
  readonly payments: ReadonlyArray<Change>
  readonly outflows: ReadonlyArray<OutflowChange>
  readonly inflows?: ReadonlyArray<InflowChange>
}
