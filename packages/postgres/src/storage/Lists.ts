/**
 * Pages of lists, as `PaymentQuery` defines them.
 *
 * A page is read from an index in the order of the list, from the place where the page before it ended. Where a filter
 * allows several values, each is read in that order on its own, and the page is merged from what they begin with.
 *
 * No index has every filter in every order. For the others the list is read without the filters for a while: where many
 * payments pass, that is all. Where few do, all of them are gathered and put in order. So neither reads many.
 *
 * @module
 */
import type * as PaymentQuery from "@florin/core/domain/PaymentQuery"
import type { Storage, Tenant } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "../Connection.ts"
import * as Document from "./Document.ts"
import * as Passing from "./Passing.ts"
import * as PaymentRow from "./PaymentRow.ts"

interface Listed {
  readonly sql: SqlClient
  readonly tenant: Tenant
  readonly passing: Passing.Passing
  readonly query: PaymentQuery.PaymentQuery
  readonly now: number
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

/** The part of the list that follows the page before, in the order of the list. */
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

/** A page by date with one filter at most, or by amount with merchants only: an index has it as it is. */
const inIndex = (listed: Listed): Fragment => {
  const { sql, tenant, passing, query, now } = listed
  const { columns, orderBy } = order(listed)
  const ranged = [Passing.isOf(sql, tenant), ...following(listed), ...Passing.window(sql, passing)]
  const [first] = Passing.named(sql, passing)
  const statuses = Passing.statuses(sql, passing, now)
  const select = (where: ReadonlyArray<Fragment>) =>
    sql`SELECT ${columns} FROM payments WHERE ${sql.and([...ranged, ...where])}
      ${orderBy} LIMIT ${query.limit + 1}`
  if (statuses.length > 0) {
    return sql.join(" UNION ALL ", false)(statuses.map((status) => sql`(${select([status])})`))
  }
  return first === undefined
    ? select([])
    : sql`SELECT page.* FROM ${first.values} CROSS JOIN LATERAL (${select([first.onEach])}) AS page`
}

const isInIndex = ({ passing, query }: Listed): boolean => {
  const { reference, createdFrom, createdBefore, merchantIds, statuses, tokens, chainIds } = passing
  if (reference !== null || chainIds !== null) return false
  return query.sort.by === "date"
    ? [merchantIds, statuses, tokens].filter((each) => each !== null).length <= 1
    : [statuses, tokens, createdFrom, createdBefore].every((each) => each === null)
}

/** How much of a list is read without its filters. */
const nearMost = 10_000

/** How many a search may find before the other filters are the better way. */
const foundMost = 10_000

/**
 * All that passes, with the parts that the statement needs for it. A search alone reads references alone. With other
 * filters it reads the payments that it finds, or where it finds many, those that the other filters leave.
 *
 * OFFSET 0 keeps the database from going through the list in its order once more, in the hope of many.
 */
const everything = (
  { sql, tenant, passing }: Listed,
  columns: Fragment,
  where: Fragment,
): { readonly part: Fragment; readonly rows: Fragment } => {
  const { reference, merchantIds, statuses, tokens, chainIds } = passing
  if (reference === null) {
    return { part: sql``, rows: sql`SELECT ${columns} FROM payments WHERE ${where} OFFSET 0` }
  }
  const searched = Passing.search(sql, tenant, reference)
  if ([merchantIds, statuses, tokens, chainIds].every((each) => each === null)) {
    return {
      part: sql``,
      rows: sql`SELECT ${columns} FROM (SELECT payment_id AS id, * FROM payment_references) AS kept
        WHERE ${where} AND ${searched} OFFSET 0`,
    }
  }
  return {
    part: sql`, found AS MATERIALIZED (
      SELECT payment_id FROM payment_references WHERE ${searched} AND (SELECT is_short FROM begun) LIMIT ${foundMost}
    )`,
    rows: sql`(SELECT ${columns} FROM found JOIN payments ON id = payment_id
        WHERE ${where} AND (SELECT count(*) FROM found) < ${foundMost} OFFSET 0)
      UNION ALL
      (SELECT ${columns} FROM payments
        WHERE ${where} AND (SELECT count(*) FROM found) = ${foundMost} OFFSET 0)`,
  }
}

/**
 * Any page: what passes of the beginning of the list or, where that is not a page, of all of it. Both are read from
 * indexes alone.
 */
const nearOrAll = (listed: Listed): Fragment => {
  const { sql, tenant, passing, query, now } = listed
  const { columns, orderBy } = order(listed)
  const limit = sql`LIMIT ${query.limit + 1}`
  const isByDate = query.sort.by === "date"
  const window = Passing.window(sql, passing)
  const named = Passing.named(sql, passing)
  // The payments of one merchant or token are a list of their own.
  const narrowest = named.filter(({ listedBy }) => listedBy.includes(query.sort.by)).slice(0, 1)
  const ranged = [
    Passing.isOf(sql, tenant),
    ...following(listed),
    ...(isByDate ? window : []),
    ...narrowest.map(({ anyOf }) => anyOf),
  ]
  const statuses = Passing.statuses(sql, passing, now)
  const filters = [
    ...(isByDate ? [] : window),
    ...named.filter((each) => !narrowest.includes(each)).map(({ anyOf }) => anyOf),
    ...(statuses.length === 0 ? [] : [sql.or(statuses)]),
    ...(passing.reference === null ? [] : [sql`position(${passing.reference} IN reference) > 0`]),
  ]
  const all = [...ranged, ...filters, sql`(SELECT is_short FROM begun)`]
  const { part, rows } = everything(listed, columns, sql.and(all))
  return sql`WITH near AS MATERIALIZED (
      SELECT ${columns} FROM (
        SELECT id, merchant_id, status, expires_at, chain_id, token, reference, created_at, amount_group, amount
        FROM payments WHERE ${sql.and(ranged)} ${orderBy} LIMIT ${nearMost}
      ) AS walked WHERE ${sql.and(filters)} ${orderBy} ${limit}
    ), begun AS MATERIALIZED (SELECT count(*) <= ${query.limit} AS is_short FROM near)${part}
    SELECT ${columns} FROM near WHERE (SELECT NOT is_short FROM begun)
    UNION ALL
    (SELECT ${columns} FROM (${rows}) AS every ${orderBy} ${limit})`
}

export const make = (sql: SqlClient): Pick<Storage["Service"], "payments"> => ({
  payments: Effect.fn("Storage.payments")(function* (tenant, query, now) {
    const passing = Passing.of(query.filter)
    if (passing === null) return { items: [], hasMore: false }
    const listed: Listed = { sql, tenant, passing, query, now }
    const rows = isInIndex(listed) ? inIndex(listed) : nearOrAll(listed)
    const { orderBy } = order(listed)
    const page = sql<Document.Row>`
      SELECT (SELECT document FROM payments WHERE id = listed.id) AS document
      FROM (SELECT * FROM (${rows}) AS found ${orderBy} LIMIT ${query.limit + 1}) AS listed ${orderBy}`
    // Planned for its own values each time: a rare status wants another index than a common one.
    const found = yield* Connection.guard(Document.all(PaymentRow.document, page.unprepared))
    return { items: found.slice(0, query.limit), hasMore: found.length > query.limit }
  }),
})
