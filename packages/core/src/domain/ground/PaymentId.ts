/**
 * The id of a payment: `pay_` and up to 64 letters and digits.
 *
 * We issue longer, time-ordered ones; a parser accepts any id of this form, and the lookup decides whether it exists.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Malformed from "./Malformed.ts"
import * as PaymentIdForm from "./PaymentIdForm.ts"

/** The id of a payment, such as `pay_01JC8QZJ3V7T`. */
export type PaymentId = PaymentIdForm.PaymentId
export const PaymentId = Schema.String.check(Schema.isPattern(PaymentIdForm.pattern)).pipe(
  Schema.fromBrand("PaymentId", Brand.nominal<PaymentId>()),
)

/**
 * Reads a payment id; nothing is trimmed or folded.
 *
 * @example
 * PaymentId.parse("pay_01JC8QZJ3V7T") // the id
 * PaymentId.parse("PAY_01JC8QZJ3V7T") // Malformed
 */
export const parse = (text: string): Result.Result<PaymentId, Malformed.Malformed> =>
  PaymentIdForm.isPaymentId(text) ? Result.succeed(text) : Malformed.fail(PaymentIdForm.rule)
