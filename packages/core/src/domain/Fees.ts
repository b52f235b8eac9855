/**
 * What the service keeps of a payment: a fixed part in a fiat currency and a percentage, on terms fixed when the
 * payment was created. Both parts are counted in the paid token's smallest unit, each rounded half up once.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import type * as Asset from "./Asset.ts"
import * as Money from "./Money.ts"
import * as Rates from "./Rates.ts"

const percentDecimals = 6
const onePercent = 10 ** percentDecimals

/** A share in millionths of a percent: 400,000 is 0.4 %. */
export type Percentage = Brand.Branded<number, "Percentage">
const percentage = Brand.nominal<Percentage>()
export const Percentage = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 100 * onePercent }),
).pipe(Schema.fromBrand("Percentage", percentage))

/** What a merchant was promised to pay for a payment. */
export interface FeeTerms extends Schema.Schema.Type<typeof FeeTerms> {}
export const FeeTerms = Schema.Struct({
  /** Minor units of the currency, per payment. */
  fixed: Schema.Struct({ currency: Amount.Currency, quantity: Money.Quantity }),
  percentage: Percentage,
})

/** The member of fee terms that was wrong. */
export class InvalidFees extends Schema.TaggedError<InvalidFees>()("InvalidFees", {
  field: Schema.Literals(["fixed", "percentage"]),
  message: Schema.String,
}) {}

/** What one payment costs. `total + net` is what was paid, to the unit. */
export interface Charge extends Schema.Schema.Type<typeof Charge> {}
export const Charge = Schema.Struct({
  total: Money.Quantity,
  /** The part of `total` that the fixed terms took: less than asked where the payment was too small. */
  fixed: Money.Quantity,
  net: Money.Quantity,
})

/** No fees at all. */
export const none: FeeTerms = {
  fixed: { currency: "USD", quantity: Money.zero },
  percentage: percentage(0),
}

const percentPattern = /^(0|[1-9][0-9]{0,2})(?:\.([0-9]{1,6}))?$/u

/**
 * Reads a percentage from 0 to 100 with at most 6 decimals: no sign, no leading zero, no exponent, no space.
 *
 * @example
 * Fees.parsePercentage("0.4") // Result.succeed(400_000): 0.4 %
 * Fees.parsePercentage(".4")  // Result.fail(InvalidFees)
 */
export const parsePercentage = (text: string): Result.Result<Percentage, InvalidFees> => {
  const [, whole, fraction = ""] = percentPattern.exec(text) ?? []
  const millionths = Number(whole) * onePercent + Number(fraction.padEnd(percentDecimals, "0"))
  // Text that does not match leaves NaN, which compares false.
  return millionths <= 100 * onePercent
    ? Result.succeed(percentage(millionths))
    : Result.fail(
        new InvalidFees({
          field: "percentage",
          message: "a percentage is a decimal number from 0 to 100 with at most 6 decimals",
        }),
      )
}

/** Prints a percentage without trailing zeros: `0.4`. */
export const formatPercentage = (value: Percentage): string => {
  const whole = Math.floor(value / onePercent)
  const fraction = (value % onePercent)
    .toString()
    .padStart(percentDecimals, "0")
    .replace(/0+$/u, "")
  return fraction === "" ? `${whole}` : `${whole}.${fraction}`
}

/** The fixed part of the terms in the asset's smallest unit. Terms without one need no rate of their currency. */
export const fixedIn = (
  terms: FeeTerms,
  rate: Rates.Rate,
  asset: Asset.Asset,
): Result.Result<Money.Quantity, InvalidFees | Money.InvalidQuantity> => {
  if (terms.fixed.quantity === 0n) return Result.succeed(Money.zero)
  return rate.currency === terms.fixed.currency
    ? Rates.convert(terms.fixed.quantity, rate, asset, "halfUp")
    : Result.fail(
        new InvalidFees({
          field: "fixed",
          message: `the fixed fee is in ${terms.fixed.currency}, but the rate is of ${rate.currency}: pass the rate of the fee's currency`,
        }),
      )
}

/**
 * Splits what was paid into fees and net. The fixed part is taken first, and fees never exceed what was paid.
 *
 * @example
 * // 10 USDC at 0.10 USD + 1 %
 * Fees.charge({ paid, fixed, percentage }) // { total: 200_000n, fixed: 100_000n, net: 9_800_000n }
 */
export const charge = (input: {
  readonly paid: Money.Quantity
  /** The fixed part in the paid token's smallest unit, as {@link fixedIn} counts it. */
  readonly fixed: Money.Quantity
  readonly percentage: Percentage
}): Charge => {
  const share = Money.divide(
    input.paid * BigInt(input.percentage),
    BigInt(100 * onePercent),
    "halfUp",
  )
  const total = Money.clamp(input.fixed + share, input.paid)
  return {
    total,
    fixed: Money.min(input.fixed, input.paid),
    net: Money.clamp(input.paid - total, input.paid),
  }
}
