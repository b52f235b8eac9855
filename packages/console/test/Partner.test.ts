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
  it("are those of the domain", () => {
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

  it("take days of the reader, of which the last is included", () => {
    const start = Filters.startOfDay("2026-11-29") ?? assert.fail()
    const end = Filters.startOfDay("2026-11-29", 1) ?? assert.fail()
    assert.strictEqual(Filters.dayOf(start), "2026-11-29")
    assert.strictEqual(Filters.dayOf(end, -1), "2026-11-29")
    assert.isUndefined(Filters.startOfDay("yesterday"))
    assert.strictEqual(Filters.dayOf("yesterday"), "")
  })
})

describe("revenue", () => {
  const payment = (day: number, value: string, status: "succeeded" | "expired" = "succeeded") => ({
    paymentId: `pay_${day}`,
    merchant: { id: "mrch_1", name: "Shop" },
    referenceId: "ORDER",
    metadata: {},
    status,
    isTerminal: true,
    fiatAmount: {
      unit: "iso4217/EUR",
      value,
      display: { assetName: "Euro", assetSymbol: "EUR", decimals: 2 },
    },
    settlement: { settled: false },
    createdAt: new Date(2026, 10, day, 12).toISOString(),
    lastUpdatedAt: new Date(2026, 10, day, 13).toISOString(),
  })
  const items = [
    payment(5, "100"),
    payment(4, "250"),
    payment(4, "999", "expired"),
    payment(2, "50"),
  ]
  const from = new Date(2026, 10, 1).getTime()
  const now = new Date(2026, 10, 5, 18).getTime()
  const values = (period: "day" | "week" | "month") =>
    Revenue.buckets(items, "EUR", period, from, now).map(({ key, value }) => [key, value])

  it("is summed by day, with days without payments", () => {
    assert.deepStrictEqual(values("day"), [
      ["2026-11-01", 0],
      ["2026-11-02", 0.5],
      ["2026-11-03", 0],
      ["2026-11-04", 2.5],
      ["2026-11-05", 1],
    ])
  })

  it("is summed by weeks that begin on Monday, and by month", () => {
    assert.deepStrictEqual(values("week"), [
      ["2026-10-26", 0],
      ["2026-11-02", 4],
    ])
    assert.deepStrictEqual(values("month"), [["2026-11-01", 4]])
  })

  it("counts only payments that succeeded, and only in its own currency", () => {
    assert.deepStrictEqual(Revenue.currencies(items), ["EUR"])
    assert.deepStrictEqual(
      Revenue.buckets(items, "USD", "month", from, now).map(({ value }) => value),
      [0],
    )
  })
})
