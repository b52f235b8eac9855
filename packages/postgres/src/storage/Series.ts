import * as Caip from "@florin/core/domain/chain/Caip"
/**
 * Statistics over time, as `PaymentSeries` defines them: from the stored sums of quarter hours if these know the filter,
 * and otherwise from the payments.
 *
 * @module
 */
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "../Connection.ts"
import * as Statistics from "../schema/Statistics.ts"
import * as Conditions from "./Conditions.ts"
import * as Stats from "./Stats.ts"

type Status = PaymentState.Status

const list = (sql: SqlClient, text: (column: string, where: string) => string): Fragment =>
  sql.literal(Statistics.counts.map(([column, where]) => text(column, where)).join(", "))

/** `count` in the columns that a row belongs to, and 0 in the others. */
const spread = (sql: SqlClient, count: string): Fragment =>
  list(sql, (column, where) => `CASE WHEN ${where} THEN ${count} ELSE 0 END AS ${column}`)

/** The sums of each quarter hour and token, and the changes that are not folded in yet. */
const kept = (asked: Stats.Asked): Fragment => {
  const { filter, sql, tenant } = asked
  const window = Stats.quarters(sql, filter)
  const own = Conditions.isOf(sql, tenant)
  const total = [own, Stats.ofMerchants(sql, filter), Stats.ofEachToken(sql, filter), ...window]
  const fresh = [own, ...Stats.scopeOf(filter, asked), ...window]
  return sql`SELECT quarter, chain_id, token, amount_group, ${list(sql, (column) => column)}, revenue, refunded
      FROM florin.stats_totals WHERE ${sql.and(total)}
    UNION ALL
    SELECT quarter, chain_id, token, amount_group, ${spread(sql, "sign")},
      CASE WHEN status = 'succeeded' THEN sign * amount ELSE 0 END, refunded
      FROM florin.stats_changes WHERE ${sql.and(fresh)}`
}

const quarterOf = (sql: SqlClient): Fragment =>
  sql.literal(`(created_at / ${PaymentSeries.quarterInMs})::integer AS quarter`)

const place = (sql: SqlClient): Fragment =>
  sql`${quarterOf(sql)}, coalesce(chain_id, '') AS chain_id, coalesce(token, '') AS token, amount_group`

/** The payments themselves: what succeeded is looked up in each for how long it took. */
const computed = (asked: Stats.Asked): Fragment => {
  const { sql } = asked
  const took = sql.literal(Statistics.took("payments"))
  return sql`SELECT ${place(sql)}, ${spread(sql, "1")},
      CASE WHEN status = 'succeeded' THEN amount ELSE 0 END AS revenue, coalesce(asked.refunded, 0) AS refunded
    FROM (SELECT *, ${took} AS took FROM florin.payments WHERE ${Stats.isPassing(asked)}) AS payments
      LEFT JOIN (SELECT payment_id, sum(refunded) AS refunded FROM ${Stats.refundsWithin(asked)} AS each
        GROUP BY payment_id) AS asked ON payment_id = id`
}

/** Open payments past their expiry count as expired. */
const overdue = (asked: Stats.Asked): Fragment => {
  const { filter, now, sql, tenant } = asked
  const conditions = Conditions.of({ ...filter, statuses: null }, { sql, tenant, now })
  const where = [Conditions.isOf(sql, tenant), ...conditions.map((each) => each.where)]
  const moved = list(sql, (column) =>
    column === "expired" ? "1" : column === "requires_action" ? "-1" : "0",
  )
  return sql`SELECT ${place(sql)}, ${moved}, 0, 0 FROM florin.payments
    WHERE ${sql.and([...where, Conditions.isOverdue(sql, now)])}`
}

const Cells = Schema.Array(
  Schema.Tuple([
    Schema.Int,
    Schema.String,
    Schema.String,
    Schema.String,
    Schema.BigIntFromString,
    Schema.BigIntFromString,
    Schema.Array(Schema.Int),
  ]),
)
const decodeCells = Schema.decodeUnknownEffect(Cells)
const decodeToken = Schema.decodeUnknownSync(Caip.Token)

interface Row {
  readonly cells: unknown
  readonly unfolded: number
}

/** All of one moment, because it is one statement. */
const statement = (asked: Stats.Asked, edges: PaymentSeries.Edges) => {
  const { sql, tenant } = asked
  const bounds = edges.map((edge) => edge / PaymentSeries.quarterInMs)
  return sql<Row>`WITH parts AS (
      ${Stats.hasSums(asked) ? kept(asked) : computed(asked)} UNION ALL ${overdue(asked)}
    ), placed AS (
      SELECT width_bucket(quarter, ${bounds}::integer[]) - 1 AS bucket, parts.* FROM parts
    ), cells AS (
      SELECT json_build_array(bucket, chain_id, token, amount_group, sum(revenue)::text, sum(refunded)::text,
        json_build_array(${list(sql, (column) => `sum(${column})`)})) AS cell
      FROM placed GROUP BY bucket, chain_id, token, amount_group
    )
    SELECT (SELECT coalesce(json_agg(cell), '[]') FROM cells) AS cells,
      (SELECT count(*)::integer FROM florin.stats_changes WHERE ${Conditions.isOf(sql, tenant)}) AS unfolded`
}

const seriesOf = Effect.fnUntraced(function* (
  row: Row,
  filter: Conditions.Shortened,
  buckets: number,
) {
  // Statuses that the filter excludes are not counted.
  const passes = (status: Status) => filter.statuses?.includes(status) ?? true
  const hasPaid = passes("succeeded")
  const cells = yield* Effect.orDie(decodeCells(row.cells))
  const read = yield* Effect.forEach(
    cells,
    ([bucket, chainId, address, group, revenue, refunded, counts]) => {
      const unit = PaymentSort.unitOfGroup(group)
      if (unit === undefined) return Effect.die("a payment is in a unit that does not read")
      const cell: PaymentSeries.Cell = {
        bucket,
        token: chainId === "" ? null : decodeToken({ chainId, address }),
        unit,
        statuses: PaymentSeries.eachStatus((status) =>
          passes(status) ? (counts[PaymentState.statuses.indexOf(status)] ?? 0) : 0,
        ),
        revenue: hasPaid ? revenue : 0n,
        refunded: hasPaid ? refunded : 0n,
        times: hasPaid ? counts.slice(PaymentState.statuses.length) : [],
      }
      return Effect.succeed(cell)
    },
  )
  return PaymentSeries.sum(buckets, read)
})

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "paymentSeries"> => ({
  paymentSeries: Effect.fn("Storage.paymentSeries")(function* (tenant, all, edges, now) {
    const [first = 0, last = first] = [edges[0], edges.at(-1)]
    const filter = Conditions.shorten({
      ...all,
      createdFrom: Math.max(all.createdFrom ?? first, first),
      createdBefore: Math.min(all.createdBefore ?? last, last),
    })
    if (filter === null) return PaymentSeries.sum(edges.length - 1, [])
    const conditions = Conditions.of(filter, { sql, tenant, now })
    const asked = { sql, tenant, now, filter, conditions }
    // Planned for its own values each time, as pages are.
    const [row] = yield* Connection.guard(statement(asked, edges).unprepared)
    if (row === undefined) return yield* Effect.die("a SELECT without FROM has one row")
    yield* Stats.foldIfMany(sql, row.unfolded)
    return yield* seriesOf(row, filter, edges.length - 1)
  }),
})
