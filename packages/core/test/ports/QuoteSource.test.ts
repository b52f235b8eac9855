import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import type * as Amount from "@florin/core/domain/money/Amount"
import * as Rates from "@florin/core/domain/money/Rates"
import { type PegGuard, type Quote, QuoteSource } from "@florin/core/ports/QuoteSource"
import { RateSource, RateUnavailable } from "@florin/core/ports/RateSource"
import * as RateSourceSuite from "@florin/testing/RateSourceSuite"
import { Effect, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"

const now = 1_790_000_000_000

const assetOf = (symbol: string) =>
  BuiltIn.catalog.assets.find((each) => each.symbol === symbol) ??
  assert.fail(`there is no ${symbol}`)
const usdc = assetOf("USDC")
const eurc = assetOf("EURC")

/** Prices as a test sets them, by pair: `EUR/USD`. A pair without a text is there, and has no price now. */
const makeQuotes = (prices: { [pair: string]: string }) => {
  const quoteOf = (pair: string): Quote => {
    const [base = "", quote = ""] = pair.split("/")
    return {
      base,
      quote,
      price: Effect.suspend(() =>
        Option.match(Rates.parsePrice(prices[pair] ?? "", now - pair.length), {
          onNone: () => Effect.fail(new RateUnavailable({ message: `${pair} is silent` })),
          onSome: Effect.succeed,
        }),
      ),
    }
  }
  return Layer.succeed(QuoteSource, { quotes: () => Object.keys(prices).map(quoteOf) })
}

const sample = { "EUR/USD": "1.0778", "EUR/GBP": "0.8611", "ETH/USD": "2500.5" }
const silenced = { ...sample }

RateSourceSuite.suite("quotes", Layer.provide(QuoteSource.layerRates, makeQuotes(silenced)), {
  assets: BuiltIn.catalog.assets,
  priced: [
    { currency: "USD", asset: usdc },
    { currency: "GBP", asset: usdc },
    { currency: "USD", asset: eurc },
  ],
  coins: ["ETH"],
  fail: Effect.sync(() => {
    Object.assign(silenced, { "EUR/USD": "", "EUR/GBP": "", "ETH/USD": "" })
  }),
})

const rateOf = (currency: Amount.Currency, asset: Asset.Asset) =>
  Effect.flatMap(RateSource, ({ rate }) => rate(currency, asset))

describe("QuoteSource.layerRates", () => {
  it.effect("prices a token in other currencies through its peg, exactly, and rounds up once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const rate = yield* rateOf("GBP", usdc)
      // (1 / 0.8611) × 1.0778
      assert.strictEqual(rate.numerator * 8611n, rate.denominator * 10_778n)
      assert.strictEqual(rate.observedAt, now - 7)
      // 12.50 GBP are 15.645685750… USDC.
      assert.strictEqual(Result.getOrThrow(Rates.convert(1250n, rate, usdc, "up")), 15_645_686n)
    }).pipe(Effect.provide(Layer.provide(QuoteSource.layerRates, makeQuotes(sample)))),
  )

  it.effect("prices a token one to one in the currency of its peg, as of now", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const off = { ...sample, "USDC/USD": "0.97" }
      const rates = Layer.provide(QuoteSource.layerRates, makeQuotes(off))
      assert.deepStrictEqual(
        yield* Effect.provide(rateOf("USD", usdc), rates),
        Rates.peg("USD", now),
      )
    }),
  )

  it.effect("prices a token without a peg by its own name, and never as a currency", () =>
    Effect.gen(function* () {
      const gold: Asset.Asset = { ...usdc, symbol: "XAUT", peg: null }
      const { numerator, denominator } = yield* rateOf("EUR", gold)
      // 1.0778 ÷ 4000
      assert.strictEqual(numerator * 40_000_000n, denominator * 10_778n)
      const unpriced = { ...gold, symbol: "PAXG" }
      assert.isFalse((yield* RateSource).couldPrice("USD", unpriced))
      yield* Effect.flip(rateOf("USD", unpriced))
    }).pipe(
      Effect.provide(
        Layer.provide(QuoteSource.layerRates, makeQuotes({ ...sample, "XAUT/USD": "4000" })),
      ),
    ),
  )

  it.effect("returns how many coins a currency buys", () =>
    Effect.gen(function* () {
      const { coinRate } = yield* RateSource
      const rate = yield* coinRate("EUR", "ETH")
      // 1.0778 ÷ 2500.5
      assert.strictEqual(rate.numerator * 25_005_000n, rate.denominator * 10_778n)
      assert.strictEqual(
        (yield* Effect.flip(coinRate("EUR", "POL"))).message,
        "no source prices EUR in POL",
      )
    }).pipe(Effect.provide(Layer.provide(QuoteSource.layerRates, makeQuotes(sample)))),
  )

  it.effect(
    "says that it can price a pair that has no price for now, and not a pair that no source has",
    () =>
      Effect.gen(function* () {
        const { couldPrice } = yield* RateSource
        assert.isTrue(couldPrice("GBP", usdc))
        assert.isFalse(couldPrice("CHF", usdc))
        assert.isTrue(couldPrice("EUR", eurc))
        assert.strictEqual((yield* Effect.flip(rateOf("GBP", usdc))).message, "EUR/GBP is silent")
      }).pipe(
        Effect.provide(
          Layer.provide(QuoteSource.layerRates, makeQuotes({ "EUR/USD": "1", "EUR/GBP": "" })),
        ),
      ),
  )
})

describe("QuoteSource.layerAll", () => {
  it.effect(
    "joins the pairs of all sources; of one pair, the first source decides, even without a price",
    () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(rateOf("EUR", usdc))).message, "EUR/USD is silent")
        const { denominator, numerator } = yield* rateOf("CHF", usdc)
        assert.deepStrictEqual([numerator, denominator], [11n, 10n])
      }).pipe(
        Effect.provide(
          Layer.provide(
            QuoteSource.layerRates,
            QuoteSource.layerAll([
              makeQuotes({ "EUR/USD": "" }),
              makeQuotes({ "EUR/USD": "2", "CHF/USD": "1.1" }),
            ]),
          ),
        ),
      ),
  )
})

describe("QuoteSource.layerPegGuard", () => {
  const guarded = (
    prices: { [pair: string]: string },
    guard: PegGuard,
    rates = RateSource.layerPegs,
  ) => Layer.provide(QuoteSource.layerPegGuard(guard), Layer.merge(rates, makeQuotes(prices)))
  const guard = new Map([["USDC", 100]])
  const off = "USDC is more than 100 basis points off its peg"

  it.effect.each([
    { price: "1", message: null },
    { price: "0.99", message: null },
    { price: "1.01", message: null },
    { price: "0.989999", message: off },
    { price: "1.010001", message: off },
    { price: "", message: "USDC/USD is silent" },
  ])(
    "S23: compares USDC with its peg: at a price of $price the error is $message",
    ({ message, price }) =>
      Effect.gen(function* () {
        const rate = yield* Effect.result(rateOf("USD", usdc))
        assert.strictEqual(Result.isFailure(rate) ? rate.failure.message : null, message)
        // It comes back with its peg: what could be priced does not change.
        assert.isTrue((yield* RateSource).couldPrice("USD", usdc))
        assert.isFalse((yield* RateSource).couldPrice("GBP", usdc))
      }).pipe(Effect.provide(guarded({ "USDC/USD": price }, guard))),
  )

  it.effect("S23: refuses a guarded token that no source prices", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* Effect.flip(rateOf("USD", usdc))).message,
        "no source prices USDC in USD",
      )
    }).pipe(Effect.provide(guarded({ "EUR/USD": "1.1" }, guard))),
  )

  it.effect("compares a token with its own peg, over another currency if need be", () =>
    Effect.gen(function* () {
      const at = (price: string) =>
        Effect.provide(
          Effect.isSuccess(rateOf("EUR", eurc)),
          guarded({ "EURC/USD": price, "EUR/USD": "1.1" }, new Map([["EURC", 100]])),
        )
      assert.deepStrictEqual(
        [yield* at("1.1"), yield* at("1.11"), yield* at("1"), yield* at("1.1111")],
        [true, true, false, false],
      )
    }),
  )

  it.effect("does not guard a token without a peg, as there is nothing to compare it with", () =>
    Effect.gen(function* () {
      const rate = yield* rateOf("GBP", { ...usdc, peg: null })
      assert.strictEqual(rate.numerator, 127n)
    }).pipe(
      Effect.provide(
        guarded(
          {},
          guard,
          RateSource.layerFixed([
            { currency: "GBP", symbol: "USDC", numerator: 127n, denominator: 100n },
          ]),
        ),
      ),
    ),
  )

  it.effect("guards every rate of a listed token, and no other token", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* Effect.isSuccess(rateOf("EUR", eurc)))
      assert.strictEqual((yield* Effect.flip(rateOf("GBP", usdc))).message, off)
    }).pipe(
      Effect.provide(
        guarded(
          { "USDC/USD": "0.9" },
          guard,
          RateSource.layerFirst([
            RateSource.layerFixed([
              { currency: "GBP", symbol: "USDC", numerator: 127n, denominator: 100n },
            ]),
            RateSource.layerPegs,
          ]),
        ),
      ),
    ),
  )
})
