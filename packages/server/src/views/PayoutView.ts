/**
 * Payouts as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Payout"
import * as Amount from "@florin/core/domain/Amount"
import type * as Family from "@florin/core/domain/Family"
import * as Payment from "@florin/core/domain/Payment"
import type * as SharePayout from "@florin/core/domain/SharePayout"
import * as TimeView from "./TimeView.ts"

/** Spread into what shows the payment. */
export const ofShare = (
  payment: Payment.Payment,
  share: SharePayout.SharePayout | null | undefined,
  known: Family.Known,
): { readonly payout?: Wire.SharePayout } => {
  const attempt = Payment.attemptOf(payment)
  if (share === null || share === undefined || attempt === null) return {}
  const unit = Amount.token(attempt.option.token)
  return {
    payout: {
      id: share.outflowId,
      state: share.state,
      reason: share.reason,
      dueAt: share.dueAt === null ? null : TimeView.iso(share.dueAt),
      netted: Amount.format({ unit, quantity: share.netted }, known),
    },
  }
}
