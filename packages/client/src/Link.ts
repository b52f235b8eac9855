/**
 * Reads payment links for a wallet.
 *
 * @module
 */
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import * as Result from "effect/Result"

/** What a text means to a wallet. `InvalidLink` claims to be a payment link, but must not be used. */
export type Link = PaymentLink.PaymentLink | PaymentLink.InvalidLink

/**
 * Classifies a scanned or pasted text. Call this first, before you treat the text as a URL or a pairing: only the host
 * that you trust, and its subdomains, can name a payment. Never throws.
 *
 * @example
 * const link = parsePaymentLink(scanned, { payLinkHost: "pay.florin.example" })
 * if (link._tag === "PaymentLink") await pay(link.paymentId, options)
 */
export const parsePaymentLink = (text: string, trust: PaymentLink.Trust): Link =>
  Result.merge(PaymentLink.parse(text.trim(), trust))
