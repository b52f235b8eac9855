/**
 * How much of a token, or of a chain's coin, one standard unit of a currency buys.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Asset from "../domain/chain/Asset.ts"
import type * as Amount from "../domain/money/Amount.ts"
import * as Rates from "../domain/money/Rates.ts"

/** There is no rate, or none fresh enough. The option is left out: a rate is never guessed. */
export class RateUnavailable extends Schema.TaggedError<RateUnavailable>()("RateUnavailable", {
  message: Schema.String,
}) {}

/** One row of a fixed table: `numerator ÷ denominator` tokens for one unit of the currency. */
export interface FixedRate {
  readonly currency: Amount.Currency
  readonly symbol: string
  readonly numerator: bigint
  readonly denominator: bigint
  /** When the rate was set, in epoch milliseconds. Defaults to the time when the table was built. */
  readonly observedAt?: number
}

/**
 * Caches every refusal of a layer: options request a rate for every asset, and most of them are refused in the same
 * way.
 */
const refusals = new Map<string, Effect.Effect<never, RateUnavailable>>()

const refuse = (message: string) => {
  const refusal = refusals.get(message) ?? Effect.fail(new RateUnavailable({ message }))
  refusals.set(message, refusal)
  return refusal
}

const noCoin = () => refuse("this source knows no price of a coin")

/**
 * The rate port.
 *
 * It is called often and responds from memory. An adapter that fetches rates does so in the background, and lets rates
 * go stale rather than wait. It fails only with `RateUnavailable`. A rate is an exact fraction in the requested
 * currency. `observedAt` is the time at which the rate was valid at its source, never the time of the request. Only par
 * has no time of its own: it is valid now.
 */
export class RateSource extends Context.Service<
  RateSource,
  {
    /** How many standard units of a token one standard unit of a currency buys now. */
    readonly rate: (
      currency: Amount.Currency,
      asset: Asset.Asset,
    ) => Effect.Effect<Rates.Rate, RateUnavailable>
    /**
     * Whether the source, as it is configured, could ever give that rate. If it is false, `rate` always fails: a
     * payment that accepts only such rates can never be paid. If it is true, `rate` may still fail, as long as no rate
     * is fetched, fresh or agreed on. A temporary outage never makes it false.
     */
    readonly couldPrice: (currency: Amount.Currency, asset: Asset.Asset) => boolean
    /**
     * How many whole coins of a chain one standard unit of a currency buys now. The coin is named by its symbol, such
     * as `ETH`, `POL` or `BNB`. The rate bounds what is spent on gas, and never prices a payment.
     */
    readonly coinRate: (
      currency: Amount.Currency,
      coin: string,
    ) => Effect.Effect<Rates.Rate, RateUnavailable>
  }
>()("@florin/core/ports/RateSource") {
  /** Only stablecoins, at par with the currency they are pegged to. */
  static readonly layerPegs = Layer.succeed(RateSource, {
    rate: (currency, asset) =>
      asset.peg === currency
        ? Effect.map(Clock.currentTimeMillis, (now) => Rates.peg(currency, now))
        : refuse(
            asset.peg === null
              ? `the token has no peg: there is no ${currency} rate`
              : `the token is pegged to ${asset.peg}: there is no ${currency} rate`,
          ),
    couldPrice: (currency, asset) => asset.peg === currency,
    coinRate: noCoin,
  })

  /** Only a table that an operator maintains. */
  static readonly layerFixed = (table: ReadonlyArray<FixedRate>) =>
    Layer.effect(
      RateSource,
      Effect.gen(function* () {
        const builtAt = yield* Clock.currentTimeMillis
        const rowOf = (currency: Amount.Currency, { symbol }: Asset.Asset) =>
          table.find((each) => each.currency === currency && each.symbol === symbol)
        return RateSource.of({
          rate: (currency, asset) => {
            const row = rowOf(currency, asset)
            if (row === undefined) return refuse(`the table has no ${currency} rate of the token`)
            const { denominator, numerator, observedAt = builtAt } = row
            return Effect.succeed({ currency, numerator, denominator, observedAt })
          },
          couldPrice: (currency, asset) => rowOf(currency, asset) !== undefined,
          coinRate: noCoin,
        })
      }),
    )

  /**
   * Several sources, in order of priority. The first source that could ever give a rate is used. The others never
   * replace it: a payment is not priced by a worse source just because the better one is stale.
   */
  static readonly layerFirst = <E, R>(layers: ReadonlyArray<Layer.Layer<RateSource, E, R>>) =>
    Layer.effect(
      RateSource,
      Effect.gen(function* () {
        const sources = yield* Effect.forEach(layers, (each) =>
          Effect.map(Layer.build(each), (built) => Context.get(built, RateSource)),
        )
        const first = (currency: Amount.Currency, asset: Asset.Asset) =>
          sources.find((each) => each.couldPrice(currency, asset))
        return RateSource.of({
          rate: (currency, asset) =>
            first(currency, asset)?.rate(currency, asset) ??
            refuse(`no source has a ${currency} rate of a token pegged to ${asset.peg}`),
          couldPrice: (currency, asset) => first(currency, asset) !== undefined,
          coinRate: (currency, coin) =>
            sources.reduce<ReturnType<RateSource["Service"]["coinRate"]>>(
              (before, each) => before.pipe(Effect.catch(() => each.coinRate(currency, coin))),
              noCoin(),
            ),
        })
      }),
    )

  /** Refuses rates of another source that are older than `maxAgeInMs`. */
  static readonly layerFresh = (maxAgeInMs: number) =>
    Layer.effect(
      RateSource,
      Effect.gen(function* () {
        const source = yield* RateSource
        const fresh = Effect.fnUntraced(function* (
          asked: Effect.Effect<Rates.Rate, RateUnavailable>,
        ) {
          const [rate, now] = [yield* asked, yield* Clock.currentTimeMillis]
          return Rates.isFresh(rate, now, maxAgeInMs)
            ? rate
            : yield* new RateUnavailable({
                message: `the ${rate.currency} rate is ${now - rate.observedAt} ms old, and ${maxAgeInMs} ms is the most allowed`,
              })
        })
        return RateSource.of({
          ...source,
          rate: (currency, asset) => fresh(source.rate(currency, asset)),
          coinRate: (currency, coin) => fresh(source.coinRate(currency, coin)),
        })
      }),
    )
}
