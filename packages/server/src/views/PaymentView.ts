/**
 * Payments as the wire shows them, to payers and to partners.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Wire from "@florin/api/wire/Payment"
import type * as WireRefund from "@florin/api/wire/Refund"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Family from "@florin/core/domain/chain/Family"
import * as PaymentStats from "@florin/core/domain/list/PaymentStats"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import * as Refund from "@florin/core/domain/payment/Refund"
import type * as SharePayouts from "@florin/core/engine/books/SharePayouts"
import type * as PayersPayment from "@florin/core/engine/payment/PayersPayment"
import type * as Payments from "@florin/core/engine/payment/Payments"
import * as AmountView from "./AmountView.ts"
import * as HeldView from "./HeldView.ts"
import * as PayoutView from "./PayoutView.ts"
import * as TimeView from "./TimeView.ts"

type Display = AmountView.Display

const buyer = (
  { accountText, providerIconUrl, providerName }: Payment.Buyer,
  display: Display,
): Wire.Buyer => ({
  accountCaip10: accountText,
  // The interface has no null here: an empty text means that there is no name.
  accountProviderName: providerName ?? "",
  accountProviderIcon: providerIconUrl ?? AmountView.iconUrl(display, "wallet"),
})

const icon = (iconUrl: string | null) => (iconUrl === null ? {} : { iconUrl })

/** What the merchant says about the payment. */
const words = ({ amount, description, lineItems }: Payment.Payment, display: Display) => ({
  ...(description !== undefined && { description }),
  ...(lineItems !== undefined && {
    lineItems: lineItems.map(({ name, quantity, total }) => ({
      name,
      quantity,
      ...(total !== undefined && {
        amount: AmountView.of({ unit: amount.unit, quantity: total }, display),
      }),
    })),
  }),
})

const face = ({ brandColor, iconUrl, name, supportEmail, supportUrl }: Merchant.Face) => ({
  name,
  ...icon(iconUrl),
  ...(brandColor !== undefined && { brandColor }),
  ...(supportEmail !== undefined && { supportEmail }),
  ...(supportUrl !== undefined && { supportUrl }),
})

const poll = (pollInMs: number | null) => (pollInMs === null ? {} : { pollInMs })

export const info = (shown: PayersPayment.Info, display: Display): Wire.Info => ({
  amount: AmountView.of(shown.payment.amount, display),
  buyer: shown.buyer && buyer(shown.buyer, display),
  expiresAt: shown.payment.expiresAt,
  merchant: face(shown.merchant),
  ...words(shown.payment, display),
  status: Payment.stored(shown.payment),
})

const paid = (report: Payment.Report, display: Display): Wire.ConfirmResponse["info"] =>
  report.info && {
    optionAmount: AmountView.of(report.info.optionAmount, display),
    txId: report.info.txId,
  }

export const confirmResponse = (
  payment: Payment.Payment,
  now: number,
  display: Display,
): Wire.ConfirmResponse => {
  const report = Payment.report(payment, now)
  const { isFinal, pollInMs, status } = report
  return { status, isFinal, ...poll(pollInMs), info: paid(report, display) }
}

export const status = (
  payment: Payment.Payment,
  now: number,
  display: Display,
): Wire.StatusResponse => {
  const report = Payment.report(payment, now)
  const { failureCode, isFinal, pollInMs } = report
  return {
    status: report.status,
    isFinal,
    ...poll(pollInMs),
    ...(report.status === "failed" && { failureCode }),
    info: paid(report, display),
  }
}

/**
 * A payment that was created by this call, or by an earlier call with the same key, in the state it had when it was
 * created.
 */
export const createResponse = (
  payment: Payment.Payment,
  display: Display,
  service: PaymentLink.Trust,
): Wire.Created => {
  const { isFinal, pollInMs, status: current } = Payment.report(payment, payment.createdAt)
  return {
    paymentId: payment.id,
    status: current,
    expiresAt: payment.expiresAt,
    isFinal,
    ...poll(pollInMs),
    gatewayUrl: PaymentLink.format(service, payment.id),
    metadata: payment.metadata,
    ...words(payment, display),
  }
}

/** Null for a payment that is not cancelled. */
export const cancelResponse = (payment: Payment.Payment): Wire.Cancelled | null =>
  payment.state._tag === "Cancelled"
    ? {
        paymentId: payment.id,
        status: "cancelled",
        cancelledReason: payment.state.reason,
        cancelledAt: TimeView.iso(payment.state.cancelledAt),
      }
    : null

const pendingReasons: {
  readonly [L in Refund.Lack]: (typeof WireRefund.pendingReasons)[number]
} = { credit: "insufficient_credit", float: "insufficient_funds", limit: "daily_limit" }

export const refund = (
  payment: Payment.Payment,
  asked: Refund.Refund,
  display: Display,
): WireRefund.Refund => {
  const lack = Refund.lack(asked)
  const until = Refund.limitedUntil(asked)
  return {
    paymentId: payment.id,
    refundId: asked.id,
    status: Refund.status(asked),
    amount: AmountView.of(Refund.amount(asked), display),
    ...(Refunding.isPart(payment, asked) && {
      requested: Amount.format(
        { unit: payment.amount.unit, quantity: asked.value },
        display.catalog,
      ),
    }),
    ...(asked.reason !== undefined && { reason: asked.reason }),
    ...(Refunding.isElsewhere(payment, asked) && {
      destination: Family.formatAccount(display.catalog, asked.to),
    }),
    ...(asked.state._tag === "Succeeded" && { txId: asked.state.txHash }),
    ...(lack !== null && { pendingReason: pendingReasons[lack] }),
    ...(until !== null && { pendingUntil: TimeView.iso(until) }),
    ...HeldView.refund(asked),
  }
}

/** The refunds of a payment as its payer sees them: without the reason, which is for the merchant alone. */
export const payersRefunds = (
  payment: Payment.Payment,
  display: Display,
): HostedPage.Checkout["refunds"] => {
  const refunds = Payment.refunds(payment)
  if (refunds.length === 0) return null
  return {
    of: Refunding.left(payment).quantity === 0n ? "whole" : "part",
    each: refunds.map((each) => ({
      amount: AmountView.of(Refund.amount(each), display),
      to: Family.formatAccount(display.catalog, each.to),
      txId: each.state._tag === "Succeeded" ? each.state.txHash : null,
    })),
  }
}

const refundedSum = (payment: Payment.Payment, display: Display): Pick<Wire.Item, "refunded"> => {
  const refunded = Payment.refunded(payment)
  return refunded === null ? {} : { refunded: AmountView.of(refunded, display) }
}

const merchantOf = ({ iconUrl, id, name }: Payments.Item["merchant"]) => ({
  id,
  name,
  ...icon(iconUrl),
})

export const details = (
  { merchant, payment }: Payments.Item,
  payouts: SharePayouts.SharePayouts,
  now: number,
  display: Display,
  service: PaymentLink.Trust,
): Wire.Details => {
  const settled = Payment.payoutOf(payment)
  const refunded = Payment.refundOf(payment)
  const attempt = Payment.attemptOf(payment)
  const { cancelledAt, cancelledReason } = cancelResponse(payment) ?? {}
  return {
    paymentId: payment.id,
    referenceId: payment.referenceId,
    metadata: payment.metadata,
    ...words(payment, display),
    ...status(payment, now, display),
    settlement: settled && {
      successful: { txId: settled.txId, amount: Amount.format(settled.amount, display.catalog) },
    },
    ...HeldView.settlement(payment),
    ...PayoutView.ofShare(payment, payouts.get(payment.id), display.catalog),
    ...(refunded && {
      refund: refund(payment, refunded, display),
      refunds: Payment.refunds(payment).map((each) => refund(payment, each, display)),
    }),
    ...refundedSum(payment, display),
    merchant: merchantOf(merchant),
    amount: AmountView.of(payment.amount, display),
    buyer: attempt && buyer(attempt.buyer, display),
    gatewayUrl: PaymentLink.format(service, payment.id),
    expiresAt: payment.expiresAt,
    createdAt: TimeView.iso(payment.createdAt),
    ...(cancelledReason !== undefined && { cancelledReason }),
    ...(cancelledAt !== undefined && { cancelledAt }),
  }
}

/** The amount that a payment asks for, and the amount that was chosen to pay it with. */
const amounts = (payment: Payment.Payment, display: Display): Partial<Wire.Item> => {
  const chosen = Payment.attemptOf(payment)?.option
  const tokenAmount = chosen && AmountView.ofToken(chosen, display)
  const { amount } = payment
  return amount.unit._tag === "Fiat"
    ? {
        fiatAmount: AmountView.of(amount, display),
        ...(tokenAmount && { tokenAmount }),
      }
    : { tokenAmount: tokenAmount ?? AmountView.of(amount, display) }
}

const transaction = ({ state }: Payment.Payment): Partial<Wire.Item> =>
  state._tag === "Succeeded"
    ? {
        transaction: {
          networkId: Caip.referenceOf(state.transfer.movement.token.chainId),
          hash: state.transfer.txHash,
          nonce: state.transfer.txNonce,
        },
      }
    : {}

const fees = (payment: Payment.Payment, display: Display): Partial<Wire.Item> => {
  const { feeTerms, state } = payment
  if (state._tag !== "Succeeded") return {}
  const { token } = state.attempt.option
  return {
    fees: {
      total: AmountView.ofToken({ token, quantity: state.charge.total }, display),
      fixed: AmountView.ofToken({ token, quantity: state.charge.fixed }, display),
      percentage: Fees.formatPercentage(feeTerms.percentage),
    },
  }
}

const item = (
  { merchant, payment }: Payments.Item,
  payouts: SharePayouts.SharePayouts,
  now: number,
  display: Display,
): Wire.Item => {
  const report = Payment.report(payment, now)
  const settled = Payment.payoutOf(payment)
  const attempt = Payment.attemptOf(payment)
  const refunded = Payment.refundOf(payment)
  return {
    paymentId: payment.id,
    merchant: merchantOf(merchant),
    referenceId: payment.referenceId,
    metadata: payment.metadata,
    status: report.status,
    isTerminal: report.isFinal,
    ...amounts(payment, display),
    ...(attempt && { buyer: buyer(attempt.buyer, display) }),
    ...transaction(payment),
    settlement:
      settled === null
        ? { settled: false }
        : { settled: true, amount: AmountView.of(settled.amount, display), txHash: settled.txId },
    ...PayoutView.ofShare(payment, payouts.get(payment.id), display.catalog),
    ...(refunded && { refund: refund(payment, refunded, display) }),
    ...refundedSum(payment, display),
    ...fees(payment, display),
    createdAt: TimeView.iso(payment.createdAt),
    lastUpdatedAt: TimeView.iso(payment.updatedAt),
    ...(settled && { settledAt: TimeView.iso(settled.settledAt) }),
  }
}

export const page = (
  listed: {
    readonly items: ReadonlyArray<Payments.Item>
    readonly nextCursor: string | null
    readonly stats: PaymentStats.Stats
  },
  payouts: SharePayouts.SharePayouts,
  now: number,
  display: Display,
): Wire.Page => {
  const revenues = PaymentStats.byCurrency(listed.stats, display.catalog)
  const sums = (quantityOf: (revenue: PaymentStats.NamedRevenue) => bigint) =>
    revenues.map((revenue) => ({
      amount: PaymentStats.revenueNumber({ ...revenue, quantity: quantityOf(revenue) }),
      currency: revenue.currency,
    }))
  return {
    data: listed.items.map((each) => item(each, payouts, now, display)),
    nextCursor: listed.nextCursor,
    stats: {
      totalRevenue: sums(({ quantity }) => quantity),
      totalRefunded: sums(({ refunded }) => refunded),
      netRevenue: sums(({ quantity, refunded }) => quantity - refunded),
      totalTransactions: listed.stats.transactions,
      totalCustomers: listed.stats.customers,
    },
  }
}
