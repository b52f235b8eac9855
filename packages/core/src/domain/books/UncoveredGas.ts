/**
 * The gas of refunds, which only the fee pays for, if there is one and refunds do not return it: the payer gets the whole
 * payment back. A partner that pays itself and refunds itself could burn gas for nothing, so what its refunds cost is
 * charged to a budget of the partner on each chain. While it is used up, nothing more is collected there for the
 * partner at our cost, and no part of a payment is refunded. The rest of a payment is never refused.
 *
 * @module
 */
import type * as Caip from "../chain/Caip.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as GasCost from "../money/GasCost.ts"
import * as FailureBudget from "../payment/FailureBudget.ts"

export interface Spender {
  readonly mode: Mode.Mode
  readonly partnerId: PartnerId.PartnerId
}

export const subject = ({ mode, partnerId }: Spender, chainId: Caip.ChainId): string =>
  `gas ${mode} ${partnerId} ${chainId}`

/** What the gas of a refund is compared with. */
export interface Terms {
  readonly cost: GasCost.GasCost
  readonly limits: FailureBudget.Limits
}

/** `ordinary` is the cost of two transactions. */
const ofTransactions = ({ ordinary }: GasCost.GasCost, count: number): bigint =>
  (ordinary * BigInt(count)) / 2n

/** One refund uses no more than this: a small allowance must not close a partner for years, or exceed what is stored. */
const mostInMs = 3 * FailureBudget.hourInMs

/**
 * The charge for a refund, for which we sent so many transactions, its own included. The whole budget of an hour is
 * `limits.refund` times what the operator allows for one collect; with 0, any refund uses it up.
 */
export const charge = (
  spender: Spender,
  chainId: Caip.ChainId,
  { cost, limits }: Terms,
  transactions: number,
): FailureBudget.Entry => {
  const own = subject(spender, chainId)
  const whole = FailureBudget.costOf(limits, "refund")
  if (limits.refund === 0) return { subject: own, byInMs: whole }
  const unit = cost.allowance > 0n ? cost.allowance : cost.ordinary
  const part = unit === 0n ? 0n : (BigInt(whole) * ofTransactions(cost, transactions)) / unit
  return { subject: own, byInMs: part < mostInMs ? Number(part) : mostInMs }
}

/** The same charge, which requires that the budget is not used up. */
export const requiringLeft = (entry: FailureBudget.Entry): FailureBudget.Entry => ({
  ...entry,
  mostInMs: FailureBudget.hourInMs + entry.byInMs,
})

/** Requires that the budget is not used up, and charges nothing. */
export const requireLeft = (spender: Spender, chainId: Caip.ChainId): FailureBudget.Entry =>
  requiringLeft({ subject: subject(spender, chainId), byInMs: 0 })

export const isSpent = (
  spender: Spender,
  chainId: Caip.ChainId,
  levels: ReadonlyArray<FailureBudget.Level>,
  now: number,
): boolean => {
  const own = subject(spender, chainId)
  const emptyAt = levels.find((each) => each.subject === own)?.emptyAt ?? now
  return FailureBudget.apply(emptyAt, requireLeft(spender, chainId), now) === null
}
