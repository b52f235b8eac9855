/**
 * The price of one thing in another. Rates are computed from these prices.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Asset from "../domain/chain/Asset.ts"
import type * as Amount from "../domain/money/Amount.ts"
import * as Rates from "../domain/money/Rates.ts"
import { RateSource, RateUnavailable } from "./RateSource.ts"

/** A pair that a source can price, and its price now. */
export interface Quote extends Rates.Pair {
  /** The price, from memory. It fails if there is no price, or none that can be trusted. */
  readonly price: Effect.Effect<Rates.Price, RateUnavailable>
}

/** For each guarded token, by symbol: how many basis points it may be off its peg. */
export type PegGuard = ReadonlyMap<string, number>

/**
 * Prices of pairs, in order of priority. A pair is listed if the source could ever price it. A temporary outage makes
 * its price fail, but does not remove the pair.
 */
export class QuoteSource extends Context.Service<
  QuoteSource,
  { readonly quotes: () => ReadonlyArray<Quote> }
>()("@florin/core/ports/QuoteSource") {
  /** Several sources, in order of priority. */
  static readonly layerAll = <E, R>(layers: ReadonlyArray<Layer.Layer<QuoteSource, E, R>>) =>
    Layer.effect(
      QuoteSource,
      Effect.map(
        Effect.forEach(layers, (each) =>
          Effect.map(Layer.build(each), (built) => Context.get(built, QuoteSource)),
        ),
        (sources) => QuoteSource.of({ quotes: () => sources.flatMap(({ quotes }) => quotes()) }),
      ),
    )

  /**
   * Rates from prices. A token is worth as much as the currency that it is pegged to. Another currency is priced in
   * that one, through a third currency if needed. The fraction is exact; it is rounded once, when an amount is
   * converted.
   */
  static readonly layerRates = Layer.effect(
    RateSource,
    Effect.map(QuoteSource, (source) =>
      RateSource.of({
        rate: (currency, asset) => rateOf(source, currency, worthIn(asset)),
        couldPrice: (currency, asset) =>
          Rates.route(source.quotes(), currency, worthIn(asset)) !== undefined,
        coinRate: (currency, coin) => rateOf(source, currency, coin),
      }),
    ),
  )

  /**
   * Refuses all rates of a guarded token that is off its peg, and also if the peg cannot be checked: when a source is
   * silent, something is usually wrong with what it prices.
   */
  static readonly layerPegGuard = (guard: PegGuard) =>
    Layer.effect(
      RateSource,
      Effect.gen(function* () {
        const quotes = yield* QuoteSource
        const rates = yield* RateSource
        const requirePeg = Effect.fnUntraced(function* ({ peg, symbol }: Asset.Asset) {
          const basisPoints = guard.get(symbol)
          if (basisPoints === undefined || peg === null) return
          if (!Rates.isFar(yield* priceOf(quotes, symbol, peg), par, basisPoints)) return
          return yield* new RateUnavailable({
            message: `${symbol} is more than ${basisPoints} basis points off its peg`,
          })
        })
        return RateSource.of({
          ...rates,
          rate: (currency, asset) => Effect.andThen(requirePeg(asset), rates.rate(currency, asset)),
        })
      }),
    )
}

/** What a token is priced as: its peg or, if it has none, itself, which a source must price. */
const worthIn = ({ peg, symbol }: Asset.Asset): string => peg ?? symbol

const par = { numerator: 1n, denominator: 1n }

const priceOf = Effect.fnUntraced(function* (
  source: QuoteSource["Service"],
  from: string,
  to: string,
) {
  const steps = Rates.route(source.quotes(), from, to)
  if (steps === undefined) {
    return yield* new RateUnavailable({ message: `no source prices ${from} in ${to}` })
  }
  const priced = yield* Effect.forEach(steps, ({ isInverse, pair }) =>
    Effect.map(pair.price, (price) => ({ price, isInverse })),
  )
  return Rates.along(priced, yield* Clock.currentTimeMillis)
})

// Options ask for a rate of each token: a span of each would cost more than the rate.
const rateOf = (source: QuoteSource["Service"], currency: Amount.Currency, worth: string) =>
  Effect.map(priceOf(source, currency, worth), (price) => ({ currency, ...price }))
