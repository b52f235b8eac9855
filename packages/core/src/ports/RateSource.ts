/**
 * What one standard unit of a currency buys of a token.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Amount from "../domain/Amount.ts"
import type * as Asset from "../domain/Asset.ts"
import * as Rates from "../domain/Rates.ts"

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
}

/** Every refusal of a peg, made once: options ask for a rate of every asset, and most of them are refused the same. */
const refusals = new Map<string, Effect.Effect<never, RateUnavailable>>()

const unpegged = (currency: Amount.Currency, peg: Asset.Peg) => {
  const message = `the token is pegged to ${peg}: there is no ${currency} rate`
  const refusal = refusals.get(message) ?? Effect.fail(new RateUnavailable({ message }))
  refusals.set(message, refusal)
  return refusal
}

/**
 * The rate port. It may be asked often and answers fast: an adapter that fetches rates keeps them, and lets them go
 * stale rather than wait.
 */
export class RateSource extends Context.Service<
  RateSource,
  {
    readonly rate: (
      currency: Amount.Currency,
      asset: Asset.Asset,
    ) => Effect.Effect<Rates.Rate, RateUnavailable>
  }
>()("@florin/core/ports/RateSource") {
  /** Stablecoins at par with the currency they are pegged to, and nothing else. */
  static readonly layerPegs = Layer.succeed(RateSource, {
    rate: (currency, asset) =>
      asset.peg === currency
        ? Effect.map(Clock.currentTimeMillis, (now) => Rates.peg(currency, now))
        : unpegged(currency, asset.peg),
  })

  /** A table that an operator keeps, before the pegs. */
  static readonly layerFixed = (table: ReadonlyArray<FixedRate>) =>
    Layer.effect(
      RateSource,
      Effect.gen(function* () {
        const pegs = yield* RateSource
        return RateSource.of({
          rate: Effect.fn("RateSource.rate")(function* (currency, asset) {
            const row = table.find(
              (each) => each.currency === currency && each.symbol === asset.symbol,
            )
            if (row === undefined) return yield* pegs.rate(currency, asset)
            const observedAt = yield* Clock.currentTimeMillis
            return { currency, numerator: row.numerator, denominator: row.denominator, observedAt }
          }),
        })
      }),
    ).pipe(Layer.provide(RateSource.layerPegs))

  /** Refuses rates of another source that are older than `maxAgeInMs`. */
  static readonly layerFresh = (maxAgeInMs: number) =>
    Layer.effect(
      RateSource,
      Effect.gen(function* () {
        const source = yield* RateSource
        return RateSource.of({
          rate: Effect.fn("RateSource.rate")(function* (currency, asset) {
            const rate = yield* source.rate(currency, asset)
            const fresh = Rates.requireFresh(rate, yield* Clock.currentTimeMillis, maxAgeInMs)
            return Result.isSuccess(fresh)
              ? fresh.success
              : yield* new RateUnavailable({ message: fresh.failure.message })
          }),
        })
      }),
    )
}
