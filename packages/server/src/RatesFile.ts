/**
 * Prices from a table that the operator chose: a file that another program keeps up to date, or a URL.
 *
 * It is read in the background and kept in memory. If it cannot be read or is incomplete, the previous table stays in
 * use until it is too old.
 *
 * @example
 * const rates = QuoteSource.layerRates.pipe(
 *   Layer.provide(RatesFile.layer({ from: RatesFile.ecb, maxAgeInMs: 144 * 60 * 60 * 1000 })),
 * )
 *
 * @module
 */
import { Buffer } from "node:buffer"
import * as Files from "node:fs/promises"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Rates from "@florin/core/domain/money/Rates"
import { type Quote, QuoteSource } from "@florin/core/ports/QuoteSource"
import { RateUnavailable } from "@florin/core/ports/RateSource"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Outbound from "./http/Outbound.ts"
import * as RatesDocument from "./RatesDocument.ts"
import * as TimeView from "./views/TimeView.ts"

/**
 * The URL at which the European Central Bank publishes its reference rates, around 16:00 CET on each of its working
 * days.
 */
export const ecb = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"

export interface Options {
  /** A file name or a URL. A URL on the public internet must use HTTPS. */
  readonly from: string
  /** No rate is given from a table that is older than this. */
  readonly maxAgeInMs: number
  /** How long a table is kept before it is read again: by default 10 s for a file and 15 minutes for a URL. */
  readonly refreshInMs?: number
}

const minuteInMs = 60_000
const fileRefreshInMs = 10_000
const urlRefreshInMs = 15 * minuteInMs
/** A table that could not be read is read again after this time, or sooner if its usual interval is shorter. */
const retryInMs = minuteInMs
/** A table may be ahead of our clock by as much as two clocks may differ. */
const aheadMaxInMs = minuteInMs
const readWithinInMs = 10_000
/** The bank's document has about 2,000 bytes. */
const maxBytes = 64 * 1024

export const isUrl = (from: string): boolean => /^https?:\/\//u.test(from)

const failed = (message: string) => new RatesDocument.InvalidRates({ message })

const fetching = Outbound.make({
  allowPrivate: true,
  limitInMs: readWithinInMs,
  responseMaxBytes: maxBytes,
})

const fetched = Effect.fnUntraced(
  function* (url: string) {
    const { body, status } = yield* fetching({
      method: "GET",
      url,
      headers: { accept: "application/xml, application/json", "accept-encoding": "identity" },
    })
    return status === 200 ? body : yield* failed(`the response is HTTP ${status}`)
  },
  Effect.catchTag("NoResponse", ({ message }) => Effect.fail(failed(message))),
)

const load = async (path: string): Promise<Uint8Array | null> => {
  // Reading a pipe or a device could wait forever.
  if (!(await Files.stat(path)).isFile()) return null
  const file = await Files.open(path)
  try {
    const buffer = Buffer.alloc(maxBytes + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return bytesRead > maxBytes ? null : buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const loaded = (path: string) =>
  Effect.tryPromise({ try: () => load(path), catch: () => failed("the file cannot be read") }).pipe(
    Effect.filterOrElse(
      (bytes) => bytes !== null,
      () => Effect.fail(failed(`it is not a file of at most ${maxBytes} bytes`)),
    ),
    Effect.timeoutOrElse({
      duration: readWithinInMs,
      orElse: () => Effect.fail(failed("the file takes too long to be read")),
    }),
  )

const decode = (bytes: Uint8Array) =>
  Result.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => failed("it is not UTF-8 text"),
  })

const read = Effect.fnUntraced(function* (from: string) {
  const bytes = yield* isUrl(from) ? fetched(from) : loaded(from)
  const table = yield* Effect.fromResult(Result.flatMap(decode(bytes), RatesDocument.parse))
  return table.observedAt > (yield* Clock.currentTimeMillis) + aheadMaxInMs
    ? yield* failed("its time is in the future")
    : table
})

/** Before the first read, the table could have any currency. */
const unread: ReadonlyArray<Quote> = Amount.Currency.literals
  .filter((currency) => currency !== "EUR")
  .map((quote) => ({
    base: "EUR",
    quote,
    price: Effect.fail(new RateUnavailable({ message: "the rate table was not read yet" })),
  }))

const quotesOf = (
  { base, observedAt, prices }: RatesDocument.RatesDocument,
  maxAgeInMs: number,
): ReadonlyArray<Quote> => {
  const stale = new RateUnavailable({
    message: `the rate table is older than ${maxAgeInMs} ms`,
  })
  return [...prices].map(([quote, price]) => ({
    base,
    quote,
    price: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Rates.isFresh({ observedAt }, now, maxAgeInMs) ? Effect.succeed(price) : stale,
    ),
  }))
}

/**
 * Provides the rates of a table. It first tries to read the table while the layer is built, and reads it again later in
 * any case.
 */
export const layer = ({
  from,
  maxAgeInMs,
  refreshInMs = isUrl(from) ? urlRefreshInMs : fileRefreshInMs,
}: Options): Layer.Layer<QuoteSource> =>
  Layer.effect(
    QuoteSource,
    Effect.gen(function* () {
      let quotes = unread
      let observedAt: number | null = null
      let fault = ""
      let isStale = false
      /** Logs once that the table is too old. */
      const watch = Effect.gen(function* () {
        if (observedAt === null) return
        const isFresh = Rates.isFresh({ observedAt }, yield* Clock.currentTimeMillis, maxAgeInMs)
        const isNew = isStale === isFresh
        isStale = !isFresh
        if (isNew && isStale) {
          yield* Effect.logWarning(
            "the rate table is too old: payments in its currencies have no options",
            { observedAt: TimeView.iso(observedAt) },
          )
        }
      })
      const refresh = Effect.matchEffect(read(from), {
        onSuccess: (table) =>
          Effect.sync(() => {
            quotes = quotesOf(table, maxAgeInMs)
            ;({ observedAt } = table)
            fault = ""
            return refreshInMs
          }),
        onFailure: ({ message }) =>
          Effect.suspend(() => {
            const isNew = message !== fault
            fault = message
            return isNew
              ? Effect.logWarning(
                  observedAt === null
                    ? "the rate table is not valid: payments in its currencies have no options"
                    : "the rate table is not valid: the last valid one stays in use",
                  { reason: message },
                )
              : Effect.void
          }).pipe(Effect.as(Math.min(refreshInMs, retryInMs))),
      }).pipe(Effect.tap(watch))
      const first = yield* refresh
      yield* Effect.forkScoped(
        Effect.andThen(Effect.sleep(first), Effect.forever(Effect.flatMap(refresh, Effect.sleep))),
      )
      return QuoteSource.of({ quotes: () => quotes })
    }),
  )
