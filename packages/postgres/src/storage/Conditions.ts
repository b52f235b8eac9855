/**
 * Filters as SQL conditions, for pages and statistics alike.
 *
 * A row of the table is a filter: its condition, the indexes that have its payments in order, and the precomputed statistics
 * that know it. If a row names no index or no statistics, none is used: that is slower, and never wrong.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as Amount from "@florin/core/domain/money/Amount"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import type { Tenant } from "@florin/core/ports/AccountStore"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Struct from "effect/Struct"
import { standing } from "../schema/Payments.ts"

type Values = Omit<PaymentFilter.Values, "tokenSymbols">

/** A filter without duplicates and without members that filter nothing. Symbols are replaced by their tokens. */
export type Shortened = { readonly [K in keyof Values]: Values[K] | null }

const distinct = <A>(values: ReadonlyArray<A> | null): ReadonlyArray<A> | null =>
  values === null ? null : [...new Set(values)]

/** The tokens that pass; null if only chains are named, or nothing: unknown tokens have a chain too. */
const tokensOf = (filter: PaymentFilter.Filter): ReadonlyArray<Caip.Token> | null => {
  if (filter.tokens === null && filter.tokenSymbols === null) return null
  const named = filter.tokens ?? filter.tokenSymbols?.tokens ?? []
  const passing = named.filter((token) => PaymentFilter.tokenMatches(token, filter))
  return [...new Map(passing.map((each) => [`${each.chainId}/${each.address}`, each])).values()]
}

const statusesOf = (filter: PaymentFilter.Filter): ReadonlyArray<PaymentState.Status> | null => {
  const statuses = distinct(filter.statuses)
  return statuses?.length === PaymentState.statuses.length ? null : statuses
}

/** The filter in short form; null if nothing can pass it. */
export const shorten = (filter: PaymentFilter.Filter): Shortened | null => {
  const tokens = tokensOf(filter)
  const shortened: Shortened = {
    ...Struct.omit(filter, ["tokenSymbols"]),
    merchantIds: distinct(filter.merchantIds),
    statuses: statusesOf(filter),
    tokens,
    chainIds: tokens === null ? distinct(filter.chainIds) : null,
  }
  const isNothing = Object.values(shortened).some(
    (value) => Array.isArray(value) && value.length === 0,
  )
  return isNothing ? null : shortened
}

const numberOf = (sql: SqlClient, name: string): Fragment => sql`florin.number_of(${name})`

export const numbersOf = (sql: SqlClient, names: ReadonlyArray<string>): Fragment =>
  sql.csv(names.map((name) => numberOf(sql, name)))

const tenantNumber = (sql: SqlClient, { partnerId, mode }: Tenant): Fragment =>
  numberOf(sql, `${partnerId}/${mode}`)

/** The condition on the owner of payments. */
export const isOf = (sql: SqlClient, tenant: Tenant): Fragment =>
  sql`tenant = ${tenantNumber(sql, tenant)}`

/** Shorter texts are not indexed: the index holds pieces of this length. */
const pieceLength = 3

/** Whether the reference contains the text, in a form that can use the index of pieces. */
export const search = (sql: SqlClient, tenant: Tenant, text: string): Fragment =>
  sql.and([
    isOf(sql, tenant),
    sql`position(${text} IN reference) > 0`,
    ...(text.length < pieceLength
      ? []
      : [
          sql`florin.reference_pieces(tenant, reference)
            @> florin.reference_pieces(${tenantNumber(sql, tenant)}, ${text})`,
        ]),
  ])

export const areTokens = (sql: SqlClient, tokens: ReadonlyArray<Caip.Token>): Fragment =>
  sql.or(
    tokens.map(
      ({ address, chainId }) =>
        sql`(asset = ${numberOf(sql, address)} AND chain = ${numberOf(sql, chainId)})`,
    ),
  )

/** Payments whose stored status is one of these. */
export const isStored = (sql: SqlClient, statuses: ReadonlyArray<PaymentState.Status>): Fragment =>
  sql`standing IN (${sql.literal(statuses.map(standing).join())})`

/** Open payments past their expiry: they are expired, whether that is stored or not. */
export const isOverdue = (sql: SqlClient, now: number): Fragment =>
  sql`${isStored(sql, ["requires_action"])} AND expires_at <= ${Math.floor(now / 1000)}`

/** The rows of each status at `now`: no row has two. */
const rowsOf = (
  sql: SqlClient,
  named: ReadonlyArray<PaymentState.Status>,
  now: number,
): ReadonlyArray<Fragment> => {
  const stored = (status: PaymentState.Status) => isStored(sql, [status])
  const open = stored("requires_action")
  const [hasOpen, hasExpired] = [named.includes("requires_action"), named.includes("expired")]
  return [
    ...named.filter((status) => status !== "requires_action").map(stored),
    ...(hasOpen && hasExpired ? [open] : []),
    ...(hasOpen && !hasExpired ? [sql`${open} AND expires_at > ${Math.floor(now / 1000)}`] : []),
    ...(hasExpired && !hasOpen ? [isOverdue(sql, now)] : []),
  ]
}

/** Reads a page of the payments that have one value. */
type Select = (onValue: Fragment) => Fragment

export interface Condition {
  /** Whether a payment passes, by columns that every index of lists has. */
  readonly where: Fragment
  /** The same for statistics, by stored statuses (default: `where`). */
  readonly stored?: Fragment
  /** The same by the index of references (default: none). */
  readonly found?: Fragment
  /** It is a range of every index that is sorted by date. */
  readonly boundsDates?: true
  /** Set if indexes have the payments of each of its values in the order of a list. */
  readonly listed?: {
    readonly by: PaymentSort.Sort["by"]
    /** Reads a page of each value. */
    readonly pages: (select: Select) => Fragment
    /** It names one value, whose payments an index has as a list of their own. */
    readonly isOwnList: boolean
  }
  /** The precomputed statistics that know the filter. */
  readonly kept?: ReadonlyArray<"sums" | "customers">
}

/** The inputs of every condition. */
export interface Scene {
  readonly sql: SqlClient
  readonly tenant: Tenant
  readonly now: number
}

/** Reads a page of each value of a table. */
const readEach =
  (sql: SqlClient, table: Fragment, onValue: Fragment) =>
  (select: Select): Fragment =>
    sql`SELECT page.* FROM ${table} CROSS JOIN LATERAL (${select(onValue)}) AS page`

/** Sums of several values add up; customers do not, because one may have paid both. */
const keptOf = (values: ReadonlyArray<unknown>): NonNullable<Condition["kept"]> =>
  values.length === 1 ? ["sums", "customers"] : ["sums"]

export const dayInMs = 86_400_000

/** Sums are precomputed for whole days. */
const boundary = (where: Fragment, at: number): Condition => ({
  where,
  boundsDates: true,
  ...(at % dayInMs === 0 && { kept: ["sums"] }),
})

/** If several filters have a list of their own, pages are read from the first. */
const table: {
  readonly [K in keyof Values]: (value: Values[K], scene: Scene) => Condition
} = {
  createdFrom: (from, { sql }) => boundary(sql`created_at >= ${from}`, from),
  createdBefore: (before, { sql }) => boundary(sql`created_at < ${before}`, before),
  merchantIds: (ids, { sql }) => ({
    where: sql`merchant IN (${numbersOf(sql, ids)})`,
    listed: {
      by: "date",
      pages: readEach(
        sql,
        sql`(VALUES ${sql.csv(ids.map((each) => sql`(${numberOf(sql, each)})`))}) AS each (own)`,
        sql`merchant = each.own`,
      ),
      isOwnList: ids.length === 1,
    },
    kept: keptOf(ids),
  }),
  tokens: (tokens, { sql }) => ({
    where: areTokens(sql, tokens),
    listed: {
      by: "date",
      pages: readEach(
        sql,
        sql`(VALUES ${sql.csv(
          tokens.map(({ address, chainId }) => sql`(${numbersOf(sql, [address, chainId])})`),
        )}) AS each (own, its)`,
        sql`asset = each.own AND chain = each.its`,
      ),
      isOwnList: tokens.length === 1,
    },
    kept: keptOf(tokens),
  }),
  chainIds: (chainIds, { sql }) => ({
    where: sql`chain IN (${numbersOf(sql, chainIds)})`,
    kept: keptOf(chainIds),
  }),
  statuses: (statuses, { now, sql }) => {
    const each = rowsOf(sql, statuses, now)
    return {
      where: sql.or(each),
      stored: isStored(sql, statuses),
      listed: {
        by: "date",
        pages: (select) => sql.join(" UNION ALL ", false)(each.map((one) => sql`(${select(one)})`)),
        isOwnList: false,
      },
      kept: keptOf(statuses),
    }
  },
  currencies: (currencies, { sql }) => {
    const groups = [...new Set(currencies)].map((each) => PaymentSort.groupOf(Amount.fiat(each)))
    return {
      where: sql.in("amount_group", groups),
      listed: {
        by: "amount",
        pages: readEach(
          sql,
          sql`unnest(${groups}::text[]) AS each (unit)`,
          sql`amount_group = each.unit`,
        ),
        isOwnList: groups.length === 1,
      },
    }
  },
  reference: (text, { sql, tenant }) => ({
    where: sql`position(${text} IN reference) > 0`,
    found: sql`id IN (SELECT payment_id FROM florin.payment_references WHERE ${search(sql, tenant, text)})`,
  }),
}

const keys = Struct.keys(table)

/** The conditions of the filters that are set. */
export const of = (filter: Partial<Shortened>, scene: Scene): ReadonlyArray<Condition> => {
  const conditionOf = <K extends keyof Values>(key: K): ReadonlyArray<Condition> => {
    const value = filter[key] ?? null
    return value === null ? [] : [table[key](value, scene)]
  }
  return keys.flatMap((key) => conditionOf(key))
}
