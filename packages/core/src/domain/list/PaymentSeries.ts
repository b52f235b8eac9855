/**
 * Statistics of a list of payments over time: by days, weeks or months of a time zone, by state, by token, and by how long
 * it took until they were paid.
 *
 * All buckets together count exactly what `PaymentStats` counts for the same filter.
 *
 * @module
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import type * as Amount from "../money/Amount.ts"
import * as Payment from "../payment/Payment.ts"
import type * as PaymentState from "../payment/PaymentState.ts"
import * as Refund from "../payment/Refund.ts"
import * as PaymentFilter from "./PaymentFilter.ts"
import * as PaymentStats from "./PaymentStats.ts"

export const periods = ["day", "week", "month"] as const
export type Period = (typeof periods)[number]

/** The longest time to success of each class but the last, which has no end. */
export const classesInMs = [10_000, 30_000, 60_000, 120_000, 300_000, 900_000, 3_600_000] as const

/** Names of the classes, for columns. */
export const classColumns = [...classesInMs, 0].map((_, index) => `took_${index}`)

/** The class of a time to success. */
export const classOf = (tookInMs: number): number => {
  const found = classesInMs.findIndex((most) => tookInMs <= most)
  return found === -1 ? classesInMs.length : found
}

/** What some payments count together. */
export interface Counts {
  readonly payments: number
  readonly succeeded: number
  readonly revenue: ReadonlyArray<PaymentStats.Revenue>
}

export interface Series {
  /** One for each bucket, in order. */
  readonly buckets: ReadonlyArray<Counts>
  /** By the token that was paid or requested, the one with the most payments first; null while it is open. */
  readonly tokens: ReadonlyArray<{
    readonly token: Caip.Token | null
    readonly counts: Counts
  }>
  readonly statuses: Readonly<Record<PaymentState.Status, number>>
  /** How many succeeded within each class of time. */
  readonly times: ReadonlyArray<number>
}

/** The bounds of buckets, in epoch milliseconds: each bucket ends where the next begins. */
export type Edges = ReadonlyArray<number>

/** Sums of payments of one unit, and of one bucket or token. */
export interface Cell {
  readonly unit: Amount.Unit
  readonly statuses: Readonly<Record<PaymentState.Status, number>>
  readonly revenue: bigint
  readonly refunded: bigint
  readonly times: ReadonlyArray<number>
}

/** A number for each status. */
export const eachStatus = (of: (status: PaymentState.Status) => number): Series["statuses"] => ({
  requires_action: of("requires_action"),
  processing: of("processing"),
  succeeded: of("succeeded"),
  failed: of("failed"),
  expired: of("expired"),
  cancelled: of("cancelled"),
})

const noTimes: ReadonlyArray<number> = classColumns.map(() => 0)

const sumOf = (values: Iterable<number>): number => {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

const keyOf = (token: Caip.Token | null): string => (token === null ? "" : Caip.tokenKey(token))

/** A sum of cells that grows. */
const makeCounter = () => {
  const revenue = PaymentStats.makeRevenue()
  let payments = 0
  let succeeded = 0
  return {
    add: (cell: Cell): void => {
      payments += sumOf(Object.values(cell.statuses))
      succeeded += cell.statuses.succeeded
      // No payment requests zero: if there is no revenue, none has succeeded.
      const { refunded, revenue: quantity, unit } = cell
      if (quantity !== 0n) revenue.add({ unit, quantity, refunded })
    },
    counts: (): Counts => ({ payments, succeeded, revenue: revenue.all() }),
  }
}

/** Sums of one bucket, and of one token in all buckets. */
export type OfBucket = Cell & { readonly bucket: number }
export type OfToken = Cell & { readonly token: Caip.Token | null }

/** The series of so many buckets that cells add up to. Each payment is in one cell of both kinds. */
export const sum = (
  buckets: number,
  cells: { readonly buckets: Iterable<OfBucket>; readonly tokens: Iterable<OfToken> },
): Series => {
  const byBucket = Array.from({ length: buckets }, makeCounter)
  const byToken = new Map<string, ReturnType<typeof makeCounter> & Pick<OfToken, "token">>()
  let statuses = eachStatus(() => 0)
  let times = noTimes
  for (const cell of cells.buckets) byBucket[cell.bucket]?.add(cell)
  for (const cell of cells.tokens) {
    const { token } = cell
    const key = keyOf(token)
    const counter = byToken.get(key) ?? { ...makeCounter(), token }
    byToken.set(key, counter)
    counter.add(cell)
    const before = statuses
    statuses = eachStatus((status) => before[status] + cell.statuses[status])
    times = times.map((count, index) => count + (cell.times[index] ?? 0))
  }
  return {
    buckets: byBucket.map((each) => each.counts()),
    tokens: [...byToken.values()]
      .map(({ counts, token }) => ({ token, counts: counts() }))
      .filter(({ counts }) => counts.payments > 0)
      .toSorted(
        (left, right) =>
          right.counts.payments - left.counts.payments ||
          (keyOf(left.token) < keyOf(right.token) ? -1 : 1),
      ),
    statuses,
    times,
  }
}

const cellOf = (payment: Payment.Payment, bucket: number, now: number): OfBucket & OfToken => {
  const { state } = payment
  const status = Payment.status(payment, now)
  const isPaid = state._tag === "Succeeded"
  const took = isPaid ? classOf(state.succeededAt - payment.createdAt) : -1
  return {
    bucket,
    token: PaymentFilter.tokenOf(payment),
    unit: payment.amount.unit,
    statuses: eachStatus((each) => Number(each === status)),
    revenue: isPaid ? payment.amount.quantity : 0n,
    refunded: isPaid ? Refund.totals(state.refunds).value : 0n,
    times: noTimes.map((_, index) => Number(index === took)),
  }
}

/** The series of the payments that pass the filter, and were created between the first edge and the last. */
export const of = (
  payments: Iterable<Payment.Payment>,
  filter: PaymentFilter.Filter,
  edges: Edges,
  now: number,
): Series => {
  const cells: Array<OfBucket & OfToken> = []
  for (const payment of payments) {
    const bucket = edges.findLastIndex((edge) => payment.createdAt >= edge)
    if (bucket < 0 || bucket >= edges.length - 1) continue
    if (PaymentFilter.matches(payment, filter, now)) cells.push(cellOf(payment, bucket, now))
  }
  return sum(edges.length - 1, { buckets: cells, tokens: cells })
}

/** Query values as they were sent. */
export type Raw = PaymentFilter.Raw & {
  readonly by?: string | undefined
  readonly timeZone?: string | undefined
}

export interface Query {
  readonly filter: PaymentFilter.Filter
  readonly edges: Edges
}

export const periodRule = `must be ${periods.join(", ")}`
export const timeZoneRule = "must be a time zone's IANA name, such as Europe/Berlin"
const boundsRule = `must leave 1 to ${Limits.seriesBucketsMax} periods: ask for a shorter time, or for longer periods`

const startOf = (by: Period, at: DateTime.Zoned): DateTime.Zoned =>
  DateTime.startOf(at, by, { weekStartsOn: 1 })

/** The start of a period, so many periods after the start of another; a day does not always begin at midnight. */
const shift = (by: Period, start: DateTime.Zoned, count: number): DateTime.Zoned =>
  startOf(by, DateTime.add(start, { [`${by}s`]: count }))

/** The bounds of all periods from the one of `from` to the one before `before`; null if there are too many, or none. */
export const edgesOf = (
  by: Period,
  timeZone: DateTime.TimeZone,
  from: number | null,
  before: number,
): Edges | null => {
  // No payment is older than 1970, and the calendars of other centuries are nobody's concern.
  const zoned = (at: number) => DateTime.makeZonedUnsafe(Math.max(at, 0), { timeZone })
  const last = startOf(by, zoned(before - 1))
  const first =
    from === null ? shift(by, last, 1 - Limits.seriesBucketsDefault) : startOf(by, zoned(from))
  const edges: Array<number> = []
  let at = first
  while (DateTime.toEpochMillis(at) <= DateTime.toEpochMillis(last)) {
    if (edges.length === Limits.seriesBucketsMax) return null
    edges.push(DateTime.toEpochMillis(at))
    at = shift(by, at, 1)
  }
  return edges.length === 0 ? null : [...edges, DateTime.toEpochMillis(at)]
}

/**
 * Reads a query, or reports everything that is wrong with it. The filters on the time of creation choose the periods,
 * which are always whole: the filter of the result is the one that a list would need.
 */
export const parse = (
  raw: Raw,
  options: {
    readonly catalog: Catalog.Catalog
    readonly allowCancelled: boolean
    readonly now: number
  },
): Result.Result<Query, Invalid.InvalidInput> => {
  const { by: period = "day", timeZone = "UTC" } = raw
  // A name, and not an offset.
  const zone = /^[A-Za-z]/u.test(timeZone)
    ? Option.getOrUndefined(DateTime.zoneMakeNamed(timeZone))
    : undefined
  const asked = Invalid.all({
    filter: PaymentFilter.read(raw, options.allowCancelled, options.catalog),
    by: Invalid.required(
      "by",
      periods.find((each) => each === period),
      periodRule,
    ),
    zone: Invalid.required("timeZone", zone, timeZoneRule),
  })
  return Result.flatMap(asked, ({ by, filter, zone: named }) => {
    const { createdBefore, createdFrom } = filter
    const edges = edgesOf(by, named, createdFrom, createdBefore ?? options.now + 1)
    if (edges === null) return Invalid.fail("startTs", boundsRule)
    const whole = { createdFrom: edges[0] ?? null, createdBefore: edges.at(-1) ?? null }
    return Result.succeed({ filter: { ...filter, ...whole }, edges })
  })
}
