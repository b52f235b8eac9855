/**
 * Quantities: whole numbers of an asset's smallest unit, and the only arithmetic allowed on them.
 *
 * A `Quantity` is at least 0 and below 2^256. Every operation is exact or names its rounding; none wraps, and none
 * passes through a floating-point number.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"
import * as Malformed from "./Malformed.ts"

export type Quantity = Brand.Branded<bigint, "Quantity">

const branded = Brand.nominal<Quantity>()

export const Quantity = Schema.BigInt.check(
  Schema.isBetweenBigInt({ minimum: 0n, maximum: Limits.maxQuantity }),
).pipe(Schema.fromBrand("Quantity", branded))

/** How a division with a remainder is rounded. */
export type Rounding = "up" | "down" | "halfUp"

const digits = /^(?:0|[1-9][0-9]{0,77})$/u

const outOfRange = (what: string) => Malformed.fail(`${what} is outside 0 … 2^256 − 1`)

export const zero: Quantity = branded(0n)
export const largest: Quantity = branded(Limits.maxQuantity)

export const fromBigInt = (value: bigint): Result.Result<Quantity, Malformed.Malformed> =>
  value >= 0n && value <= Limits.maxQuantity
    ? Result.succeed(branded(value))
    : outOfRange("the amount")

/**
 * Reads plain decimal digits: no sign, no leading zero, no exponent, no space.
 *
 * @example
 * Money.parse("1000000") // Result.succeed(1000000n)
 * Money.parse("01")      // Malformed
 */
export const parse = (text: string): Result.Result<Quantity, Malformed.Malformed> =>
  digits.test(text)
    ? fromBigInt(BigInt(text))
    : Malformed.fail(
        `an amount is 1 to ${Limits.maxQuantityDigits} decimal digits without sign, leading zero or exponent`,
      )

export const format = (quantity: Quantity): string => quantity.toString()

export const min = (left: Quantity, right: Quantity): Quantity => (left < right ? left : right)

/** `dividend ÷ divisor` in whole numbers, for a dividend of at least 0 and a divisor above 0. */
export const divide = (dividend: bigint, divisor: bigint, rounding: Rounding): bigint => {
  switch (rounding) {
    case "down":
      return dividend / divisor
    case "up":
      return (dividend + divisor - 1n) / divisor
    case "halfUp":
      return (2n * dividend + divisor) / (2n * divisor)
  }
}

/** `quantity × numerator ÷ denominator`, rounded once, at the end. */
export const mulDiv = (
  quantity: bigint,
  numerator: bigint,
  denominator: bigint,
  rounding: Rounding,
): Result.Result<Quantity, Malformed.Malformed> =>
  quantity < 0n || numerator < 0n || denominator <= 0n
    ? outOfRange("a factor")
    : fromBigInt(divide(quantity * numerator, denominator, rounding))

/** The quantity nearest to `value` between 0 and `limit`. */
export const clamp = (value: bigint, limit: Quantity): Quantity =>
  value <= 0n ? zero : value < limit ? branded(value) : limit

/**
 * Prints a quantity in standard units, exactly; zeros at the end go, down to the decimals that are `kept`.
 *
 * @example
 * Money.toDecimal(1_250_000n, 6) // "1.25"
 * Money.toDecimal(1250n, 2, 2)   // "12.50"
 */
export const toDecimal = (quantity: Quantity, decimals: number, kept = 0): string => {
  const padded = quantity.toString().padStart(decimals + 1, "0")
  const whole = padded.slice(0, padded.length - decimals)
  const fraction = padded
    .slice(padded.length - decimals)
    .replace(/0+$/u, "")
    .padEnd(kept, "0")
  return fraction === "" ? whole : `${whole}.${fraction}`
}
