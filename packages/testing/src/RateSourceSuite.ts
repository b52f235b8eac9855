/**
 * The contract of the rate port as tests: every source runs the same ones.
 *
 * @module
 */
import { assert, layer } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Rates from "@florin/core/domain/money/Rates"
import { RateSource } from "@florin/core/ports/RateSource"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A rate that the source gives when the suite begins. */
export interface Priced {
  readonly currency: Amount.Currency
  readonly asset: Asset.Asset
}

export interface Options {
  /** Assets of every kind that the source distinguishes; the suite requests each in every currency. */
  readonly assets: ReadonlyArray<Asset.Asset>
  /** Rates that it returns, at least. */
  readonly priced: ReadonlyArray<Priced>
  /** Coins whose price it has, in every currency of `priced`. */
  readonly coins?: ReadonlyArray<string>
  /** Removes all prices of the source, or lets them go stale; null for a source that never fails. */
  readonly fail: Effect.Effect<void, never, RateSource> | null
}

const isRate = Schema.is(Rates.Rate)

/**
 * Registers the suite for a source. The layer is built once, with the real clock.
 *
 * @example
 * RateSourceSuite.suite("pegs", RateSource.layerPegs, { assets, priced, fail: null })
 */
export const suite = (
  name: string,
  source: Layer.Layer<RateSource, unknown>,
  { assets, coins = [], fail, priced }: Options,
): void =>
  layer(source, { excludeTestServices: true })(`RateSource: ${name}`, (it) => {
    const asked = Amount.Currency.literals.flatMap((currency) =>
      assets.map((asset) => ({ currency, asset })),
    )
    const ask = Effect.fnUntraced(function* ({ asset, currency }: Priced) {
      return yield* Effect.result((yield* RateSource).rate(currency, asset))
    })

    /** Checks a rate against the contract. */
    const isSound = Effect.fnUntraced(function* (rate: Rates.Rate, currency: Amount.Currency) {
      assert.isTrue(isRate(rate))
      assert.strictEqual(rate.currency, currency)
      // Clocks of machines and chains differ a little.
      assert.isAtMost(rate.observedAt, (yield* Clock.currentTimeMillis) + 60_000)
    })

    it.effect(
      "returns every rate that it has, and says that it can price the asset in the currency",
      () =>
        Effect.gen(function* () {
          const { couldPrice } = yield* RateSource
          assert.isNotEmpty(priced)
          for (const each of priced) {
            yield* isSound(Result.getOrThrow(yield* ask(each)), each.currency)
            assert.isTrue(couldPrice(each.currency, each.asset))
          }
        }),
    )

    it.effect(
      "reports for every rate whether it is available, and returns no rate that is not",
      () =>
        Effect.gen(function* () {
          const { couldPrice } = yield* RateSource
          for (const each of asked) {
            const rate = yield* ask(each)
            if (Result.isSuccess(rate)) yield* isSound(rate.success, each.currency)
            else assert.strictEqual(rate.failure._tag, "RateUnavailable")
            if (!couldPrice(each.currency, each.asset)) assert.isTrue(Result.isFailure(rate))
          }
        }),
    )

    it.effect("returns the same to all concurrent callers", () =>
      Effect.gen(function* () {
        for (const each of priced) {
          const rates = yield* Effect.forEach(Array.from({ length: 20 }), () => ask(each), {
            concurrency: "unbounded",
          })
          const fractions = rates.map((rate) =>
            Result.map(rate, ({ denominator, numerator }) => `${numerator}/${denominator}`),
          )
          for (const fraction of fractions) assert.deepStrictEqual(fraction, fractions[0])
        }
      }),
    )

    it.effect("knows the prices of its coins, and refuses all others", () =>
      Effect.gen(function* () {
        const { coinRate } = yield* RateSource
        for (const { currency } of priced) {
          for (const coin of coins) yield* isSound(yield* coinRate(currency, coin), currency)
          const refusal = yield* Effect.flip(coinRate(currency, "NOCOIN"))
          assert.strictEqual(refusal._tag, "RateUnavailable")
        }
      }),
    )

    it.effect(
      "returns no rate that it lacks for now, and still says that it can price the asset",
      () =>
        Effect.gen(function* () {
          if (fail === null) return
          const { coinRate, couldPrice } = yield* RateSource
          const could = asked.map((each) => couldPrice(each.currency, each.asset))
          yield* fail
          for (const each of priced) {
            // A rate at par has no observation that could be missing.
            if (each.currency === each.asset.peg) continue
            assert.isTrue(Result.isFailure(yield* ask(each)))
            for (const coin of coins) yield* Effect.flip(coinRate(each.currency, coin))
          }
          assert.deepStrictEqual(
            asked.map((each) => couldPrice(each.currency, each.asset)),
            could,
          )
        }),
    )
  })
