/**
 * A payment as a row: what lists search, sort and count is a column, and all of it is the document.
 *
 * @module
 */
import * as Payment from "@florin/core/domain/Payment"
import * as PaymentFilter from "@florin/core/domain/PaymentFilter"
import * as PaymentSort from "@florin/core/domain/PaymentSort"
import * as Document from "./Document.ts"

/** What a payment's columns hold beside its own members. */
export interface Columns {
  /** As stored: whether an open payment is expired depends on when it is asked. */
  readonly status: ReturnType<typeof Payment.status>
  /** In ASCII lower case, as lists look for it. */
  readonly reference: string
  /** Of the unit that it is asked in: `PaymentSort.groupOf`. */
  readonly amountGroup: string
  readonly amount: bigint
  /** Of the token that it was paid in or is asked in: `PaymentFilter.tokenOf`. */
  readonly chainId: number | null
  readonly token: string | null
  /** The address that paid, which stats count customers by. */
  readonly payer: string | null
  readonly refundId: string | null
  readonly isStuck: boolean
}

export const columnsOf = (payment: Payment.Payment): Columns => {
  const token = PaymentFilter.tokenOf(payment)
  return {
    status: Payment.status(payment, Number.NEGATIVE_INFINITY),
    reference: PaymentFilter.foldAscii(payment.referenceId),
    amountGroup: PaymentSort.groupOf(payment.amount.unit),
    amount: payment.amount.quantity,
    chainId: token?.chainId ?? null,
    token: token?.address ?? null,
    payer: Payment.attemptOf(payment)?.option.account.address ?? null,
    refundId: Payment.refundOf(payment)?.id ?? null,
    isStuck: Payment.isStuck(payment),
  }
}

export const document = Document.of(Payment.Payment)
