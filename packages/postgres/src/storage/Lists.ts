/**
 * Lists of payments and their statistics, as `PaymentQuery` defines them.
 *
 * A page is read from an index in the order of the list, from the place where the page before it ended. Where a filter
 * allows several values, each is read in that order on its own, and the page is merged from what they begin with.
 *
 * @module
 */
import * as Asset from "@florin/core/domain/Asset"
import type * as Caip from "@florin/core/domain/Caip"
import * as PaymentQuery from "@florin/core/domain/PaymentQuery"
import type * as PaymentState from "@florin/core/domain/PaymentState"
import type { Storage, Tenant } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "../Connection.ts"
import * as Document from "./Document.ts"
import * as PaymentRow from "./PaymentRow.ts"

/** A filter without anything said twice, and with symbols read as the tokens that have them. */
interface Allowed {
  readonly createdFrom: number | null
  readonly createdBefore: number | null
  readonly reference: string | null
  readonly merchantIds: ReadonlyArray<string> | null
  readonly statuses: ReadonlyArray<PaymentState.Status> | null
  readonly tokens: ReadonlyArray<Caip.Token> | null
  readonly chainIds: ReadonlyArray<number> | null
}

const distinct = <A>(values: ReadonlyArray<A> | null): ReadonlyArray<A> | null =>
  values === null ? null : [...new Set(values)]

/** The tokens that pass, or null where only chains are named or nothing is: tokens that nobody knows have a chain too. */
const tokensOf = (filter: PaymentQuery.Filter): ReadonlyArray<Caip.Token> | null => {
  if (filter.tokens === null && filter.tokenSymbols === null) return null
  const named = filter.tokens ?? Asset.all.map(({ token }) => token)
  const passing = named.filter((token) => PaymentQuery.tokenMatches(token, filter))
  return [...new Map(passing.map((each) => [`${each.chainId}/${each.address}`, each])).values()]
}

/** What the filter lets through, or null where that is nothing. */
const allowed = (filter: PaymentQuery.Filter): Allowed | null => {
  const { createdFrom, createdBefore, reference } = filter
  const merchantIds = distinct(filter.merchantIds)
  const statuses = distinct(filter.statuses)
  const tokens = tokensOf(filter)
  const chainIds = tokens === null ? distinct(filter.chainIds) : null
  return [merchantIds, statuses, tokens, chainIds].some((values) => values?.length === 0)
    ? null
    : { createdFrom, createdBefore, reference, merchantIds, statuses, tokens, chainIds }
}

/** The rows of each status at `now`: no row has two. An open payment whose time is over is expired, as stored or not. */
const statusConditions = (
  sql: SqlClient,
  statuses: ReadonlyArray<PaymentState.Status>,
  now: number,
): ReadonlyArray<Fragment> => {
  const stored = (status: PaymentState.Status) => sql`status = ${status}`
  const open = stored("requires_action")
  const nowInS = Math.floor(now / 1000)
  const [hasOpen, hasExpired] = [statuses.includes("requires_action"), statuses.includes("expired")]
  return [
    ...statuses.filter((status) => status !== "requires_action").map(stored),
    ...(hasOpen && hasExpired ? [open] : []),
    ...(hasOpen && !hasExpired ? [sql`${open} AND expires_at > ${nowInS}`] : []),
    ...(hasExpired && !hasOpen ? [sql`${open} AND expires_at <= ${nowInS}`] : []),
  ]
}

/** Shorter texts are in no index: it holds pieces of this length. */
const pieceLength = 3

/** The conditions that a payment meets whatever its status, merchant, token and chain. */
const commonConditions = (
  sql: SqlClient,
  { partnerId, mode }: Tenant,
  { createdFrom, createdBefore, reference }: Allowed,
): ReadonlyArray<Fragment> => [
  sql`partner_id = ${partnerId}`,
  sql`mode = ${mode}`,
  ...(createdFrom === null ? [] : [sql`created_at >= ${createdFrom}`]),
  ...(createdBefore === null ? [] : [sql`created_at < ${createdBefore}`]),
  ...(reference === null ? [] : [sql`position(${reference} IN reference) > 0`]),
  ...(reference === null || reference.length < pieceLength
    ? []
    : [
        sql`reference_pieces(partner_id, mode, reference) @> reference_pieces(${partnerId}, ${mode}, ${reference})`,
      ]),
]

/** A filter that names values: as one condition, and as a table of its values with the condition that one of them sets. */
interface Named {
  readonly isOne: boolean
  readonly anyOf: Fragment
  readonly values: Fragment
  readonly onEach: Fragment
}

const byMerchant = (sql: SqlClient, ids: ReadonlyArray<string>): Named => ({
  isOne: ids.length === 1,
  anyOf: sql.in("merchant_id", ids),
  values: sql`unnest(${ids}::text[]) AS each (merchant)`,
  onEach: sql`merchant_id = each.merchant`,
})

const byToken = (sql: SqlClient, tokens: ReadonlyArray<Caip.Token>): Named => {
  const addresses = tokens.map(({ address }) => address)
  const chainIds = tokens.map(({ chainId }) => chainId.toString())
  return {
    isOne: tokens.length === 1,
    anyOf: sql.or(
      tokens.map(({ address, chainId }) => sql`(token = ${address} AND chain_id = ${chainId})`),
    ),
    values: sql`unnest(${addresses}::text[], ${chainIds}::text[]::bigint[]) AS each (address, chain)`,
    onEach: sql`token = each.address AND chain_id = each.chain`,
  }
}

const byChain = (sql: SqlClient, chainIds: ReadonlyArray<number>): Named => ({
  isOne: chainIds.length === 1,
  anyOf: sql.in("chain_id", chainIds),
  values: sql`unnest(${chainIds.map(String)}::text[]::bigint[]) AS each (chain)`,
  onEach: sql`chain_id = each.chain`,
})

const namedValues = (
  sql: SqlClient,
  { merchantIds, tokens, chainIds }: Allowed,
): ReadonlyArray<Named> => [
  ...(merchantIds === null ? [] : [byMerchant(sql, merchantIds)]),
  ...(tokens === null ? [] : [byToken(sql, tokens)]),
  ...(chainIds === null ? [] : [byChain(sql, chainIds)]),
]

/** Everything that passes. */
const conditions = (sql: SqlClient, tenant: Tenant, passing: Allowed, now: number) => ({
  common: commonConditions(sql, tenant, passing),
  named: namedValues(sql, passing),
  statuses: passing.statuses === null ? [] : statusConditions(sql, passing.statuses, now),
})

/** Whether few payments have these statuses: sooner or later most have succeeded. */
const areRare = (statuses: Allowed["statuses"]): boolean =>
  statuses !== null && !statuses.includes("succeeded")

/** The columns of a sort, and the place that a page follows. */
const order = (sql: SqlClient, { sort, after }: PaymentQuery.PaymentQuery) => {
  const columns = sort.by === "date" ? ["created_at", "id"] : ["amount_group", "amount", "id"]
  const [direction, comparison] = sort.direction === "asc" ? ["ASC", ">"] : ["DESC", "<"]
  const place =
    after === null
      ? null
      : sort.by === "date"
        ? sql`(${after.value}::bigint, ${after.id})`
        : sql`(${after.group}, ${after.value.toString()}::numeric, ${after.id})`
  return {
    columns: sql.literal(columns.join(", ")),
    orderBy: sql.literal(`ORDER BY ${columns.map((each) => `${each} ${direction}`).join(", ")}`),
    following:
      place === null
        ? []
        : [sql`(${sql.literal(columns.join(", "))}) ${sql.literal(comparison)} ${place}`],
  }
}

/**
 * The statement of a page and of one row more, which tells whether there is another page. By date, the one filter that
 * leaves the least is read value by value, each from its index in the order of the list; the others are looked at on
 * the way. No index is both of a filter and in the order of amounts: there the database chooses.
 */
const pageOf = (
  sql: SqlClient,
  tenant: Tenant,
  passing: Allowed,
  query: PaymentQuery.PaymentQuery,
  now: number,
) => {
  const { columns, following, orderBy } = order(sql, query)
  const { common, named, statuses } = conditions(sql, tenant, passing, now)
  const limit = sql`LIMIT ${query.limit + 1}`
  const select = (where: ReadonlyArray<Fragment>) =>
    sql`SELECT ${columns}, document FROM payments
      WHERE ${sql.and([...common, ...following, ...where])} ${orderBy} ${limit}`
  const merged = (rows: Fragment) =>
    sql<Document.Row>`SELECT document FROM (${rows}) AS listed ${orderBy} ${limit}`

  const anyOf = (filters: ReadonlyArray<Named>) => filters.map((each) => each.anyOf)
  const anyStatus = statuses.length === 0 ? [] : [sql.or(statuses)]
  const [first, ...others] = named
  const byStatus =
    statuses.length > 1 &&
    (first === undefined || (passing.merchantIds === null && areRare(passing.statuses)))
  if (query.sort.by === "date" && byStatus) {
    const ofEach = statuses.map((status) => sql`(${select([...anyOf(named), status])})`)
    return merged(sql.join(" UNION ALL ", false)(ofEach))
  }
  if (query.sort.by === "date" && first !== undefined && !first.isOne) {
    const ofEach = select([...anyOf(others), ...anyStatus, first.onEach])
    return merged(sql`SELECT page.* FROM ${first.values} CROSS JOIN LATERAL (${ofEach}) AS page`)
  }
  return merged(select([...anyOf(named), ...anyStatus]))
}

interface Group {
  /** Null in the row of all groups together. */
  readonly amount_group: string | null
  readonly transactions: bigint
  readonly revenue: string | null
  readonly customers: bigint
}

/** Adds up what the payments of each unit brought in. */
const statsOf = Effect.fnUntraced(function* (groups: ReadonlyArray<Group>) {
  let tally = PaymentQuery.emptyStats
  let customers = 0
  for (const { amount_group, revenue, ...counts } of groups) {
    if (amount_group === null) {
      customers = Number(counts.customers)
      continue
    }
    const unit = PaymentQuery.unitOfGroup(amount_group)
    if (unit === undefined) return yield* Effect.die("a payment is in a unit that does not read")
    const part = revenue === null ? null : PaymentQuery.revenueIn(unit, BigInt(revenue))
    tally = PaymentQuery.mergeStats(tally, {
      revenue: new Map(part === null ? [] : [[part.currency, part]]),
      transactions: Number(counts.transactions),
      payers: new Set(),
    })
  }
  return { ...PaymentQuery.toStats(tally), customers }
})

export const make = (sql: SqlClient): Pick<Storage["Service"], "payments" | "paymentStats"> => ({
  payments: Effect.fn("Storage.payments")(function* (tenant, query, now) {
    const passing = allowed(query.filter)
    if (passing === null) return { items: [], hasMore: false }
    const page = pageOf(sql, tenant, passing, query, now)
    // Planned for its own values each time: a rare status wants another index than a common one.
    const found = yield* Connection.guard(Document.all(PaymentRow.document, page.unprepared))
    return { items: found.slice(0, query.limit), hasMore: found.length > query.limit }
  }),

  paymentStats: Effect.fn("Storage.paymentStats")(function* (tenant, filter, now) {
    const passing = allowed(filter)
    if (passing === null) return PaymentQuery.toStats(PaymentQuery.emptyStats)
    const { common, named, statuses } = conditions(sql, tenant, passing, now)
    const groups = sql<Group>`SELECT amount_group, count(*) AS transactions,
        sum(amount) FILTER (WHERE status = 'succeeded') AS revenue, count(DISTINCT payer) AS customers
      FROM payments
      WHERE ${sql.and([...common, ...named.map(({ anyOf }) => anyOf), ...(statuses.length === 0 ? [] : [sql.or(statuses)])])}
      GROUP BY GROUPING SETS ((amount_group), ())`
    return yield* statsOf(yield* Connection.guard(groups.unprepared))
  }),
})
