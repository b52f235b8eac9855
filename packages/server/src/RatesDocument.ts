/**
 * A table of rates as a file or a URL has it: the European Central Bank's daily XML, or JSON of one's own.
 *
 * @example
 * RatesDocument.parse(
 *   '{"base":"EUR","observedAt":"2026-11-20T15:00:00Z","rates":{"USD":"1.0778","GBP":"0.8611"}}',
 * )
 *
 * @module
 */
import * as Rfc3339 from "@florin/core/domain/ground/Rfc3339"
import * as Rates from "@florin/core/domain/money/Rates"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The price of one unit of `base` in each of the other currencies. */
export interface RatesDocument {
  readonly base: string
  readonly observedAt: number
  readonly prices: ReadonlyMap<string, Rates.Price>
}

/** A document that cannot be used. The message repeats nothing of its content. */
export class InvalidRates extends Schema.TaggedError<InvalidRates>()("InvalidRates", {
  message: Schema.String,
}) {}

const refuse = (message: string) => Result.fail(new InvalidRates({ message }))

/** Rates must be text: a JSON number would have been rounded when it was read. */
const Json = Schema.fromJsonString(
  Schema.Struct({
    base: Rates.Ticker,
    observedAt: Schema.String,
    rates: Schema.Record(Rates.Ticker, Schema.String),
  }),
)
const decodeJson = Schema.decodeUnknownOption(Json, { onExcessProperty: "error" })

const make = (
  base: string,
  observedAt: number,
  rates: ReadonlyArray<readonly [ticker: string, text: string]>,
): Result.Result<RatesDocument, InvalidRates> => {
  const prices = new Map<string, Rates.Price>()
  for (const [ticker, text] of rates) {
    const price = Rates.parsePrice(text, observedAt)
    if (Option.isNone(price)) {
      return refuse("a rate is not a decimal number above 0, such as 1.0778")
    }
    if (ticker === base || prices.has(ticker)) {
      return refuse("a currency is listed twice, or has a rate to itself")
    }
    prices.set(ticker, price.value)
  }
  return prices.size === 0
    ? refuse("there is no rate")
    : Result.succeed({ base, observedAt, prices })
}

const json = (text: string): Result.Result<RatesDocument, InvalidRates> => {
  const decoded = decodeJson(text)
  if (Option.isNone(decoded)) {
    return refuse("the JSON is not an object with base, observedAt and rates, the rates as text")
  }
  const observedAt = Rfc3339.read(decoded.value.observedAt)
  return observedAt === undefined
    ? refuse(`observedAt ${Rfc3339.rule}`)
    : make(decoded.value.base, observedAt, Object.entries(decoded.value.rates))
}

/** One day and its rates, with the surrounding text in eurofxref-daily.xml. */
const day =
  /^<\?xml [^<>]*\?>\s*<gesmes:Envelope [^<>]*>(?:(?!<Cube)[^])*<Cube>\s*<Cube time=(['"])([0-9]{4}-[0-9]{2}-[0-9]{2})\1>((?:\s*<Cube currency=(['"])[A-Z]{3}\4 rate=(['"])[0-9.]{1,37}\5\s*\/>)+)\s*<\/Cube>\s*<\/Cube>\s*<\/gesmes:Envelope>\s*$/u
const row = /currency=.([A-Z]{3}). rate=.([0-9.]+)/gu

/**
 * The bank states only the day. A rate counts as observed at the start of that day, so that it never seems younger than
 * it is.
 */
const ecb = (text: string): Result.Result<RatesDocument, InvalidRates> => {
  const [, , date, rows = ""] = day.exec(text) ?? []
  if (date === undefined) return refuse("the XML is not the central bank's table of one day")
  const observedAt = Rfc3339.read(`${date}T00:00:00Z`)
  return observedAt === undefined
    ? refuse("the XML has a date that does not exist")
    : make(
        "EUR",
        observedAt,
        [...rows.matchAll(row)].map(([, ticker = "", rate = ""]) => [ticker, rate]),
      )
}

/** Reads a whole document, or refuses it. */
export const parse = (text: string): Result.Result<RatesDocument, InvalidRates> =>
  text.startsWith("<") ? ecb(text) : json(text)
