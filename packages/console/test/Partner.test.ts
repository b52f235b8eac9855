/**
 * What the screens of partners compute.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as Money from "@florin/core/domain/money/Amount"
import * as Event from "@florin/core/domain/payment/Event"
import * as Amount from "@florin/pages/TypedAmount"
import { eventTypes } from "../src/partner/EventTypes.ts"
import * as Revenue from "../src/partner/Revenue.ts"
import * as Filters from "../src/shell/Filter.ts"

describe("an amount that a person types", () => {
  it("becomes a whole number of the smallest unit, with a point or a comma", () => {
    assert.strictEqual(Amount.parse("12.5", 2), "1250")
    assert.strictEqual(Amount.parse(" 12,50 ", 2), "1250")
    assert.strictEqual(Amount.parse("0.000001", 6), "1")
    // A browser counts none, and the API counts the fillér.
    assert.strictEqual(Amount.parse("1000", Amount.digitsOf("HUF")), "100000")
    assert.strictEqual(Amount.parse("900719925474099.31", 2), "90071992547409931")
  })

  it("is refused rather than rounded or guessed", () => {
    for (const text of ["", "0", "0.00", "-1", "1.005", "1.", "1e3", "1,000.00", "١", "12 50"]) {
      assert.isUndefined(Amount.parse(text, 2), text)
    }
    assert.isUndefined(Amount.parse("1.5", 0))
  })

  it("goes into a field and comes back the same", () => {
    for (const value of [1n, 99n, 100n, 123_456_789n]) {
      for (const decimals of [0, 2, 6, 18]) {
        assert.strictEqual(Amount.parse(Amount.text(value, decimals), decimals), `${value}`)
      }
    }
  })

  it("has the currencies of the API, with its digits", () => {
    assert.deepStrictEqual(
      Amount.currencies.map((code) => [code, Amount.digitsOf(code)]),
      Object.entries(Money.currencies).map(([code, { decimals }]) => [code, decimals]),
    )
  })
})

describe("the events that a webhook can get", () => {
  it("are all event types of the domain", () => {
    assert.deepStrictEqual<ReadonlyArray<string>>(eventTypes, Event.eventTypes)
  })
})

describe("the filters of a list", () => {
  it("are read from the address under the names of the API, and nothing else is", () => {
    const query = new URLSearchParams(
      "status=succeeded&status=unknown&referenceId=ORDER&sortBy=amount&sortDir=sideways&evil=1",
    )
    const filters = [
      { name: "status", kind: "manyChips", options: [["succeeded", "Succeeded"]] },
      { name: "referenceId", kind: "text" },
      { name: "network", kind: "choice", isOpen: true, options: [] },
      { name: "sort", kind: "order", options: [["amount-asc", "Lowest amount first"]] },
    ] as const
    assert.deepStrictEqual(Filters.asked(filters, query), {
      status: ["succeeded"],
      referenceId: "ORDER",
      sortBy: "amount",
    })
  })

  it("include the last day, in the reader's time zone", () => {
    const start = Filters.startOfDay("2026-11-29") ?? assert.fail()
    const end = Filters.startOfDay("2026-11-29", 1) ?? assert.fail()
    assert.strictEqual(Filters.dayOf(start), "2026-11-29")
    assert.strictEqual(Filters.dayOf(end, -1), "2026-11-29")
    assert.isUndefined(Filters.startOfDay("yesterday"))
    assert.strictEqual(Filters.dayOf("yesterday"), "")
  })
})

describe("statistics", () => {
  const unit = (symbol: string) => ({
    unit: `iso4217/${symbol}`,
    display: { assetName: symbol, assetSymbol: symbol, decimals: 2 },
  })
  const [eur, usd] = [unit("EUR"), unit("USD")]
  const bucket = (
    day: number,
    ...revenue: ReadonlyArray<readonly [unit: string, net: number]>
  ) => ({
    startTs: new Date(2026, 10, day).toISOString(),
    endTs: new Date(2026, 10, day + 1).toISOString(),
    payments: 4,
    succeeded: revenue.length,
    revenue: revenue.map(([of, net]) => ({
      gross: { unit: of, value: `${net + 5}` },
      refunded: { unit: of, value: "5" },
      net: { unit: of, value: `${net}` },
    })),
  })
  const times = (...counts: ReadonlyArray<number>) =>
    counts.map((payments, index) => ({ upToMs: [10_000, 60_000][index] ?? null, payments }))
  const statistics = {
    buckets: [bucket(1, [eur.unit, 100]), bucket(2), bucket(3, [eur.unit, 250], [usd.unit, 7])],
    statuses: [],
    tokens: [],
    timeToSuccess: [],
    units: [eur, usd, unit("JPY")],
  }

  it("are summed exactly, each unit on its own", () => {
    assert.deepStrictEqual(Revenue.earned(statistics), [eur, usd])
    assert.strictEqual(Revenue.sum(statistics, eur, "net"), "350")
    assert.strictEqual(Revenue.sum(statistics, eur, "gross"), "360")
    assert.strictEqual(Revenue.sum(statistics, usd, "refunded"), "5")
  })

  it("are plotted with periods without payments, by the reader's days", () => {
    assert.deepStrictEqual(
      Revenue.bars(statistics, eur, (at) => at).map(({ key, value }) => [key, value]),
      [
        ["2026-11-01", 1],
        ["2026-11-02", 0],
        ["2026-11-03", 2.5],
      ],
    )
  })

  it("show how long payments took to succeed, by percentile", () => {
    assert.strictEqual(Revenue.within(times(5, 4, 1), 0.5), 10_000)
    assert.strictEqual(Revenue.within(times(5, 4, 1), 0.9), 60_000)
    assert.isUndefined(Revenue.within(times(5, 4, 1), 0.95))
    assert.isUndefined(Revenue.within(times(0, 0, 0), 0.5))
    assert.deepStrictEqual(Revenue.cumulated(times(5, 4, 0)), [
      { upToMs: 10_000, payments: 5 },
      { upToMs: 60_000, payments: 9 },
    ])
  })
})
