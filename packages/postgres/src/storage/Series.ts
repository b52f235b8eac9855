/**
 * Statistics over time, as `PaymentSeries` defines them.
 *
 * Stored sums are of whole days in UTC. Days of other zones, and what the range has of its first and last day, are counted
 * from the payments of the days that a bucket begins in; so is everything that the sums do not know.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "../Connection.ts"
import * as Names from "../schema/Names.ts"
import * as Statistics from "../schema/Statistics.ts"
import * as Conditions from "./Conditions.ts"
import * as Stats from "./Stats.ts"

const list = (sql: SqlClient, text: (column: string, where: string) => string): Fragment =>
  sql.literal(Statistics.counts.map(([column, where]) => text(column, where)).join(", "))

/** `count` in the columns that a row belongs to, and 0 in the others. */
const spread = (sql: SqlClient, count: string): Fragment =>
  list(sql, (column, where) => `CASE WHEN ${where} THEN ${count} ELSE 0 END AS ${column}`)

const hasSucceeded = (sql: SqlClient): Fragment => Conditions.isStored(sql, ["succeeded"])

/** The window of a series, within which `filter` has both its ends. */
interface Asked extends Stats.Asked {
  readonly from: number
  readonly before: number
}

const dayInMs = Conditions.dayInMs
const dayOf = (at: number): number => Math.floor(at / dayInMs)

/** The days that begin elsewhere than at one of these times: what a sum of days has of them is not known. */
const partial = (times: ReadonlyArray<number>): ReadonlyArray<number> => [
  ...new Set(times.filter((at) => at % dayInMs !== 0).map(dayOf)),
]

/** The sums of whole days but some, and their changes that are not folded in yet. */
const kept = (asked: Asked, tokens: Fragment, except: ReadonlyArray<number>): Fragment => {
  const { before, filter, from, sql, tenant } = asked
  const days = sql`day >= ${dayOf(from)} AND day < ${Math.ceil(before / dayInMs)}
    AND day <> ALL(${except}::bigint[])`
  const own = Conditions.isOf(sql, tenant)
  const fresh = [own, ...Stats.scopeOf(filter, asked), days]
  const at = sql.literal(`day * ${dayInMs} AS at, chain, asset, amount_group`)
  return sql`SELECT ${at}, ${list(sql, (column) => column)}, revenue, refunded FROM florin.stats_totals
      WHERE ${sql.and([own, Stats.ofMerchants(sql, filter), tokens, days])}
    UNION ALL
    SELECT ${at}, ${spread(sql, "sign")}, CASE WHEN ${hasSucceeded(sql)} THEN sign * amount ELSE 0 END, refunded
      FROM florin.stats_sides WHERE ${sql.and(fresh)}`
}

const place = `created_at AS at, coalesce(chain, ${Names.none}) AS chain, coalesce(asset, ${Names.none}) AS asset, amount_group`

/**
 * The payments themselves, of some days or of all, already counted by what `by` names. Only the index is read, unless it
 * is asked how long each took.
 */
const computed = (asked: Asked, days: ReadonlyArray<number> | null, by: Fragment): Fragment => {
  const { sql } = asked
  const passing = sql`SELECT id, created_at, amount_group, amount, standing, ${by}
    FROM florin.payments WHERE ${Stats.isPassing(asked)}`
  const source =
    days === null
      ? sql`(${passing}) AS payments`
      : sql`unnest(${days}::bigint[]) AS each (day), LATERAL (${passing}
          AND created_at >= day * ${dayInMs} AND created_at < (day + 1) * ${dayInMs}) AS payments`
  return sql`SELECT ${sql.literal(place)}, ${spread(sql, "count")},
      CASE WHEN ${hasSucceeded(sql)} THEN amount ELSE 0 END AS revenue, coalesce(refunded, 0) AS refunded
    FROM (
      SELECT min(created_at) AS created_at, chain, asset, amount_group, standing, took, count(*) AS count,
        sum(amount) AS amount, sum(asked.refunded) AS refunded
      FROM ${source} LEFT JOIN (SELECT payment_id, sum(refunded) AS refunded
        FROM ${Stats.refundsWithin(asked)} AS one GROUP BY payment_id) AS asked ON payment_id = id
      GROUP BY bucket, chain, asset, amount_group, standing, took
    ) AS counted`
}

/** Open payments past their expiry count as expired. */
const overdue = (asked: Asked): Fragment => {
  const { sql } = asked
  const moved = list(sql, (column) =>
    column === "expired" ? "1" : column === "requires_action" ? "-1" : "0",
  )
  return sql`SELECT ${sql.literal(place)}, ${moved}, 0, 0 FROM florin.payments
    WHERE ${Stats.areOverdue(asked)}`
}

const Counted = [
  Schema.String,
  Schema.BigIntFromString,
  Schema.BigIntFromString,
  Schema.Array(Schema.Int),
] as const
const decodeBuckets = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Tuple([...Counted, Schema.Int])),
)
const decodeTokens = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Tuple([...Counted, Schema.String, Schema.String])),
)
const decodeToken = Schema.decodeUnknownSync(Caip.Token)

interface Row {
  readonly buckets: unknown
  readonly tokens: unknown
  readonly unfolded: number
}

/** All of one moment, because it is one statement. */
const statement = (asked: Asked, edges: PaymentSeries.Edges) => {
  const { before, conditions, filter, from, sql, tenant } = asked
  const hasSums = Stats.hasSums({
    filter,
    conditions: conditions.filter((each) => each.boundsDates !== true),
  })
  const parts = (tokens: Fragment | null, except: ReadonlyArray<number>, by: Fragment) =>
    tokens === null
      ? sql`${computed(asked, null, by)} UNION ALL ${overdue(asked)}`
      : sql`${kept(asked, tokens, except)} UNION ALL ${computed(asked, except, by)}
          UNION ALL ${overdue(asked)}`
  const ends = partial([from, before])
  const ofNone = sql`NULL::bigint AS chain, NULL::bigint AS asset`
  const byTime = sql`width_bucket(created_at, ${edges}::bigint[]) AS bucket, ${ofNone}, NULL::integer AS took`
  const took = sql.literal(`${Statistics.took("payments")} AS took`)
  const ofAll = hasSums ? Stats.ofTokens(sql, filter) : null
  // Within days, a merchant's sums have no tokens, but the times that its payments took: only the index is read for the rest.
  const ofTokens =
    hasSums && filter.merchantIds !== null
      ? sql`${parts(null, [], sql`0 AS bucket, chain, asset, NULL::integer AS took`)}
          UNION ALL SELECT at, ${sql.literal(`${Names.none}, ${Names.none}`)}, amount_group,
            ${list(sql, (column, where) => (where.startsWith("took") ? column : "0"))}, 0, 0
          FROM (${parts(ofAll, ends, sql`0 AS bucket, ${ofNone}, ${took}`)}) AS timed`
      : parts(
          hasSums ? Stats.ofEachToken(sql, filter) : null,
          ends,
          sql`0 AS bucket, chain, asset, ${took}`,
        )
  const nameOf = (column: string) =>
    sql`coalesce((SELECT name FROM florin.names WHERE number = ${sql.literal(column)}), '')`
  const sums = sql`amount_group, sum(revenue)::text, sum(refunded)::text,
    json_build_array(${list(sql, (column) => `sum(${column})`)})`
  return sql<Row>`WITH by_time AS (
      SELECT width_bucket(at, ${edges}::bigint[]) - 1 AS bucket, parts.*
      FROM (${parts(ofAll, partial([from, before, ...edges]), byTime)}) AS parts
    ), buckets AS (
      SELECT json_build_array(${sums}, bucket) AS cell FROM by_time GROUP BY bucket, amount_group
    ), tokens AS (
      SELECT json_build_array(${sums}, ${nameOf("chain")}, ${nameOf("asset")}) AS cell
      FROM (${ofTokens}) AS parts GROUP BY chain, asset, amount_group
    )
    SELECT (SELECT coalesce(json_agg(cell), '[]') FROM buckets) AS buckets,
      (SELECT coalesce(json_agg(cell), '[]') FROM tokens) AS tokens,
      (SELECT count(*)::integer FROM florin.stats_changes WHERE ${Conditions.isOf(sql, tenant)}) AS unfolded`
}

const seriesOf = Effect.fnUntraced(function* (
  row: Row,
  filter: Conditions.Shortened,
  length: number,
) {
  // Statuses that the filter excludes are not counted.
  const passes = (status: PaymentState.Status) => filter.statuses?.includes(status) ?? true
  const hasPaid = passes("succeeded")
  const cellOf = (
    group: string,
    revenue: bigint,
    refunded: bigint,
    counts: ReadonlyArray<number>,
  ) => {
    const unit = PaymentSort.unitOfGroup(group)
    if (unit === undefined) return Effect.die("a payment is in a unit that does not read")
    const cell: PaymentSeries.Cell = {
      unit,
      statuses: PaymentSeries.eachStatus((status) =>
        passes(status) ? (counts[PaymentState.statuses.indexOf(status)] ?? 0) : 0,
      ),
      revenue: hasPaid ? revenue : 0n,
      refunded: hasPaid ? refunded : 0n,
      times: hasPaid ? counts.slice(PaymentState.statuses.length) : [],
    }
    return Effect.succeed(cell)
  }
  const buckets = yield* Effect.forEach(
    yield* Effect.orDie(decodeBuckets(row.buckets)),
    ([group, revenue, refunded, counts, bucket]) =>
      Effect.map(cellOf(group, revenue, refunded, counts), (cell) => ({ ...cell, bucket })),
  )
  const tokens = yield* Effect.forEach(
    yield* Effect.orDie(decodeTokens(row.tokens)),
    ([group, revenue, refunded, counts, chainId, address]) =>
      Effect.map(cellOf(group, revenue, refunded, counts), (cell) => ({
        ...cell,
        token: chainId === "" ? null : decodeToken({ chainId, address }),
      })),
  )
  return PaymentSeries.sum(length, { buckets, tokens })
})

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "paymentSeries"> => ({
  paymentSeries: Effect.fn("Storage.paymentSeries")(function* (tenant, all, edges, now) {
    const [first = 0, last = first] = [edges[0], edges.at(-1)]
    const from = Math.max(all.createdFrom ?? first, first)
    const before = Math.min(all.createdBefore ?? last, last)
    const filter = Conditions.shorten({ ...all, createdFrom: from, createdBefore: before })
    if (filter === null || from >= before) {
      return PaymentSeries.sum(edges.length - 1, { buckets: [], tokens: [] })
    }
    const conditions = Conditions.of(filter, { sql, tenant, now })
    const asked = { sql, tenant, now, filter, conditions, from, before }
    // Planned for its own values each time, as pages are.
    const [row] = yield* Connection.guard(statement(asked, edges).unprepared)
    if (row === undefined) return yield* Effect.die("a SELECT without FROM has one row")
    yield* Stats.foldIfMany(sql, row.unfolded)
    return yield* seriesOf(row, filter, edges.length - 1)
  }),
})
