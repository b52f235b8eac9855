/**
 * Exchange rates as exact fractions, and the conversion of an asked amount into a token quantity.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import type * as Asset from "./Asset.ts"
import * as Money from "./Money.ts"

/** How many standard units of a token one standard unit of a currency buys: `numerator ÷ denominator`. */
export interface Rate extends Schema.Schema.Type<typeof Rate> {}
export const Rate = Schema.Struct({
  currency: Amount.Currency,
  numerator: Schema.BigInt.check(Schema.isGreaterThanBigInt(0n)),
  denominator: Schema.BigInt.check(Schema.isGreaterThanBigInt(0n)),
  /** When the rate held, in epoch milliseconds. */
  observedAt: Schema.Int,
})

/** A rate too old to price anything with. */
export class StaleRate extends Schema.TaggedError<StaleRate>()("StaleRate", {
  message: Schema.String,
}) {}

/** One to one: a stablecoin against the currency it is pegged to. */
export const peg = (currency: Amount.Currency, observedAt: number): Rate => ({
  currency,
  numerator: 1n,
  denominator: 1n,
  observedAt,
})

/** Refuses a rate that was observed too long ago, or as far in the future: then one of the clocks is wrong. */
export const requireFresh = (
  rate: Rate,
  now: number,
  maxAgeInMs: number,
): Result.Result<Rate, StaleRate> => {
  const ageInMs = now - rate.observedAt
  return Math.abs(ageInMs) <= maxAgeInMs
    ? Result.succeed(rate)
    : Result.fail(
        new StaleRate({
          message: `the ${rate.currency} rate is ${ageInMs} ms old, and ${maxAgeInMs} ms is the most allowed`,
        }),
      )
}

/**
 * Minor units of a currency in the smallest units of a token. Prices round up, so that the merchant never gets less
 * than was asked; fees round half up.
 */
export const convert = (
  minorUnits: bigint,
  rate: Rate,
  asset: Asset.Asset,
  rounding: Money.Rounding,
): Result.Result<Money.Quantity, Money.InvalidQuantity> =>
  Money.mulDiv(
    minorUnits,
    10n ** BigInt(asset.decimals) * rate.numerator,
    10n ** BigInt(Amount.currencies[rate.currency].decimals) * rate.denominator,
    rounding,
  )
