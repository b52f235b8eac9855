/**
 * One decision's whole effect on a payment. An adapter writes all of it in one transaction, or none of it.
 *
 * @module
 */
import type * as Caip from "./Caip.ts"
import type * as Claim from "./Claim.ts"
import type * as Event from "./Event.ts"
import type * as Ledger from "./Ledger.ts"
import type * as Payment from "./Payment.ts"
import type * as Transfer from "./Transfer.ts"

/**
 * Work that a payment may need later. Each kind has its own time, lease and fence on the payment.
 *
 * `expire`: its time runs out. `collect`: bring the payer's money in. `settle`: pay the merchant out. `refund`: pay the
 * payer back. `watch`: look for money that came too late.
 */
export const workKinds = ["expire", "collect", "settle", "refund", "watch"] as const
export type WorkKind = (typeof workKinds)[number]

/** When work is due, in epoch milliseconds; null when there is none. Kinds that are left out stay as they are. */
export type Due = { readonly [K in WorkKind]?: number | null }

/** What a payer told about themselves for a payment and account: sealed by the vault, and deleted in time. */
export interface Collected {
  readonly account: Caip.Account
  readonly sealed: Uint8Array
  /** Epoch milliseconds. */
  readonly deleteAt: number
}

export interface Change {
  /** The payment as it becomes. */
  readonly payment: Payment.Payment
  /** What is announced; absent where the change is nobody else's business. */
  readonly event?: Event.EventType
  readonly ledger: ReadonlyArray<Ledger.Transaction>
  readonly claims: ReadonlyArray<Claim.Claim>
  readonly due: Due
  /** A transaction that this change commits to, to be kept in its lane. */
  readonly relayed?: Transfer.Relayed
  readonly collected?: Collected
}

export interface Effects {
  readonly event?: Event.EventType
  readonly ledger?: ReadonlyArray<Ledger.Transaction>
  readonly claims?: ReadonlyArray<Claim.Claim>
  readonly due?: Due
  readonly relayed?: Transfer.Relayed
  readonly collected?: Collected
}

/** Completes a change: a payment that announces something becomes the next version of itself. */
export const make = (payment: Payment.Payment, now: number, effects: Effects): Change => ({
  payment: {
    ...payment,
    revision: payment.revision + 1,
    stateVersion: effects.event === undefined ? payment.stateVersion : payment.stateVersion + 1,
    updatedAt: Math.max(now, payment.updatedAt),
  },
  ledger: effects.ledger ?? [],
  claims: effects.claims ?? [],
  due: effects.due ?? {},
  ...(effects.event !== undefined && { event: effects.event }),
  ...(effects.relayed !== undefined && { relayed: effects.relayed }),
  ...(effects.collected !== undefined && { collected: effects.collected }),
})
