/**
 * Statistics of lists, as `PaymentQuery` defines them: exact at every moment, and all of the same moment.
 *
 * Stored are sums over merchants, tokens and whole days, and the number of customers of all time. Triggers record each
 * change of a payment next to that, and from time to time a batch of changes is folded in: readers add the changes that
 * are not folded yet. Only open payments past their expiry change by time alone; they are counted at each query.
 *
 * @module
 */
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as PaymentStats from "@florin/core/domain/list/PaymentStats"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Struct from "effect/Struct"
import * as Connection from "../Connection.ts"
import * as Names from "../schema/Names.ts"
import * as Conditions from "./Conditions.ts"

// Folding

const foldedAtOnce = 250

/** One in this many writes folds. */
const turnsPerFold = 256

/** With more changes than this, reading is slow, so the reader folds them too. */
const readMost = 1000

/** The column of a write that shows whether it is its turn to fold: one statement for both. */
export const isTurn = (sql: SqlClient): Fragment =>
  sql`nextval('florin.stats_turns') % ${sql.literal(turnsPerFold.toString())} = 0`

/** Folds every committed change, unless another process already folds. */
const fold = Effect.fnUntraced(function* (sql: SqlClient) {
  let folded = foldedAtOnce
  while (folded === foldedAtOnce) {
    const [row] = yield* sql<{
      readonly folded: bigint
    }>`SELECT florin.stats_fold(${foldedAtOnce}) AS folded`
    folded = Number(row?.folded ?? 0)
  }
})

/** No caller waits for a fold, and the next one makes up for one that fails, or that a lent connection leaves out. */
export const foldSoon = (sql: SqlClient): Effect.Effect<void> =>
  Effect.flatMap(Connection.IsLent, (isLent) =>
    isLent
      ? Effect.void
      : sql.afterCommit(
          Effect.asVoid(Effect.forkDetach(Effect.ignore(Connection.guard(fold(sql))))),
        ),
  )

/** Folds soon if there are so many changes that each reader is slow. */
export const foldIfMany = (sql: SqlClient, unfolded: number): Effect.Effect<void> =>
  unfolded > readMost ? foldSoon(sql) : Effect.void

// What is kept

/** The scope of statistics. */
export interface Asked extends Conditions.Scene {
  readonly filter: Conditions.Shortened
  readonly conditions: ReadonlyArray<Conditions.Condition>
}

type Known = Pick<Asked, "conditions" | "filter">

const areKept = (
  { conditions }: Known,
  kept: NonNullable<Conditions.Condition["kept"]>[number],
): boolean => conditions.every((each) => each.kept?.includes(kept))

/** The filter as far as the stored sums support it: they have no combination of merchants with tokens within days. */
const widened = (filter: Conditions.Shortened): Conditions.Shortened =>
  filter.merchantIds === null || (filter.createdFrom === null && filter.createdBefore === null)
    ? filter
    : { ...filter, tokens: null, chainIds: null }

/** Whether the precomputed sums know every filter, and this combination of them. */
export const hasSums = (asked: Known): boolean => {
  const { chainIds, tokens } = widened(asked.filter)
  return (
    areKept(asked, "sums") && tokens === asked.filter.tokens && chainIds === asked.filter.chainIds
  )
}

/** Whether the precomputed customers know every filter. */
export const hasCustomers = (asked: Known): boolean => areKept(asked, "customers")

const all = (sql: SqlClient): Fragment => sql.literal(Names.all.toString())

export const ofMerchants = (sql: SqlClient, { merchantIds }: Conditions.Shortened): Fragment =>
  sql`merchant IN (${merchantIds === null ? all(sql) : Conditions.numbersOf(sql, merchantIds)})`

/** The rows of tokens that pass, of those that have one token each. */
export const ofEachToken = (sql: SqlClient, { tokens, chainIds }: Conditions.Shortened): Fragment =>
  tokens !== null
    ? Conditions.areTokens(sql, tokens)
    : chainIds !== null
      ? sql`chain IN (${Conditions.numbersOf(sql, chainIds)})`
      : sql`chain <> ${all(sql)}`

/** The rows of tokens that pass: one of all tokens, if there is one. */
export const ofTokens = (sql: SqlClient, filter: Conditions.Shortened): Fragment =>
  filter.tokens === null && filter.chainIds === null
    ? sql`chain = ${all(sql)} AND asset = ${all(sql)}`
    : ofEachToken(sql, filter)

/** The days that a window touches, including partial ones. */
const days = (
  sql: SqlClient,
  { createdFrom, createdBefore }: Conditions.Shortened,
): ReadonlyArray<Fragment> => [
  ...(createdFrom === null ? [] : [sql`day >= ${Math.floor(createdFrom / Conditions.dayInMs)}`]),
  ...(createdBefore === null ? [] : [sql`day < ${Math.ceil(createdBefore / Conditions.dayInMs)}`]),
]

/** Conditions on merchants and tokens, for unfolded changes and payers. */
export const scopeOf = (
  filter: Conditions.Shortened,
  scene: Conditions.Scene,
): ReadonlyArray<Fragment> =>
  Conditions.of(Struct.pick(filter, ["merchantIds", "tokens", "chainIds"]), scene).map(
    ({ where }) => where,
  )

const storedStatuses = ({ statuses }: Conditions.Shortened): ReadonlyArray<PaymentState.Status> =>
  statuses ?? PaymentState.statuses

/** A sum over the columns of the statuses, which have the same names. */
const countOf = (sql: SqlClient, filter: Conditions.Shortened): Fragment =>
  sql.literal(`(${storedStatuses(filter).join(" + ")})`)

/** The sums of merchants, tokens and days, and the changes that are not folded in yet. */
const sums = (asked: Asked): Fragment => {
  const { sql, tenant } = asked
  const filter = widened(asked.filter)
  const window = days(sql, filter)
  const kept = sql.and([
    Conditions.isOf(sql, tenant),
    ofMerchants(sql, filter),
    ofTokens(sql, filter),
    ...(window.length === 0 ? [sql`day = -1`] : [sql`day >= 0`, ...window]),
  ])
  const fresh = sql.and([Conditions.isOf(sql, tenant), ...scopeOf(filter, asked), ...window])
  const statuses = storedStatuses(filter)
  const isIn = Conditions.isStored(sql, statuses)
  const [revenue, brought, refunded] = statuses.includes("succeeded")
    ? [
        sql`revenue`,
        sql`CASE WHEN ${Conditions.isStored(sql, ["succeeded"])} THEN sign * amount ELSE 0 END`,
        sql`refunded`,
      ]
    : [sql`0`, sql`0`, sql`0`]
  return sql`SELECT amount_group, ${countOf(sql, filter)} AS transactions, ${revenue} AS revenue,
      ${refunded} AS refunded, changes
      FROM florin.stats_totals WHERE ${kept}
    UNION ALL
    SELECT amount_group, CASE WHEN ${isIn} THEN sign ELSE 0 END, ${brought}, ${refunded}, 1
      FROM florin.stats_sides WHERE ${fresh}`
}

/** The stored customers, and those that the changes which are not folded in yet add or remove. */
const keptCustomers = ({ sql, tenant, filter, now }: Asked): Fragment => {
  const owned = Conditions.isOf(sql, tenant)
  const scope = scopeOf(filter, { sql, tenant, now })
  const column = sql.literal(filter.statuses === null ? "customers" : storedStatuses(filter).join())
  const onChain = filter.chainIds === null ? [] : [sql`asset = ${all(sql)}`]
  const status = filter.statuses === null ? [] : [Conditions.isStored(sql, filter.statuses)]
  const kept = sql.and([owned, ofMerchants(sql, filter), ofTokens(sql, filter), ...onChain])
  return sql`(SELECT coalesce(sum(${column}), 0) FROM florin.stats_customers WHERE ${kept})
    + (SELECT count(*) FILTER (WHERE had = 0 AND had + net > 0) - count(*) FILTER (WHERE had > 0 AND had + net = 0)
      FROM (
        SELECT customer, sum(sign) AS net FROM florin.stats_sides
        WHERE ${sql.and([owned, ...scope, ...status])} AND customer IS NOT NULL GROUP BY customer
      ) AS fresh, LATERAL (
        SELECT coalesce(sum(${countOf(sql, filter)}), 0) AS had FROM florin.stats_payers
        WHERE ${sql.and([owned, ...scope])} AND customer = fresh.customer
      ) AS held)`
}

// What is computed

/** With the statuses that are stored. A text is found by the index of references, or looked for in each payment. */
export const isPassing = ({ sql, tenant, conditions }: Asked, isIndexed = true): Fragment =>
  sql.and([
    Conditions.isOf(sql, tenant),
    ...conditions.map(({ found, stored, where }) => (isIndexed && found) || (stored ?? where)),
  ])

/** In so many of the newest payments it is counted how common a text is. */
const sampleMost = 10_000

/** What is read of the payments that pass. For a text that a tenth has, reading them all is faster than its index. */
const ofPassing = (asked: Asked, read: (where: Fragment) => Fragment): Fragment => {
  const { filter, sql } = asked
  return filter.reference === null
    ? read(isPassing(asked))
    : sql`${read(sql`${isPassing(asked)} AND (SELECT NOT is_common FROM sampled)`)}
      UNION ALL ${read(sql`${isPassing(asked, false)} AND (SELECT is_common FROM sampled)`)}`
}

/** The refunds of the tenant's payments, as far as the date of the payment tells. */
export const refundsWithin = ({ sql, tenant, filter }: Asked): Fragment => {
  const { createdBefore, createdFrom } = filter
  const where = sql.and([
    sql`partner_id = ${tenant.partnerId} AND mode = ${tenant.mode}`,
    ...(createdFrom === null ? [] : [sql`created_at >= ${createdFrom}`]),
    ...(createdBefore === null ? [] : [sql`created_at < ${createdBefore}`]),
  ])
  return sql`(SELECT payment_id, amount AS refunded FROM florin.refunds WHERE ${where})`
}

/** The parts of what is computed. Payments are read from an index alone, and once; few of them are refunded. */
const computedFrom = (asked: Asked): Fragment => {
  const { filter, sql, tenant } = asked
  const sampled = sql`sampled AS MATERIALIZED (
      SELECT 10 * count(*) FILTER (WHERE position(${filter.reference} IN reference) > 0) > count(*) AS is_common
      FROM (
        SELECT reference FROM florin.payments WHERE ${Conditions.isOf(sql, tenant)}
        ORDER BY created_at DESC LIMIT ${sampleMost}
      ) AS newest
    ), `
  return sql`, ${filter.reference === null ? sql`` : sampled}passing AS (${ofPassing(
    asked,
    (where) => sql`SELECT amount_group, customer,
        CASE WHEN ${Conditions.isStored(sql, ["succeeded"])} THEN amount ELSE 0 END AS revenue
      FROM florin.payments WHERE ${where}`,
  )}), returned AS (${ofPassing(
    asked,
    (where) => sql`SELECT amount_group, refunded FROM ${refundsWithin(asked)} AS asked
      JOIN florin.payments ON id = payment_id WHERE ${where}`,
  )})`
}

const hasStatus = ({ statuses }: Conditions.Shortened, status: PaymentState.Status): boolean =>
  statuses === null || statuses.includes(status)

/** How open payments past their expiry count: they are stored as open, but are expired. */
const overdueSign = (filter: Conditions.Shortened): number =>
  Number(hasStatus(filter, "expired")) - Number(hasStatus(filter, "requires_action"))

/** The condition on open payments past their expiry, whichever statuses are asked for. */
export const areOverdue = ({ sql, tenant, filter, now }: Asked): Fragment =>
  sql.and([
    Conditions.isOf(sql, tenant),
    ...Conditions.of({ ...filter, statuses: null }, { sql, tenant, now }).map(({ where }) => where),
    Conditions.isOverdue(sql, now),
  ])

const overdue = (asked: Asked): Fragment =>
  overdueSign(asked.filter) === 0
    ? asked.sql`0`
    : asked.sql`(SELECT count(*)::integer FROM florin.payments WHERE ${areOverdue(asked)})`

// Both

const Groups = Schema.Array(
  Schema.Tuple([Schema.String, Schema.Number, Schema.BigIntFromString, Schema.BigIntFromString]),
)
const decodeGroups = Schema.decodeUnknownEffect(Groups)

interface Row {
  /** How often something changed for these merchants, tokens and days: it only ever rises. */
  readonly changes: string
  /** How many changes of the tenant are not folded yet. */
  readonly unfolded: number
  readonly groups: unknown
  readonly customers: string | bigint | null
  readonly overdue: number
}

/**
 * All of one moment, because it is one statement; statistics that are not stored are only read if they must be
 * computed.
 */
const statement = (asked: Asked, isComputed: boolean) => {
  const { sql, tenant } = asked
  const source = hasSums(asked)
    ? sql`sums`
    : sql`(SELECT amount_group, 1 AS transactions, revenue, 0 AS refunded FROM passing
        UNION ALL SELECT amount_group, 0, 0, refunded FROM returned) AS counted`
  const groups =
    isComputed || hasSums(asked)
      ? sql`(SELECT coalesce(json_agg(json_build_array(amount_group, transactions, revenue::text, refunded::text)), '[]') FROM (
          SELECT amount_group, sum(transactions) AS transactions, sum(revenue) AS revenue, sum(refunded) AS refunded
          FROM ${source} GROUP BY amount_group) AS grouped)`
      : sql`NULL`
  const customers = hasCustomers(asked)
    ? keptCustomers(asked)
    : isComputed
      ? sql`(SELECT count(DISTINCT customer) FROM passing)`
      : sql`NULL`
  return sql<Row>`WITH sums AS MATERIALIZED (${sums(asked)})${isComputed ? computedFrom(asked) : sql``}
    SELECT (SELECT coalesce(sum(changes), 0) FROM sums) AS changes,
      (SELECT count(*)::integer FROM florin.stats_changes WHERE ${Conditions.isOf(sql, tenant)}) AS unfolded,
      ${groups} AS groups, ${customers} AS customers, ${overdue(asked)} AS overdue`
}

const statsOf = Effect.fnUntraced(function* (row: Row, filter: Conditions.Shortened) {
  const groups = yield* Effect.orDie(decodeGroups(row.groups))
  // No payment requests zero: if there is no revenue, no payment has succeeded.
  const earned = groups.filter(([, , revenue]) => revenue > 0n)
  const stats: PaymentStats.Stats = {
    revenue: yield* Effect.forEach(
      earned.toSorted(([left], [right]) => (left < right ? -1 : 1)),
      ([group, , quantity, refunded]) => {
        const unit = PaymentSort.unitOfGroup(group)
        return unit === undefined
          ? Effect.die("a payment is in a unit that does not read")
          : Effect.succeed({ unit, quantity, refunded })
      },
    ),
    transactions:
      groups.reduce((sum, [, transactions]) => sum + transactions, 0) +
      overdueSign(filter) * row.overdue,
    customers: Number(row.customers),
  }
  return stats
})

/** For how many filters a process caches computed statistics: the most recently requested ones. */
const rememberedMost = 1000

/** Caches computed rows, each with the number of changes at that time. */
const makeMemory = () => {
  const rows = new Map<string, Row>()
  return {
    has: (key: string) => rows.has(key),
    /** The cached row, if nothing that it counts has changed since. */
    recall: (key: string, now: Row): Row | null => {
      const earlier = rows.get(key)
      return earlier !== undefined && earlier.changes === now.changes
        ? { ...earlier, overdue: now.overdue }
        : null
    },
    keep: (key: string, row: Row) => {
      rows.delete(key)
      rows.set(key, row)
      const [oldest] = rows.keys()
      if (rows.size > rememberedMost && oldest !== undefined) rows.delete(oldest)
    },
  }
}

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "paymentStats"> => {
  const memory = makeMemory()
  const ask = Effect.fnUntraced(function* (asked: Asked, isComputed: boolean) {
    // Planned for its own values each time, as pages are.
    const [row] = yield* statement(asked, isComputed).unprepared
    if (row === undefined) return yield* Effect.die("a SELECT without FROM has one row")
    yield* foldIfMany(sql, row.unfolded)
    return row
  })
  const rowOf = Effect.fnUntraced(function* (asked: Asked) {
    if (hasSums(asked) && hasCustomers(asked)) return yield* ask(asked, false)
    const { filter, tenant } = asked
    const key = JSON.stringify([tenant.partnerId, tenant.mode, filter])
    const known = memory.has(key) ? memory.recall(key, yield* ask(asked, false)) : null
    const row = known ?? (yield* ask(asked, true))
    memory.keep(key, row)
    return row
  })
  return {
    paymentStats: Effect.fn("Storage.paymentStats")(function* (tenant, asked, now) {
      const filter = Conditions.shorten(asked)
      if (filter === null) return PaymentStats.none
      const conditions = Conditions.of(filter, { sql, tenant, now })
      const row = yield* Connection.guard(rowOf({ sql, tenant, now, filter, conditions }))
      return yield* statsOf(row, filter)
    }),
  }
}
