import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"

const hourInMs = 3_600_000

const edgesOf = (by: PaymentSeries.Period, zone: string, from: string, before: string) =>
  PaymentSeries.edgesOf(
    by,
    DateTime.zoneMakeNamedUnsafe(zone),
    Date.parse(from),
    Date.parse(before),
  )

const text = (edges: PaymentSeries.Edges | null) => edges?.map((at) => new Date(at).toISOString())

const parse = (raw: PaymentSeries.Raw) =>
  PaymentSeries.parse(raw, {
    catalog: BuiltIn.catalog,
    allowCancelled: true,
    now: Date.parse("2026-11-29T11:00:00Z"),
  })

const issuesOf = (raw: PaymentSeries.Raw) =>
  Result.match(parse(raw), {
    onFailure: ({ issues }) => issues.map(({ field }) => field),
    onSuccess: () => [],
  })

describe("the periods of statistics", () => {
  it.each([
    ["Europe/Berlin", "2026-03-29T12:00:00Z", 23],
    ["Europe/Berlin", "2026-10-25T12:00:00Z", 25],
    // The clock skips midnight: the day begins at one.
    ["America/Santiago", "2026-09-06T12:00:00Z", 23],
    ["Africa/Cairo", "2026-04-24T12:00:00Z", 23],
    // Midnight comes twice.
    ["America/Havana", "2026-11-01T12:00:00Z", 25],
    // The clock moves by half an hour.
    ["Australia/Lord_Howe", "2026-04-04T20:00:00Z", 24.5],
    ["Pacific/Chatham", "2026-04-05T00:00:00Z", 25],
    ["Asia/Kathmandu", "2026-01-01T12:00:00Z", 24],
    ["UTC", "2026-03-29T12:00:00Z", 24],
  ])("of one day in %s at %s have %d hours", (zone, at, hours) => {
    const edges = edgesOf("day", zone, at, new Date(Date.parse(at) + 1).toISOString()) ?? []
    assert.lengthOf(edges, 2)
    const [from = 0, to = 0] = edges
    assert.strictEqual((to - from) / hourInMs, hours)
  })

  it("begin at the zone's midnight, whatever its offset", () => {
    assert.deepStrictEqual(
      text(edgesOf("day", "Asia/Kathmandu", "2026-01-01T18:14:59Z", "2026-01-01T18:15:01Z")),
      ["2025-12-31T18:15:00.000Z", "2026-01-01T18:15:00.000Z", "2026-01-02T18:15:00.000Z"],
    )
    assert.deepStrictEqual(
      text(edgesOf("week", "Asia/Calcutta", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")),
      ["2025-12-28T18:30:00.000Z", "2026-01-04T18:30:00.000Z"],
    )
    assert.deepStrictEqual(
      text(edgesOf("month", "Europe/Berlin", "2026-01-31T00:00:00Z", "2026-04-01T00:00:00Z")),
      [
        "2025-12-31T23:00:00.000Z",
        "2026-01-31T23:00:00.000Z",
        "2026-02-28T23:00:00.000Z",
        "2026-03-31T22:00:00.000Z",
        "2026-04-30T22:00:00.000Z",
      ],
    )
  })

  it("skip a day that a zone never had", () => {
    assert.strictEqual(
      edgesOf("day", "Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-31T00:00:00Z")?.length,
      3,
    )
  })

  it("are whole quarters of an hour in every zone and each of its periods", () => {
    const at = Date.parse("2026-06-01T00:00:00Z")
    for (const zone of Counts.some(Intl.supportedValuesOf("timeZone"), 60)) {
      for (const by of PaymentSeries.periods) {
        const edges = PaymentSeries.edgesOf(by, DateTime.zoneMakeNamedUnsafe(zone), null, at) ?? []
        assert.lengthOf(edges, 31, `${zone} ${by}`)
        edges.forEach((edge, index) => {
          assert.strictEqual(edge % 900_000, 0, `${zone} ${by}`)
          assert.isAbove(edge, edges[index - 1] ?? 0, `${zone} ${by}`)
        })
      }
    }
  })
})

describe("a query for statistics", () => {
  it("is about the last 30 days in UTC by default, of which today is one", () => {
    const { edges, filter } = Result.getOrThrow(parse({}))
    assert.lengthOf(edges, 31)
    assert.strictEqual(edges[0], Date.parse("2026-10-31T00:00:00Z"))
    assert.strictEqual(edges.at(-1), Date.parse("2026-11-30T00:00:00Z"))
    assert.deepStrictEqual([filter.createdFrom, filter.createdBefore], [edges[0], edges.at(-1)])
  })

  it("counts whole periods, even if its bounds lie within them", () => {
    const { edges } = Result.getOrThrow(
      parse({ by: "month", startTs: "2026-01-15T00:00:00Z", endTs: "2026-02-01T00:00:00Z" }),
    )
    assert.deepStrictEqual(text(edges), ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"])
  })

  it("names every value that cannot be read", () => {
    assert.deepStrictEqual(issuesOf({ by: "hour", timeZone: "Mars/Olympus", currency: ["euro"] }), [
      "currency",
      "by",
      "timeZone",
    ])
    for (const timeZone of [
      "",
      "local",
      "+05:30",
      "+00:07",
      "Europe/../Berlin",
      "x".repeat(5000),
    ]) {
      assert.deepStrictEqual(issuesOf({ timeZone }), ["timeZone"], timeZone)
    }
  })

  it("has 1 to 400 periods", () => {
    assert.deepStrictEqual(issuesOf({ startTs: "2025-10-26T00:00:00Z" }), [])
    assert.deepStrictEqual(issuesOf({ startTs: "2025-10-25T00:00:00Z" }), ["startTs"])
    assert.deepStrictEqual(issuesOf({ startTs: "2027-01-01T00:00:00Z" }), ["startTs"])
    assert.deepStrictEqual(issuesOf({ startTs: "0000-01-01T00:00:00Z" }), ["startTs"])
    assert.deepStrictEqual(issuesOf({ endTs: "9999-12-31T23:59:59Z", by: "month" }), [])
  })
})

describe("statistics by period", () => {
  it("counts each payment once, in the period in which it was created", () => {
    const world = Fixtures.make("series")
    const payments = [
      Fixtures.paymentAfter(world.path("settled")),
      Fixtures.paymentAfter(world.path("created")),
    ]
    const edges = [Fixtures.now - hourInMs, Fixtures.now, Fixtures.now + hourInMs]
    const series = PaymentSeries.of(payments, PaymentFilter.unfiltered, edges, Fixtures.now)
    assert.deepStrictEqual(
      series.buckets.map(({ payments: count, succeeded }) => [count, succeeded]),
      [
        [0, 0],
        [2, 1],
      ],
    )
    assert.deepStrictEqual(
      series.buckets[1]?.revenue.map(({ quantity }) => quantity),
      [1000n],
    )
    assert.deepInclude(series.statuses, { requires_action: 1, succeeded: 1, expired: 0 })
    assert.deepStrictEqual(
      series.tokens.map(({ token }) => token === null),
      [true, false],
    )
    assert.strictEqual(
      series.times.reduce((sum, count) => sum + count),
      1,
    )
  })

  it.each([
    [0, 0],
    [10_000, 0],
    [10_001, 1],
    [3_600_000, 6],
    [3_600_001, 7],
  ])("counts a payment that took %d ms in the class of durations %d", (took, expected) => {
    assert.strictEqual(PaymentSeries.classOf(took), expected)
  })
})
