/**
 * The id of a payment: `pay_` and up to 64 letters and digits.
 *
 * We issue longer, time-ordered ones; a parser takes any of this form, and the lookup says what does not exist.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The id of a payment, such as `pay_01JC8QZJ3V7T`. */
export type PaymentId = Brand.Branded<string, "PaymentId">
const paymentId = Brand.nominal<PaymentId>()
const pattern = /^pay_[0-9A-Za-z]{1,64}$/u
export const PaymentId = Schema.String.check(Schema.isPattern(pattern)).pipe(
  Schema.fromBrand("PaymentId", paymentId),
)

/** A text that is not a payment id. */
export class InvalidPaymentId extends Schema.TaggedError<InvalidPaymentId>()("InvalidPaymentId", {
  message: Schema.String,
}) {}

/**
 * Reads a payment id; nothing is trimmed or folded.
 *
 * @example
 * PaymentId.parse("pay_01JC8QZJ3V7T") // the id
 * PaymentId.parse("PAY_01JC8QZJ3V7T") // InvalidPaymentId
 */
export const parse = (text: string): Result.Result<PaymentId, InvalidPaymentId> =>
  pattern.test(text)
    ? Result.succeed(paymentId(text))
    : Result.fail(
        new InvalidPaymentId({ message: "a payment id is pay_ and 1 to 64 letters or digits" }),
      )
