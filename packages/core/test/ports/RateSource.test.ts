import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Amount from "@florin/core/domain/money/Amount"
import * as RateSource from "@florin/core/ports/RateSource"
import * as RateSourceSuite from "@florin/testing/RateSourceSuite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const now = 1_790_000_000_000
const currencies = Amount.Currency.literals

const rateOf = Effect.fnUntraced(function* (currency: Amount.Currency, asset: Asset.Asset) {
  const source = yield* RateSource.RateSource
  return yield* source.rate(currency, asset)
})

const coinOf = Effect.fnUntraced(function* (currency: Amount.Currency) {
  return yield* (yield* RateSource.RateSource).coinRate(currency, "ETH")
})

const assetOf = (symbol: string) => {
  const found = BuiltIn.catalog.assets.find((each) => each.symbol === symbol)
  if (found === undefined) return assert.fail(`there is no ${symbol}`)
  return found
}

it.layer(RateSource.RateSource.layerPegs)("RateSource.layerPegs", (pegs) => {
  pegs.effect("is one to one for the currency of the peg, and none for any other", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      for (const asset of BuiltIn.catalog.assets) {
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

it.layer(RateSource.RateSource.layerPegs)(
  "RateSource.layerPegs, of a token without a peg",
  (pegs) => {
    pegs.effect("has no rate of any currency", () =>
      Effect.gen(function* () {
        for (const currency of currencies) {
          const failure = yield* Effect.flip(rateOf(currency, { ...assetOf("USDC"), peg: null }))
          assert.strictEqual(failure._tag, "RateUnavailable")
          assert.strictEqual(failure.message, `the token has no peg: there is no ${currency} rate`)
        }
      }),
    )
  },
)
const { layerFirst, layerFixed, layerFresh, layerPegs } = RateSource.RateSource

const table: ReadonlyArray<RateSource.FixedRate> = [
  { currency: "EUR", symbol: "USDC", numerator: 11n, denominator: 10n },
  { currency: "USD", symbol: "USDC", numerator: 999n, denominator: 1000n, observedAt: now - 1 },
]

const assets = BuiltIn.catalog.assets
const usdc = assetOf("USDC")
const eurc = assetOf("EURC")

RateSourceSuite.suite("pegs", layerPegs, {
  assets,
  priced: [
    { currency: "USD", asset: usdc },
    { currency: "EUR", asset: eurc },
  ],
  fail: null,
})
RateSourceSuite.suite("a fixed table", layerFixed(table), {
  assets,
  priced: [
    { currency: "USD", asset: usdc },
    { currency: "EUR", asset: usdc },
  ],
  fail: null,
})
RateSourceSuite.suite("the first of several", layerFirst([layerFixed(table), layerPegs]), {
  assets,
  priced: [
    { currency: "EUR", asset: usdc },
    { currency: "EUR", asset: eurc },
  ],
  fail: null,
})

describe("RateSource.layerFixed", () => {
  it.effect("S23: dates a rate from when it was set, or else from when the table was built", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const context = yield* Layer.build(layerFixed(table))
      yield* TestClock.setTime(now + 5)
      for (const { currency, observedAt = now, ...row } of table) {
        const rate = yield* Effect.provide(rateOf(currency, usdc), context)
        assert.deepStrictEqual(rate, {
          currency,
          numerator: row.numerator,
          denominator: row.denominator,
          observedAt,
        })
      }
    }),
  )

  it.effect("S23: gives no rate that is older than its maximum age", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const context = yield* Layer.build(Layer.provide(layerFresh(60_000), layerFixed(table)))
      const asked = Effect.provide(rateOf("USD", usdc), context)
      yield* TestClock.setTime(now - 1 + 60_000)
      assert.strictEqual((yield* asked).numerator, 999n)
      yield* TestClock.setTime(now + 60_000)
      assert.strictEqual(
        (yield* Effect.flip(asked)).message,
        "the USD rate is 60001 ms old, and 60000 ms is the most allowed",
      )
    }),
  )
})

describe("RateSource.layerFirst", () => {
  /** It could give every rate, and gives none now. */
  const silent = Layer.succeed(RateSource.RateSource, {
    rate: () => new RateSource.RateUnavailable({ message: "silent" }),
    couldPrice: () => true,
    coinRate: () => new RateSource.RateUnavailable({ message: "silent" }),
  })
  const coins = Layer.effect(
    RateSource.RateSource,
    Effect.map(RateSource.RateSource, (pegs) => ({
      ...pegs,
      coinRate: (currency: Amount.Currency) =>
        Effect.succeed({ currency, numerator: 1n, denominator: 2500n, observedAt: now }),
    })),
  ).pipe(Layer.provide(layerPegs))

  it.effect(
    "asks only the first source that can price the token, even if that has no rate for now",
    () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(rateOf("USD", usdc))
        assert.strictEqual(failure.message, "silent")
      }).pipe(Effect.provide(layerFirst([silent, layerPegs]))),
  )

  it.effect("asks the next source if the first can never price the token", () =>
    Effect.gen(function* () {
      const [fixed, peg] = [yield* rateOf("EUR", usdc), yield* rateOf("EUR", eurc)]
      assert.deepStrictEqual([fixed.numerator, peg.numerator], [11n, 1n])
      const failure = yield* Effect.flip(rateOf("GBP", usdc))
      assert.strictEqual(failure.message, "no source has a GBP rate of a token pegged to USD")
      assert.isFalse((yield* RateSource.RateSource).couldPrice("GBP", usdc))
    }).pipe(Effect.provide(layerFirst([layerFixed(table), layerPegs]))),
  )

  it.effect("has the price of a coin that any of its sources has", () =>
    Effect.gen(function* () {
      const rate = yield* (yield* RateSource.RateSource).coinRate("USD", "ETH")
      assert.strictEqual(rate.denominator, 2500n)
    }).pipe(Effect.provide(layerFirst([layerPegs, silent, coins]))),
  )

  it.effect("has no price without a source", () =>
    Effect.gen(function* () {
      const { coinRate, couldPrice, rate } = yield* RateSource.RateSource
      assert.isFalse(couldPrice("USD", usdc))
      yield* Effect.flip(rate("USD", usdc))
      yield* Effect.flip(coinRate("USD", "ETH"))
    }).pipe(Effect.provide(layerFirst<never, never>([]))),
  )
})

describe("RateSource.layerFresh", () => {
  const given = (currency: Amount.Currency) =>
    Effect.succeed({ currency, numerator: 3n, denominator: 2n, observedAt: now })
  const source = Layer.succeed(RateSource.RateSource, {
    rate: given,
    couldPrice: () => true,
    coinRate: given,
  })
  const fresh = Layer.provide(layerFresh(60_000), source)

  it.effect.each([
    { at: now, isFresh: true },
    { at: now + 60_000, isFresh: true },
    { at: now + 60_001, isFresh: false },
    { at: now - 60_000, isFresh: true },
    { at: now - 60_001, isFresh: false },
  ])(
    "uses a rate for at most a minute before and after its time (1790000000000): $isFresh at $at",
    ({ at, isFresh }) =>
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
          assert.strictEqual((yield* coinOf("EUR")).numerator, 3n)
        } else {
          const failure = yield* Effect.flip(asked)
          assert.strictEqual((yield* Effect.flip(coinOf("EUR"))).message, failure.message)
          assert.isTrue((yield* RateSource.RateSource).couldPrice("EUR", usdc))
          assert.strictEqual(failure._tag, "RateUnavailable")
          assert.strictEqual(
            failure.message,
            `the EUR rate is ${at - now} ms old, and 60000 ms is the most allowed`,
          )
        }
      }).pipe(Effect.provide(fresh)),
  )

  it.effect("returns the error of its source if there is no rate", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(rateOf("GBP", assetOf("USDC")))
      assert.strictEqual(failure.message, "the token is pegged to USD: there is no GBP rate")
    }).pipe(Effect.provide(Layer.provide(layerFresh(60_000), layerPegs))),
  )
})
