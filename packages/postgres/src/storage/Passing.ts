/**
 * What a filter lets through, and the conditions that say so: of pages and of statistics alike.
 *
 * @module
 */
import * as Asset from "@florin/core/domain/Asset"
import type * as Caip from "@florin/core/domain/Caip"
import * as PaymentFilter from "@florin/core/domain/PaymentFilter"
import type * as PaymentSort from "@florin/core/domain/PaymentSort"
import * as PaymentState from "@florin/core/domain/PaymentState"
import type { Tenant } from "@florin/core/ports/Storage"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** A filter without anything said twice or in vain, and with symbols read as the tokens that have them. */
export interface Passing {
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
const tokensOf = (filter: PaymentFilter.Filter): ReadonlyArray<Caip.Token> | null => {
  if (filter.tokens === null && filter.tokenSymbols === null) return null
  const named = filter.tokens ?? Asset.all.map(({ token }) => token)
  const passing = named.filter((token) => PaymentFilter.tokenMatches(token, filter))
  return [...new Map(passing.map((each) => [`${each.chainId}/${each.address}`, each])).values()]
}

const statusesOf = (filter: PaymentFilter.Filter): ReadonlyArray<PaymentState.Status> | null => {
  const statuses = distinct(filter.statuses)
  return statuses?.length === PaymentState.statuses.length ? null : statuses
}

/** What the filter lets through, or null where that is nothing. */
export const of = (filter: PaymentFilter.Filter): Passing | null => {
  const { createdFrom, createdBefore, reference } = filter
  const merchantIds = distinct(filter.merchantIds)
  const statuses = statusesOf(filter)
  const tokens = tokensOf(filter)
  const chainIds = tokens === null ? distinct(filter.chainIds) : null
  return [merchantIds, statuses, tokens, chainIds].some((values) => values?.length === 0)
    ? null
    : { createdFrom, createdBefore, reference, merchantIds, statuses, tokens, chainIds }
}

/** Whose payments they are. */
export const isOf = (sql: SqlClient, { partnerId, mode }: Tenant): Fragment =>
  sql`partner_id = ${partnerId} AND mode = ${mode}`

/** When they were created. */
export const window = (
  sql: SqlClient,
  { createdFrom, createdBefore }: Passing,
): ReadonlyArray<Fragment> => [
  ...(createdFrom === null ? [] : [sql`created_at >= ${createdFrom}`]),
  ...(createdBefore === null ? [] : [sql`created_at < ${createdBefore}`]),
]

/** Shorter texts are in no index: it holds pieces of this length. */
const pieceLength = 3

/** Whether the reference has the text, for the index of the pieces too. */
export const search = (sql: SqlClient, tenant: Tenant, text: string): Fragment =>
  sql.and([
    isOf(sql, tenant),
    sql`position(${text} IN reference) > 0`,
    ...(text.length < pieceLength
      ? []
      : [
          sql`reference_pieces(partner_id, mode, reference)
            @> reference_pieces(${tenant.partnerId}, ${tenant.mode}, ${text})`,
        ]),
  ])

/** Open payments whose time is over: they are expired, whether that is stored or not. */
export const isOverdue = (sql: SqlClient, now: number): Fragment =>
  sql`status = 'requires_action' AND expires_at <= ${Math.floor(now / 1000)}`

/** The rows of each status at `now`: no row has two. */
export const statuses = (
  sql: SqlClient,
  { statuses: named }: Passing,
  now: number,
): ReadonlyArray<Fragment> => {
  if (named === null) return []
  const stored = (status: PaymentState.Status) => sql`status = ${status}`
  const open = stored("requires_action")
  const [hasOpen, hasExpired] = [named.includes("requires_action"), named.includes("expired")]
  return [
    ...named.filter((status) => status !== "requires_action").map(stored),
    ...(hasOpen && hasExpired ? [open] : []),
    ...(hasOpen && !hasExpired ? [sql`${open} AND expires_at > ${Math.floor(now / 1000)}`] : []),
    ...(hasExpired && !hasOpen ? [isOverdue(sql, now)] : []),
  ]
}

/** A filter that names values: as one condition, and as a table of its values with the condition that one of them sets. */
interface Named {
  /** In which orders an index has its payments, where it names one value. */
  readonly listedBy: ReadonlyArray<PaymentSort.Sort["by"]>
  readonly anyOf: Fragment
  readonly values: Fragment
  readonly onEach: Fragment
}

const byMerchant = (sql: SqlClient, ids: ReadonlyArray<string>): Named => ({
  listedBy: ids.length === 1 ? ["date", "amount"] : [],
  anyOf: sql.in("merchant_id", ids),
  values: sql`unnest(${ids}::text[]) AS each (merchant)`,
  onEach: sql`merchant_id = each.merchant`,
})

const byToken = (sql: SqlClient, tokens: ReadonlyArray<Caip.Token>): Named => {
  const addresses = tokens.map(({ address }) => address)
  const chainIds = tokens.map(({ chainId }) => chainId.toString())
  return {
    listedBy: tokens.length === 1 ? ["date"] : [],
    anyOf: sql.or(
      tokens.map(({ address, chainId }) => sql`(token = ${address} AND chain_id = ${chainId})`),
    ),
    values: sql`unnest(${addresses}::text[], ${chainIds}::text[]::bigint[]) AS each (address, chain)`,
    onEach: sql`token = each.address AND chain_id = each.chain`,
  }
}

const byChain = (sql: SqlClient, chainIds: ReadonlyArray<number>): Named => ({
  listedBy: [],
  anyOf: sql.in("chain_id", chainIds),
  values: sql`unnest(${chainIds.map(String)}::text[]::bigint[]) AS each (chain)`,
  onEach: sql`chain_id = each.chain`,
})

export const named = (
  sql: SqlClient,
  { merchantIds, tokens, chainIds }: Passing,
): ReadonlyArray<Named> => [
  ...(merchantIds === null ? [] : [byMerchant(sql, merchantIds)]),
  ...(tokens === null ? [] : [byToken(sql, tokens)]),
  ...(chainIds === null ? [] : [byChain(sql, chainIds)]),
]
