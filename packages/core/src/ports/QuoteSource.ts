/**
 * What one thing costs in another: the prices that rates are made of.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Asset from "../domain/Asset.ts"
import * as Rates from "../domain/Rates.ts"
import { RateSource, RateUnavailable } from "./RateSource.ts"

/** A pair that a source could price, and what it costs now. */
export interface Quote extends Rates.Pair {
  /** From memory. It fails as long as there is no price, or none that may be believed. */
  readonly price: Effect.Effect<Rates.Price, RateUnavailable>
}

/** For each token that is guarded, by its symbol, how many basis points it may be off its peg. */
export type PegGuard = ReadonlyMap<string, number>

/**
 * Prices of pairs, in the order in which they count. A pair is there as soon as the source could ever price it, so a
 * passing lack fails its price and takes no pair away.
 */
export class QuoteSource extends Context.Service<
  QuoteSource,
  { readonly quotes: () => ReadonlyArray<Quote> }
>()("@florin/core/ports/QuoteSource") {
  /** Several sources, the strongest first. */
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
   * Rates from prices: a token counts as much as the currency that it is pegged to, and another currency is priced in
   * that one, over a third if need be. The fraction is exact; it is rounded once, where an amount is converted.
   */
  static readonly layerRates = Layer.effect(
    RateSource,
    Effect.map(QuoteSource, (source) =>
      RateSource.of({
        rate: Effect.fn("RateSource.rate")(function* (currency, asset) {
          return { currency, ...(yield* priceOf(source, currency, worthIn(asset))) }
        }),
        couldPrice: (currency, asset) =>
          Rates.route(source.quotes(), currency, worthIn(asset)) !== undefined,
        coinRate: Effect.fn("RateSource.coinRate")(function* (currency, coin) {
          return { currency, ...(yield* priceOf(source, currency, coin)) }
        }),
      }),
    ),
  )

  /**
   * Refuses all rates of a guarded token that is off its peg, and also while nobody can tell: when a source is silent,
   * something is usually wrong with what it prices.
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

/** What a token counts as: its peg or, if it has none, itself, which a source must price. */
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
