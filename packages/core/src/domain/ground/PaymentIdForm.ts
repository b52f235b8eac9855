/**
 * The form of a payment id, separate from its schema, so that a wallet can read ids without bundling Effect's Schema.
 *
 * @module
 */
import type * as Brand from "effect/Brand"

/** The id of a payment, such as `pay_01JC8QZJ3V7T`. */
export type PaymentId = Brand.Branded<string, "PaymentId">

export const pattern = /^pay_[0-9A-Za-z]{1,64}$/u

/** The error for a text that is not an id. */
export const rule = "a payment id is pay_ and 1 to 64 letters or digits"

export const isPaymentId = (text: string): text is PaymentId => pattern.test(text)
