/**
 * Prices for local chains, where no money is real: payments can be asked in euros, pounds, francs and yen, too.
 *
 * @module
 */
import type * as Rates from "@florin/core/domain/Rates"
import { type Quote, QuoteSource } from "@florin/core/ports/QuoteSource"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What one costs in US dollars, in ten thousandths: about what it did in 2026. */
const inUsd: ReadonlyArray<readonly [currency: string, price: bigint]> = [
  ["EUR", 11_600n],
  ["GBP", 13_300n],
  ["CHF", 12_500n],
  ["JPY", 65n],
]

const quotes = inUsd.map(([base, numerator]): Quote => {
  const price = (observedAt: number): Rates.Price => ({
    numerator,
    denominator: 10_000n,
    observedAt,
  })
  return { base, quote: "USD", price: Effect.map(Clock.currentTimeMillis, price) }
})

export const layer = Layer.provide(
  QuoteSource.layerRates,
  Layer.succeed(QuoteSource, { quotes: () => quotes }),
)
