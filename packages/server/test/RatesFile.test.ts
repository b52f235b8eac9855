import { once } from "node:events"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Rates from "@florin/core/domain/money/Rates"
import { QuoteSource } from "@florin/core/ports/QuoteSource"
import { RateSource } from "@florin/core/ports/RateSource"
import * as RateSourceSuite from "@florin/testing/RateSourceSuite"
import { Clock, Effect, Fiber, Layer, Logger, Result, Schedule } from "effect"
import { TestClock } from "effect/testing"
import * as RatesFile from "../src/RatesFile.ts"
import * as Tables from "../test-support/tables.ts"

const usdc =
  BuiltIn.catalog.assets.find(({ symbol }) => symbol === "USDC") ?? assert.fail("no USDC")
const eurc =
  BuiltIn.catalog.assets.find(({ symbol }) => symbol === "EURC") ?? assert.fail("no EURC")

const dayInMs = 24 * 60 * 60 * 1000
const rows = { USD: "1.1", GBP: "0.88" }

const layerOf = (from: string, options: Partial<RatesFile.Options> = {}) =>
  Layer.provide(
    QuoteSource.layerRates,
    RatesFile.layer({ from, maxAgeInMs: dayInMs, refreshInMs: 10, ...options }),
  )

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "florin-rates-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true })),
)

/** An HTTP server with given responses, which counts its requests. */
const serving = (answer: RequestListener) => {
  const state = { answer, asked: 0 }
  return Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        state.asked += 1
        state.answer(request, response)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      }),
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : undefined
      return { state, url: `http://127.0.0.1:${port}/rates?key=secret` }
    }),
  )
}

const says =
  (text: string | Uint8Array, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status).end(text)
  }

const iso = (at: number) => new Date(at).toISOString()
const today = Effect.map(Clock.currentTimeMillis, (now) => Tables.json(iso(now), rows))

const gbp = Effect.flatMap(RateSource, ({ rate }) => rate("GBP", usdc))

/** The price of a pound now, or the reason why there is none. */
const price = Effect.map(Effect.result(gbp), (rate) =>
  Result.isSuccess(rate)
    ? BigInt(Result.getOrThrow(Rates.convert(100n, rate.success, usdc, "up")))
    : rate.failure.message,
)

/** Looks until it is so. */
const comes = (expected: bigint | string) =>
  price.pipe(
    Effect.filterOrFail((found) => found === expected),
    Effect.retry(Schedule.max([Schedule.spaced(10), Schedule.recurs(3000)])),
  )

/** Waits until a table was read so often again. */
const readAgain = (state: { readonly asked: number }, times: number) => {
  const until = state.asked + times
  return Effect.sync(() => state.asked).pipe(
    Effect.filterOrFail((asked) => asked >= until),
    Effect.retry(Schedule.max([Schedule.spaced(10), Schedule.recurs(3000)])),
  )
}

const unread = "the rate table was not read yet"
const stale = `the rate table is older than ${dayInMs} ms`

const suiteFile = join(mkdtempSync(join(tmpdir(), "florin-rates-")), "rates.json")
RateSourceSuite.suite(
  "a file",
  Layer.unwrap(
    Effect.map(today, (text) => {
      writeFileSync(suiteFile, text)
      return layerOf(suiteFile)
    }),
  ),
  {
    assets: BuiltIn.catalog.assets,
    priced: [
      { currency: "GBP", asset: usdc },
      { currency: "EUR", asset: usdc },
      { currency: "USD", asset: eurc },
    ],
    fail: Effect.gen(function* () {
      writeFileSync(
        suiteFile,
        Tables.json(iso((yield* Clock.currentTimeMillis) - 2 * dayInMs), rows),
      )
      yield* Effect.orDie(comes(stale))
      rmSync(join(suiteFile, ".."), { recursive: true })
    }),
  },
)

describe("RatesFile", () => {
  it.live("reads the file repeatedly, and keeps the last valid table", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "rates.xml")
      const now = yield* Clock.currentTimeMillis
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* price, unread)
        // Anything could be in it yet.
        assert.isTrue((yield* RateSource).couldPrice("ZAR", usdc))
        writeFileSync(file, Tables.json(iso(now), rows))
        yield* comes(1_250_000n)
        assert.strictEqual((yield* gbp).observedAt, now)
        assert.isFalse((yield* RateSource).couldPrice("ZAR", usdc))
        for (const broken of [
          "",
          "{",
          Tables.json(iso(now), { ...rows, USD: "0" }),
          Tables.json(iso(now), { USD: "2", GBP: "-1" }),
          Tables.json(iso(now + 2 * 60_000), { ...rows, USD: "2" }),
          Tables.json(iso(now), { ...rows, USD: "2" }) + " ".repeat(64 * 1024),
        ]) {
          // As a whole: a part of one of them is a table.
          writeFileSync(`${file}.new`, broken)
          renameSync(`${file}.new`, file)
          yield* Effect.sleep(30)
          assert.strictEqual(yield* price, 1_250_000n)
        }
        writeFileSync(file, Tables.json(iso(now), { ...rows, USD: "2.2" }))
        yield* comes(2_500_000n)
        rmSync(file)
        yield* Effect.sleep(30)
        assert.strictEqual(yield* price, 2_500_000n)
        // Clocks differ by so much.
        writeFileSync(file, Tables.json(iso(now + 30_000), { ...rows, USD: "3.3" }))
        yield* comes(3_750_000n)
        writeFileSync(file, Tables.ecb(iso(now - 2 * dayInMs).slice(0, 10), rows))
        yield* comes(stale)
        assert.isTrue((yield* RateSource).couldPrice("GBP", usdc))
      }).pipe(Effect.provide(layerOf(file)))
    }),
  )

  it.effect("dates a table of the central bank from the start of its day, until it is stale", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "rates.xml")
      writeFileSync(file, Tables.ecb("2026-11-20", rows))
      const begins = Date.UTC(2026, 10, 20)
      yield* TestClock.setTime(begins + 15 * 60 * 60 * 1000)
      // It is not read again here.
      const context = yield* Layer.build(layerOf(file, { refreshInMs: 1000 * dayInMs }))
      const asked = Effect.provide(price, context)
      assert.strictEqual(yield* asked, 1_250_000n)
      assert.strictEqual((yield* Effect.provide(gbp, context)).observedAt, begins)
      yield* TestClock.setTime(begins + dayInMs)
      assert.strictEqual(yield* asked, 1_250_000n)
      yield* TestClock.setTime(begins + dayInMs + 1)
      assert.strictEqual(yield* asked, stale)
    }),
  )

  it.live("logs once that a table is too old, and again for the next one", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "rates.json")
      const now = yield* Clock.currentTimeMillis
      const write = (daysAgo: number) =>
        Effect.sync(() => {
          writeFileSync(path, Tables.json(iso(now - daysAgo * dayInMs), rows))
        })
      const said: Array<unknown> = []
      const logger = Logger.make(({ message }) => {
        if (Array.isArray(message) && String(message[0]).includes("too old")) said.push(message[1])
      })
      const olds = (count: number) =>
        Effect.suspend(() => (said.length === count ? Effect.void : Effect.fail("not yet"))).pipe(
          Effect.retry(Schedule.spaced("5 millis")),
        )
      yield* write(3)
      yield* Effect.gen(function* () {
        yield* olds(1)
        yield* write(0)
        yield* (yield* RateSource).rate("GBP", usdc).pipe(Effect.retry(Schedule.spaced("5 millis")))
        yield* write(2)
        yield* olds(2)
      }).pipe(Effect.provide(Layer.provide(layerOf(path), Logger.layer([logger]))))
      assert.deepStrictEqual(said, [
        { observedAt: iso(now - 3 * dayInMs) },
        { observedAt: iso(now - 2 * dayInMs) },
      ])
    }),
  )

  it.live.each([
    { what: "a directory", path: "." },
    { what: "a device without an end", path: "/dev/zero" },
  ])("reads no rate from $what", ({ path }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.provide(price, layerOf(path)), unread)
    }),
  )

  it.live("reads a URL, and keeps the last valid table", () =>
    Effect.gen(function* () {
      const text = yield* today
      const { state, url } = yield* serving(says(text))
      const now = iso(yield* Clock.currentTimeMillis)
      const day = now.slice(0, 10)
      const bad = Tables.json(now, { ...rows, USD: "2" })
      const elsewhere = yield* serving(says(bad))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* price, 1_250_000n)
        const faults: ReadonlyArray<RequestListener> = [
          says(bad, 500),
          says(bad, 404),
          (_, response) => response.writeHead(302, { location: elsewhere.url }).end(bad),
          says(" ".repeat(64 * 1024) + bad),
          says(Uint8Array.of(0xff, ...Buffer.from(bad))),
          says(bad.slice(0, -1)),
          // It would be read if what is no text were let pass.
          says(
            Buffer.from(
              Tables.ecb(day, { ...rows, USD: "2" }).replace("European", "\xff"),
              "latin1",
            ),
          ),
          (_, response) => response.destroy(),
          (_, response) => {
            response.writeHead(200, { "content-length": "999" })
            response.write(bad, () => response.destroy())
          },
        ]
        for (const fault of faults) {
          state.answer = fault
          yield* readAgain(state, 2)
          assert.strictEqual(yield* price, 1_250_000n)
        }
        assert.strictEqual(elsewhere.state.asked, 0)
        state.answer = says(bad)
        yield* comes(2_272_728n)
      }).pipe(Effect.provide(layerOf(url)))
    }),
  )

  it.effect("gives up on a URL that does not respond, without delaying callers", () =>
    Effect.gen(function* () {
      const arrived = Promise.withResolvers<void>()
      const { state, url } = yield* serving(() => arrived.resolve())
      const building = yield* Effect.forkChild(Layer.build(layerOf(url)))
      yield* Effect.promise(() => arrived.promise)
      yield* TestClock.adjust(10_000)
      const context = yield* Fiber.join(building)
      assert.strictEqual(yield* Effect.provide(price, context), unread)
      assert.strictEqual(state.asked, 1)
    }),
  )

  it("distinguishes URLs from paths", () => {
    assert.isTrue(RatesFile.isUrl(RatesFile.ecb))
    for (const path of ["rates.json", "/etc/rates", "https/rates", "file:///rates"]) {
      assert.isFalse(RatesFile.isUrl(path))
    }
  })
})
