import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@florin/core/domain/Amount"
import * as Asset from "@florin/core/domain/Asset"
import * as RateSource from "@florin/core/ports/RateSource"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const now = 1_790_000_000_000
const currencies = Object.keys(Amount.currencies).filter(
  (each): each is Amount.Currency => each in Amount.currencies,
)

const rateOf = Effect.fnUntraced(function* (currency: Amount.Currency, asset: Asset.Asset) {
  const source = yield* RateSource.RateSource
  return yield* source.rate(currency, asset)
})

const assetOf = (symbol: string) => {
  const found = Asset.all.find((each) => each.symbol === symbol)
  if (found === undefined) return assert.fail(`there is no ${symbol}`)
  return found
}

it.layer(RateSource.RateSource.layerPegs)("RateSource.layerPegs", (pegs) => {
  pegs.effect("is one to one for the currency of the peg, and none for any other", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      for (const asset of Asset.all) {
        for (const currency of currencies) {
          if (asset.peg === currency) {
            assert.deepStrictEqual(yield* rateOf(currency, asset), {
              currency,
              numerator: 1n,
              denominator: 1n,
              observedAt: now,
            })
          } else {
            const failure = yield* Effect.flip(rateOf(currency, asset))
            assert.strictEqual(failure._tag, "RateUnavailable")
            assert.strictEqual(
              failure.message,
              `the token is pegged to ${asset.peg}: there is no ${currency} rate`,
            )
          }
        }
      }
    }),
  )
})

const table: ReadonlyArray<RateSource.FixedRate> = [
  { currency: "EUR", symbol: "USDC", numerator: 11n, denominator: 10n },
  { currency: "USD", symbol: "USDC", numerator: 999n, denominator: 1000n },
]

it.layer(RateSource.RateSource.layerFixed(table))("RateSource.layerFixed", (fixed) => {
  fixed.effect("takes a rate from the table, also where there is a peg", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now + 5)
      for (const row of table) {
        assert.deepStrictEqual(yield* rateOf(row.currency, assetOf(row.symbol)), {
          currency: row.currency,
          numerator: row.numerator,
          denominator: row.denominator,
          observedAt: now + 5,
        })
      }
    }),
  )

  fixed.effect("falls back to the pegs", () =>
    Effect.gen(function* () {
      const rate = yield* rateOf("EUR", assetOf("EURC"))
      assert.strictEqual(rate.numerator, 1n)
      assert.strictEqual(rate.denominator, 1n)
      const failure = yield* Effect.flip(rateOf("GBP", assetOf("USDC")))
      assert.strictEqual(failure._tag, "RateUnavailable")
    }),
  )
})

describe("RateSource.layerFresh", () => {
  const source = Layer.succeed(RateSource.RateSource, {
    rate: (currency) =>
      Effect.succeed({ currency, numerator: 3n, denominator: 2n, observedAt: now }),
  })
  const fresh = Layer.provide(RateSource.RateSource.layerFresh(60_000), source)

  it.effect.each([
    { at: now, isFresh: true },
    { at: now + 60_000, isFresh: true },
    { at: now + 60_001, isFresh: false },
    { at: now - 60_000, isFresh: true },
    { at: now - 60_001, isFresh: false },
  ])("at $at: $isFresh", ({ at, isFresh }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at)
      const asked = rateOf("EUR", assetOf("USDC"))
      if (isFresh) {
        assert.deepStrictEqual(yield* asked, {
          currency: "EUR",
          numerator: 3n,
          denominator: 2n,
          observedAt: now,
        })
      } else {
        const failure = yield* Effect.flip(asked)
        assert.strictEqual(failure._tag, "RateUnavailable")
        assert.strictEqual(
          failure.message,
          `the EUR rate is ${at - now} ms old, and 60000 ms is the most allowed`,
        )
      }
    }).pipe(Effect.provide(fresh)),
  )

  it.effect("hands on that there is no rate", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(rateOf("GBP", assetOf("USDC")))
      assert.strictEqual(failure.message, "the token is pegged to USD: there is no GBP rate")
    }).pipe(
      Effect.provide(
        Layer.provide(RateSource.RateSource.layerFresh(60_000), RateSource.RateSource.layerPegs),
      ),
    ),
  )
})
