/**
 * The state of the merchant's share of a payment, as its partner sees it: where it is, what it waits for, and how much
 * of it paid off earlier refunds instead of being sent.
 *
 * @module
 */
import * as Obstacle from "../chain/Obstacle.ts"
import type * as Money from "../ground/Money.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import type * as Outflow from "../outflow/Outflow.ts"
import * as Merchant from "../partner/Merchant.ts"
import type * as PayoutPolicy from "../partner/PayoutPolicy.ts"
import * as Entry from "../payment/Entry.ts"
import type * as Payment from "../payment/Payment.ts"
import * as Balance from "./Balance.ts"
import * as Terms from "./Terms.ts"

/** The meaning of each state. */
export const states: { readonly [S in Entry.Status]: string } = {
  waiting: "the share is not in a payout yet",
  processing: "the share is in a payout",
  held: "the payout with the share is held, and the operator has to retry it",
  paid: "the merchant has the money",
  netted: "the whole share paid off earlier refunds, and nothing was left to send",
  cancelled: "the payment was refunded first",
}
export type State = Entry.Status

/** Why a share is not paid yet, other than the obstacles of a payout. */
const steps = {
  policy: "the payout policy pays it out together with others",
  held_back: "the operator delays payouts for some time",
  queued: "its payout was not sent yet",
  sent: "its payout was sent, but is not final on its chain",
} as const

/** The meaning of each reason. */
export const reasons = {
  ...steps,
  ...Obstacle.meanings,
  destination: "its merchant has no destination in effect for the token",
} as const
export type Reason = keyof typeof reasons

export interface SharePayout {
  readonly state: State
  /** Null if it is paid, or if the reason is not known. */
  readonly reason: Reason | null
  /** The payout that carries the share, or that paid the last part of it. */
  readonly outflowId: OutflowId.OutflowId | null
  /** The latest time of its next step if nothing interferes; null if that is not known. */
  readonly dueAt: number | null
  /** How much of the share was deducted so far for refunds of money that the merchant already had. */
  readonly netted: Money.Quantity
}

/** Everything other than the payment that decides about the share. */
export interface Around {
  readonly partner: Merchant.Partner
  /** Set for a share that waits. */
  readonly merchant: Merchant.Merchant | undefined
  readonly payouts: PayoutPolicy.ByMode
  /** Set for a share that an outflow carries. */
  readonly outflow: Outflow.Outflow | undefined
}

type Why = Pick<SharePayout, "dueAt" | "reason" | "state">

const whys = { thaw: "frozen", limits: "held_back", policy: "policy" } as const

/** Why a share with a destination is not in a payout. */
const waiting = (payment: Payment.Payment, around: Around | null, now: number): Why => {
  const { merchant, partner, payouts } = around ?? {}
  if (merchant === undefined || partner === undefined || payouts === undefined) {
    const heldUntil = Balance.heldUntil(payment) ?? now
    return heldUntil > now
      ? { state: "waiting", reason: "held_back", dueAt: heldUntil }
      : { state: "waiting", reason: "policy", dueAt: null }
  }
  const policy = Merchant.payoutsOf(merchant, partner, payouts)
  const { dueAt = null, waitsFor = "policy" } =
    Terms.turnOf(payment, { merchant, partner, policy }, now) ?? {}
  return { state: "waiting", reason: whys[waitsFor], dueAt }
}

const carried = (outflow: Outflow.Outflow | undefined): Why => {
  if (outflow?.state._tag !== "Waiting") {
    return { state: "processing", reason: outflow === undefined ? null : "sent", dueAt: null }
  }
  const { obstacle } = outflow.state
  return {
    state: "processing",
    reason: obstacle?.code ?? "queued",
    dueAt: obstacle?.until ?? null,
  }
}

const why = (
  payment: Payment.Payment,
  { entry }: Extract<Payment.State, { readonly _tag: "Succeeded" }>,
  around: Around | null,
  now: number,
): Why => {
  const state = Entry.status(entry)
  switch (state) {
    case "waiting":
      return entry.destination === null || entry.waitsSince !== undefined
        ? { state, reason: "destination", dueAt: null }
        : waiting(payment, around, now)
    case "processing":
      return carried(around?.outflow)
    case "held":
      return { state, reason: Entry.heldOf(entry)?.code ?? null, dueAt: null }
    default:
      return { state, reason: null, dueAt: null }
  }
}

/**
 * Null for a payment that did not succeed. If the other records are missing, the result contains only what the payment
 * itself shows.
 */
export const of = (
  payment: Payment.Payment,
  around: Around | null,
  now: number,
): SharePayout | null => {
  const { state } = payment
  if (state._tag !== "Succeeded") return null
  return {
    ...why(payment, state, around, now),
    outflowId: Entry.outflowOf(state.entry),
    netted: Entry.netted(state.entry),
  }
}
