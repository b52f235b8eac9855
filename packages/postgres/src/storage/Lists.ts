/**
 * Pages of lists, as `PaymentQuery` defines them.
 *
 * A page is read from an index in the order of the list, from the place where the previous page ended. If a filter
 * allows several values, each is read in that order on its own, and the page is merged from their first rows.
 *
 * No index has every filter in every order. For other lists, the first part of the list is read without the filters: if
 * many payments pass, that is enough. If few pass, all of them are read and sorted. So neither case reads many rows.
 *
 * @module
 */
import type * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import type * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import type { Tenant } from "@florin/core/ports/AccountStore"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Struct from "effect/Struct"
import * as Conditions from "./Conditions.ts"
import * as Document from "./Document.ts"
import * as PaymentRow from "./PaymentRow.ts"

interface Listed {
  readonly sql: SqlClient
  readonly tenant: Tenant
  readonly filter: Conditions.Shortened
  readonly conditions: ReadonlyArray<Conditions.Condition>
  readonly query: PaymentQuery.PaymentQuery
}

/** The columns of a sort, in its direction. */
const order = ({ sql, query: { sort } }: Listed) => {
  const columns = sort.by === "date" ? ["created_at", "id"] : ["amount_group", "amount", "id"]
  const direction = sort.direction === "asc" ? "ASC" : "DESC"
  return {
    columns: sql.literal(columns.join(", ")),
    orderBy: sql.literal(`ORDER BY ${columns.map((each) => `${each} ${direction}`).join(", ")}`),
  }
}

/** The part of the list after the previous page, in the order of the list. */
const following = (listed: Listed): ReadonlyArray<Fragment> => {
  const { sql, query } = listed
  const { after, sort } = query
  if (after === null) return []
  const comparison = sql.literal(sort.direction === "asc" ? ">" : "<")
  const place =
    sort.by === "date"
      ? sql`(${after.value}::bigint, ${after.id})`
      : sql`(${after.group}, ${after.value.toString()}::numeric, ${after.id})`
  return [sql`(${order(listed).columns}) ${comparison} ${place}`]
}

const whereOf = ({ where }: Conditions.Condition): Fragment => where

/**
 * How an index has exactly this list: within date bounds, and by the values of one filter at most. Null if no index has
 * it, for example because a filter's condition names none.
 */
export const indexFor = (
  conditions: ReadonlyArray<Conditions.Condition>,
  by: PaymentSort.Sort["by"],
) => {
  const isBound = ({ boundsDates }: Conditions.Condition) => by === "date" && boundsDates === true
  const [first, ...others] = conditions.filter((each) => !isBound(each))
  const isListed = first === undefined || first.listed?.by === by
  return isListed && others.length === 0
    ? { bounds: conditions.filter(isBound), pages: first?.listed?.pages ?? null }
    : null
}

/** A page that is read from an index as it is. */
const fromIndex = (
  listed: Listed,
  { bounds, pages }: NonNullable<ReturnType<typeof indexFor>>,
): Fragment => {
  const { sql, tenant, query } = listed
  const { columns, orderBy } = order(listed)
  const ranged = [Conditions.isOf(sql, tenant), ...following(listed), ...bounds.map(whereOf)]
  const select = (...where: ReadonlyArray<Fragment>) =>
    sql`SELECT ${columns} FROM florin.payments WHERE ${sql.and([...ranged, ...where])}
      ${orderBy} LIMIT ${query.limit + 1}`
  return pages === null ? select() : pages(select)
}

/** How much of a list is read without its filters. */
const nearMost = 10_000

/** With more matches of a search than this, the other filters are applied first. */
const foundMost = 10_000

/**
 * All payments that pass, with the parts that the statement needs for it. A search alone reads only references. With
 * other filters, the statement reads the payments that the search finds or, if it finds many, those that the other
 * filters leave.
 *
 * OFFSET 0 keeps the planner from scanning the list in its order again because it expects many matches.
 */
const everything = (
  { sql, tenant, filter }: Listed,
  columns: Fragment,
  where: Fragment,
): { readonly part: Fragment; readonly rows: Fragment } => {
  const { reference } = filter
  if (reference === null) {
    return {
      part: sql``,
      rows: sql`SELECT ${columns} FROM florin.payments WHERE ${where} OFFSET 0`,
    }
  }
  const searched = Conditions.search(sql, tenant, reference)
  const others = Struct.omit(filter, ["reference", "createdFrom", "createdBefore"])
  if (Object.values(others).every((value) => value === null)) {
    return {
      part: sql``,
      rows: sql`SELECT ${columns} FROM (SELECT payment_id AS id, * FROM florin.payment_references) AS kept
        WHERE ${where} AND ${searched} OFFSET 0`,
    }
  }
  return {
    part: sql`, found AS MATERIALIZED (
      SELECT payment_id FROM florin.payment_references WHERE ${searched} AND (SELECT is_short FROM begun) LIMIT ${foundMost}
    )`,
    rows: sql`(SELECT ${columns} FROM found JOIN florin.payments ON id = payment_id
        WHERE ${where} AND (SELECT count(*) FROM found) < ${foundMost} OFFSET 0)
      UNION ALL
      (SELECT ${columns} FROM florin.payments
        WHERE ${where} AND (SELECT count(*) FROM found) = ${foundMost} OFFSET 0)`,
  }
}

/**
 * Any page: the matches in the first part of the list or, if those do not fill a page, in all of it. Both are read from
 * indexes alone.
 */
const nearOrAll = (listed: Listed): Fragment => {
  const { sql, tenant, conditions, query } = listed
  const { by } = query.sort
  const { columns, orderBy } = order(listed)
  const limit = sql`LIMIT ${query.limit + 1}`
  const narrowest = conditions.find((each) => each.listed?.isOwnList && each.listed.by === by)
  const isRanged = (each: Conditions.Condition) =>
    each === narrowest || (by === "date" && each.boundsDates === true)
  const ranged = [
    Conditions.isOf(sql, tenant),
    ...following(listed),
    ...conditions.filter(isRanged).map(whereOf),
  ]
  const filters = conditions.filter((each) => !isRanged(each)).map(whereOf)
  const all = [...ranged, ...filters, sql`(SELECT is_short FROM begun)`]
  const { part, rows } = everything(listed, columns, sql.and(all))
  return sql`WITH near AS MATERIALIZED (
      SELECT ${columns} FROM (
        SELECT id, merchant, standing, expires_at, chain, asset, reference, created_at, amount_group, amount
        FROM florin.payments WHERE ${sql.and(ranged)} ${orderBy} LIMIT ${nearMost}
      ) AS walked WHERE ${sql.and(filters)} ${orderBy} ${limit}
    ), begun AS MATERIALIZED (SELECT count(*) <= ${query.limit} AS is_short FROM near)${part}
    SELECT ${columns} FROM near WHERE (SELECT NOT is_short FROM begun)
    UNION ALL
    (SELECT ${columns} FROM (${rows}) AS every ${orderBy} ${limit})`
}

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "payments"> => ({
  payments: Effect.fn("Storage.payments")(function* (tenant, query, now) {
    const filter = Conditions.shorten(query.filter)
    if (filter === null) return { items: [], hasMore: false }
    const conditions = Conditions.of(filter, { sql, tenant, now })
    const listed: Listed = { sql, tenant, filter, conditions, query }
    const index = indexFor(conditions, query.sort.by)
    const rows = index === null ? nearOrAll(listed) : fromIndex(listed, index)
    const { orderBy } = order(listed)
    const page = sql<Document.Row>`
      SELECT whole.document
      FROM (SELECT * FROM (${rows}) AS found ${orderBy} LIMIT ${query.limit + 1}) AS listed
        JOIN florin.whole_payments AS whole USING (id) ${orderBy}`
    // Planned for its own values each time: a rare status needs another index than a common one.
    const found = yield* Document.list(PaymentRow.document, page.unprepared)
    return { items: found.slice(0, query.limit), hasMore: found.length > query.limit }
  }),
})
