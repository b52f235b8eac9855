/**
 * Payouts as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Payout"
import type * as SharePayout from "@florin/core/domain/books/SharePayout"
import * as Family from "@florin/core/domain/chain/Family"
import type * as Money from "@florin/core/domain/ground/Money"
import * as Payout from "@florin/core/domain/list/Payout"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as AmountView from "./AmountView.ts"
import * as TimeView from "./TimeView.ts"

/** Members to spread into the view of a payment. */
export const ofShare = (
  payment: Payment.Payment,
  share: SharePayout.SharePayout | null | undefined,
  known: Family.Known,
): { readonly payout?: Wire.SharePayout } => {
  const attempt = Payment.attemptOf(payment)
  if (share === null || share === undefined || attempt === null) return {}
  return {
    payout: {
      id: share.outflowId,
      state: share.state,
      reason: share.reason,
      dueAt: TimeView.isoOrNull(share.dueAt),
      netted: TokenAmount.json(attempt.option.token, share.netted, known),
    },
  }
}

/** A payout without its shares. */
export const listedPayout = (
  { payout, shareCount }: Payout.Listed,
  display: AmountView.Display,
): Wire.Payout => {
  const { createdAt, id, movement, sentAt, state } = payout
  const account = { chainId: movement.token.chainId, address: movement.to }
  return {
    id,
    state: Outflow.status(payout),
    reason: Outflow.obstacleOf(payout)?.code ?? null,
    amount: AmountView.ofToken(movement, display),
    destination: Family.formatAccount(display.catalog, account),
    txId: state._tag === "Paid" ? state.transfer.txHash : null,
    paymentCount: shareCount,
    createdAt: TimeView.iso(createdAt),
    sentAt: TimeView.isoOrNull(sentAt),
    paidAt: state._tag === "Paid" ? TimeView.iso(state.paidAt) : null,
  }
}

/** What a payout pays. Other outgoing money pays no shares. */
export const shares = (
  outflow: Outflow.Outflow,
  known: Family.Known,
): Pick<Wire.Details, "advance" | "payments"> => {
  if (!Payout.isPayout(outflow)) return { payments: [] }
  const { advance, shares: all } = outflow.purpose
  const amount = (quantity: Money.Quantity) =>
    TokenAmount.json(outflow.movement.token, quantity, known)
  return {
    payments: all.map(({ merchantId, netted, paymentId, quantity }) => ({
      paymentId,
      merchantId,
      amount: amount(quantity),
      netted: amount(netted),
    })),
    ...(advance && {
      advance: { merchantId: advance.merchantId, amount: amount(advance.quantity) },
    }),
  }
}

export const details = (payout: Payout.Payout, display: AmountView.Display): Wire.Details => ({
  ...listedPayout(Payout.toListed(payout), display),
  ...shares(payout, display.catalog),
})
