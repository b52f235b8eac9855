/**
 * Prices for local chains, where no money is real, so that payments can also be created in euros, pounds, francs and
 * yen.
 *
 * @module
 */
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Rates from "@florin/core/domain/money/Rates"
import { type Quote, QuoteSource } from "@florin/core/ports/QuoteSource"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** The price of one unit of a currency in US dollars, in ten thousandths. */
type Row = readonly [currency: Amount.Currency, price: bigint]

/** Approximate prices in 2026. */
const examples: ReadonlyArray<Row> = [
  ["EUR", 11_600n],
  ["GBP", 13_300n],
  ["CHF", 12_500n],
  ["JPY", 65n],
]

export const expected = "a currency and its price in US dollars, such as EUR=1.08"

/** Reads `EUR=1.08`: one euro costs 1.08 US dollars. */
export const parse = (text: string): Option.Option<Row> => {
  const [, currency = "", whole = "", fraction = ""] =
    /^([A-Z]{3})=([0-9]{1,9})(?:\.([0-9]{1,4}))?$/u.exec(text) ?? []
  const price = BigInt(whole + fraction.padEnd(4, "0"))
  return Amount.isCurrency(currency) && currency !== "USD" && price > 0n
    ? Option.some([currency, price])
    : Option.none()
}

/** The currencies that have a price. */
export const currencies = (given: ReadonlyArray<Row>): ReadonlyArray<string> => [
  ...new Set(["USD", ...[...examples, ...given].map(([currency]) => currency)]),
]

const quoteOf = ([base, numerator]: Row): Quote => {
  const price = (observedAt: number): Rates.Price => ({
    numerator,
    denominator: 10_000n,
    observedAt,
  })
  return { base, quote: "USD", price: Effect.map(Clock.currentTimeMillis, price) }
}

/** The given prices, and the examples for all other currencies. */
export const layer = (given: ReadonlyArray<Row>) => {
  const quotes = Array.from(new Map([...examples, ...given]), quoteOf)
  return Layer.provide(QuoteSource.layerRates, Layer.succeed(QuoteSource, { quotes: () => quotes }))
}
