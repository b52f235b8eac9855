/**
 * The payment that a caller of the gateway may access, and what a payer sees of it before paying.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Merchant from "../../domain/partner/Merchant.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import { AccountStore, findMerchant } from "../../ports/AccountStore.ts"
import { NotFound } from "../../ports/StorageError.ts"
import type * as Keys from "../partner/Keys.ts"
import * as Expiry from "./Expiry.ts"

/**
 * The payment of a caller, only in its own mode. A partner's key can access only the partner's payments, and a page
 * only the payment that it shows.
 */
export const paymentFor = (caller: Keys.Caller, id: PaymentId.PaymentId) =>
  Effect.filterOrFail(
    Expiry.read(id),
    (payment) =>
      payment.mode === caller.mode &&
      (caller._tag !== "Partner" || caller.partner.id === payment.partnerId) &&
      (caller._tag !== "Page" || caller.paymentId === payment.id),
    () => NotFound.of("payment"),
  )

/** What a payer sees of a payment before paying it. */
export interface Info {
  readonly payment: Payment.Payment
  readonly merchant: Merchant.Face
  /** The payer: the buyer of the accepted confirm, or else the first account that asked for options. */
  readonly buyer: Payment.Buyer | null
}

export const buyerOf = (caller: Keys.Caller, accountText: string): Payment.Buyer => ({
  accountText,
  providerName: caller._tag === "Wallet" ? caller.name : null,
  providerIconUrl: caller._tag === "Wallet" ? caller.iconUrl : null,
})

export const infoOf = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  asking: Payment.Buyer | null,
) {
  const merchant = Merchant.faceOf(
    yield* findMerchant(yield* AccountStore, payment, payment.merchantId),
  )
  const info: Info = {
    payment,
    merchant,
    buyer: Payment.attemptOf(payment)?.buyer ?? asking,
  }
  return info
})
