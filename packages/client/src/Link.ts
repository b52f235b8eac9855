/**
 * Payment links, as a wallet reads them.
 *
 * @module
 */
import * as PaymentLink from "@florin/core/domain/PaymentLink"
import * as Result from "effect/Result"

/** What a text is to a wallet; `InvalidLink` claims to be a payment link and must not be used. */
export type Link = PaymentLink.PaymentLink | PaymentLink.InvalidLink

/**
 * Says what a scanned or pasted text is. Ask this first, before you take the text for a URL or a pairing: only the
 * host that you trust, and its subdomains, can name a payment. Never throws.
 *
 * @example
 * const link = parsePaymentLink(scanned, { payLinkHost: "pay.florin.example" })
 * if (link._tag === "PaymentLink") await pay(link.paymentId, options)
 */
export const parsePaymentLink = (text: string, trust: PaymentLink.Trust): Link =>
  Result.merge(PaymentLink.parse(text.trim(), trust))
