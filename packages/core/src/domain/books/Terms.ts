/**
 * What may be paid out of a merchant's balance, and when: the operator's freezes, delays and reserves come first, then
 * the payout policy.
 *
 * @module
 */
import * as Money from "../ground/Money.ts"
import * as Merchant from "../partner/Merchant.ts"
import * as PartnerLimits from "../partner/PartnerLimits.ts"
import * as PayoutPolicy from "../partner/PayoutPolicy.ts"
import * as Entry from "../payment/Entry.ts"
import type * as Payment from "../payment/Payment.ts"
import * as Balance from "./Balance.ts"

/** Everything that decides about a share, other than the share. */
export interface Terms {
  readonly partner: Merchant.Partner
  readonly merchant: Merchant.Merchant
  readonly policy: PayoutPolicy.PayoutPolicy
}

/** How much of a share may be paid out now. */
export const payable = (
  { state }: Payment.Payment,
  limits: PartnerLimits.PartnerLimits,
  now: number,
): Money.Quantity => {
  if (state._tag !== "Succeeded") return Money.zero
  const { entry, succeededAt } = state
  const back = PartnerLimits.heldBack(limits, { net: entry.quantity, succeededAt }, now)
  return Money.clamp(Entry.left(entry) - back, entry.quantity)
}

/** If nothing of a share may be paid out now, when more of it may be; else `now`. */
export const payableAt = (
  { state }: Payment.Payment,
  limits: PartnerLimits.PartnerLimits,
  now: number,
): number => {
  if (state._tag !== "Succeeded") return now
  const { entry, succeededAt } = state
  const left = Entry.left(entry)
  const share = { net: entry.quantity, succeededAt, left }
  return left === 0n ? now : PartnerLimits.payableAt(limits, share, now)
}

/** What a share with a destination waits for, and the latest time of its payout. */
export type Turn =
  | { readonly waitsFor: "thaw"; readonly dueAt: null }
  /** Nothing of it may be paid out before `from`. */
  | { readonly waitsFor: "limits"; readonly from: number; readonly dueAt: number }
  | { readonly waitsFor: "policy"; readonly since: number; readonly dueAt: number }

export const turnOf = (
  payment: Payment.Payment,
  { merchant, partner, policy }: Terms,
  now: number,
): Turn | null => {
  const { mode, state } = payment
  if (state._tag !== "Succeeded") return null
  if (partner.frozenAt !== undefined || merchant.frozenAt !== undefined) {
    return { waitsFor: "thaw", dueAt: null }
  }
  const from = payableAt(payment, Merchant.limitsOf(partner, mode), now)
  if (from > now) return { waitsFor: "limits", from, dueAt: PayoutPolicy.dueAt(policy, from) }
  const since = Math.max(state.succeededAt, Math.min(Balance.heldUntil(payment) ?? 0, now))
  return { waitsFor: "policy", since, dueAt: PayoutPolicy.dueAt(policy, since) }
}
