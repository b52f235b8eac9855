/**
 * Prices and exchange rates as exact fractions, and the conversion of a requested amount into a token quantity.
 *
 * @module
 */
import * as Option from "effect/Option"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Asset from "../chain/Asset.ts"
import type * as Malformed from "../ground/Malformed.ts"
import * as Money from "../ground/Money.ts"
import * as Amount from "./Amount.ts"

/** How many standard units of a token one standard unit of a currency buys: `numerator ÷ denominator`. */
export interface Rate extends Schema.Schema.Type<typeof Rate> {}
export const Rate = Schema.Struct({
  currency: Amount.Currency,
  numerator: Schema.BigInt.check(Schema.isGreaterThanBigInt(0n)),
  denominator: Schema.BigInt.check(Schema.isGreaterThanBigInt(0n)),
  /** The time of the rate, in epoch milliseconds. */
  observedAt: Schema.Int,
})

/**
 * Two things of which one is priced in the other: `quote` for one `base`. A currency is named by its ISO code, a token
 * or a coin by its symbol: `EUR` and `USD`, `USDC` and `USD`, `ETH` and `USD`.
 */
export interface Pair {
  readonly base: string
  readonly quote: string
}

/** The code of a currency, or the symbol of a token or a coin. */
export const Ticker = Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9]{1,11}$/u))

/** What one `base` of a pair costs in its `quote`: `numerator ÷ denominator`, both above 0. */
export interface Price {
  readonly numerator: bigint
  readonly denominator: bigint
  /** The time of the price, in epoch milliseconds. */
  readonly observedAt: number
}

/** No two traded things are further apart than this: a source with a higher price is broken or malicious. */
const farthest = 10n ** 12n

/** A price as a source reports it, or nothing if it is not above 0 or not plausible. */
export const price = (
  numerator: bigint,
  denominator: bigint,
  observedAt: number,
): Option.Option<Price> =>
  numerator > 0n &&
  denominator > 0n &&
  numerator <= denominator * farthest &&
  denominator <= numerator * farthest
    ? Option.some({ numerator, denominator, observedAt })
    : Option.none()

/**
 * Reads a price that is written as a decimal number without sign or exponent, exactly.
 *
 * @example
 * Rates.parsePrice("1.0778", observedAt) // 10778 ÷ 10000
 */
export const parsePrice = (text: string, observedAt: number): Option.Option<Price> => {
  const [found, whole = "", fraction = ""] = /^([0-9]{1,18})(?:\.([0-9]{1,18}))?$/u.exec(text) ?? []
  return found === undefined
    ? Option.none()
    : price(BigInt(whole + fraction), 10n ** BigInt(fraction.length), observedAt)
}

/** One pair on the way from one thing to another, and whether its price is inverted there. */
export interface Step<P extends Pair> {
  readonly pair: P
  readonly isInverse: boolean
}

/**
 * The way from one thing to another over pairs, or undefined if there is none. It has as few steps as possible; of two
 * ways with as many, the pairs that come first win. It leads through currencies only: a token is worth its market
 * price, so it never replaces the currency of its peg.
 */
export const route = <P extends Pair>(
  pairs: ReadonlyArray<P>,
  from: string,
  to: string,
): ReadonlyArray<Step<P>> | undefined => {
  // The loop also visits entries added meanwhile, so that the nearest come first.
  const reached = new Map<string, ReadonlyArray<Step<P>>>([[from, []]])
  for (const [ticker, steps] of reached) {
    if (ticker === to) return steps
    if (ticker !== from && !Amount.isCurrency(ticker)) continue
    for (const pair of pairs) {
      const isInverse = pair.quote === ticker
      if (!isInverse && pair.base !== ticker) continue
      const next = isInverse ? pair.base : pair.quote
      if (!reached.has(next)) reached.set(next, [...steps, { pair, isInverse }])
    }
  }
  return undefined
}

/**
 * The price over the whole way: exact, and as old as the oldest price on it. Without any step it is one to one, now.
 */
export const along = (
  steps: ReadonlyArray<{ readonly price: Price; readonly isInverse: boolean }>,
  now: number,
): Price => ({
  numerator: steps.reduce(
    (all, { isInverse, price: each }) => all * (isInverse ? each.denominator : each.numerator),
    1n,
  ),
  denominator: steps.reduce(
    (all, { isInverse, price: each }) => all * (isInverse ? each.numerator : each.denominator),
    1n,
  ),
  observedAt: steps.reduce((oldest, { price: each }) => Math.min(oldest, each.observedAt), now),
})

/** Whether a price differs from a reference by more than this many basis points of it. */
export const isFar = (
  { denominator, numerator }: Omit<Price, "observedAt">,
  reference: Omit<Price, "observedAt">,
  basisPoints: number,
): boolean => {
  const expected = reference.numerator * denominator
  const difference = numerator * reference.denominator - expected
  return (difference < 0n ? -difference : difference) * 10_000n > expected * BigInt(basisPoints)
}

/**
 * Whether an observation is not older than this, nor this far in the future, which would mean that one of the clocks is
 * wrong.
 */
export const isFresh = (
  { observedAt }: Pick<Price, "observedAt">,
  now: number,
  maxAgeInMs: number,
): boolean => Math.abs(now - observedAt) <= maxAgeInMs

/** The tokens in which payments can be paid, and the rates that a service has. */
export interface Means {
  /** The tokens of the networks that have a node. */
  readonly assets: ReadonlyArray<Asset.Asset>
  /** Whether a token could ever be priced in a currency. */
  readonly couldPrice: (currency: Amount.Currency, asset: Asset.Asset) => boolean
}

/**
 * The rate of a currency in a token that only has a rate in another currency: converted through a token that has both.
 * Exact, and as old as the oldest.
 */
export const crossRate = (rates: {
  /** What the currency buys of the token that has both. */
  readonly from: Rate
  /** What the other currency buys of it. */
  readonly to: Rate
  /** What the other currency buys of the paid token. */
  readonly paid: Rate
}): Rate => ({
  currency: rates.from.currency,
  numerator: rates.from.numerator * rates.to.denominator * rates.paid.numerator,
  denominator: rates.from.denominator * rates.to.numerator * rates.paid.denominator,
  observedAt: Math.min(rates.from.observedAt, rates.to.observedAt, rates.paid.observedAt),
})

/** One to one: a stablecoin in the currency of its peg. */
export const peg = (currency: Amount.Currency, observedAt: number): Rate => ({
  currency,
  numerator: 1n,
  denominator: 1n,
  observedAt,
})

/**
 * Converts minor units of a currency to the smallest units of a token. Prices round up, so that the merchant never gets
 * less than requested; fees round half up.
 */
export const convert = (
  minorUnits: bigint,
  rate: Rate,
  asset: Asset.Asset,
  rounding: Money.Rounding,
): Result.Result<Money.Quantity, Malformed.Malformed> =>
  Money.mulDiv(
    minorUnits,
    10n ** BigInt(asset.decimals) * rate.numerator,
    10n ** BigInt(Amount.currencies[rate.currency].decimals) * rate.denominator,
    rounding,
  )
