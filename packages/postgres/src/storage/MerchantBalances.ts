/**
 * Balances of merchants, each part from the index that has it: what is owed, kept and lent from the ledger, what is left
 * of shares from their entries, and what payouts carry from those that are not paid.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as MerchantBalance from "@florin/core/domain/list/MerchantBalance"
import type { Page, Tenant } from "@florin/core/ports/AccountStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Document from "./Document.ts"

const tokenDocument = Document.of(Caip.Token)

interface Row {
  readonly merchant_id: string
  readonly token: unknown
  readonly left: string
  readonly held_back: string
  readonly in_payout: string
  readonly reserved: string
  readonly debt: string
}

/** `PartnerLimits.heldBack` of an entry, and at most what is left of it. */
const heldBack = (
  sql: SqlClient,
  { limits: { payoutDelayInMs, reserve }, now }: MerchantBalance.Terms,
): Fragment => {
  // `div` divides exactly, and `/` keeps only about 16 digits.
  const cases = [
    ...(payoutDelayInMs === undefined
      ? []
      : [sql`WHEN succeeded_at > ${now - payoutDelayInMs} THEN left_quantity`]),
    ...(reserve === undefined
      ? []
      : [
          sql`WHEN succeeded_at > ${now - reserve.forInMs}
            THEN least(left_quantity, div(net_quantity * ${reserve.percentage} + 99999999, 100000000))`,
        ]),
  ]
  return cases.length === 0
    ? sql`0`
    : sql`CASE ${cases.reduce((all, each) => sql`${all} ${each}`)} ELSE 0 END`
}

/** What refunds took of a merchant's shares is what the ledger owes it, less what is left and what waits in payouts. */
export const page = Effect.fnUntraced(function* (
  sql: SqlClient,
  { mode, partnerId }: Tenant,
  { after, filter: { merchantId, token }, limit }: MerchantBalance.Query,
  terms: MerchantBalance.Terms,
): Effect.fn.Return<Page<MerchantBalance.Sums>, SqlError> {
  const ofToken = token === undefined ? sql`` : sql`AND token = ${Caip.tokenKey(token)}`
  const ofMerchant = merchantId === undefined ? sql`` : sql`AND merchants.id = ${merchantId}`
  // The first condition is a range of the index, and the second leaves out what is before the position in it.
  const place =
    after === null
      ? sql``
      : sql`AND (merchants.created_at, merchants.id) <= (${after.merchant.createdAt}::bigint, ${after.merchant.id})
          AND (merchants.id <> ${after.merchant.id} OR held.token > ${after.tokenKey})`
  const balance = (tag: string) =>
    sql.literal(
      `coalesce(sum(quantity) FILTER (WHERE document #>> '{account,_tag}' = '${tag}'), 0)`,
    )
  // The index of the ledger's balances compares texts by the default collation, and ids have another.
  const rows = yield* sql<Row>`
    WITH carried AS MATERIALIZED (
      SELECT share ->> 'merchantId' AS merchant_id,
        concat(document #>> '{movement,token,chainId}', ':', document #>> '{movement,token,address}') AS token,
        sum((share ->> 'quantity')::numeric) AS quantity,
        coalesce(sum((share ->> 'quantity')::numeric) FILTER (WHERE payout_status <> 'sent'), 0) AS unsent,
        coalesce(sum((share ->> 'netted')::numeric) FILTER (WHERE payout_status <> 'sent'), 0) AS netted
      FROM florin.outflows CROSS JOIN LATERAL jsonb_array_elements(document #> '{purpose,shares}') AS share
      WHERE partner_id = ${partnerId} AND mode = ${mode} AND payout_status IN ('waiting', 'sent', 'held')
      GROUP BY 1, 2
    ), page AS MATERIALIZED (
      SELECT merchants.created_at, merchants.id, held.*
      FROM florin.merchants CROSS JOIN LATERAL (
        SELECT token, document, owed - coalesce(unsent + netted, 0) AS free, kept,
          debt - coalesce(netted, 0) AS debt, coalesce(carried.quantity, 0) AS in_payout
        FROM (
          SELECT token, (array_agg(document -> 'token'))[1] AS document,
            -${balance("Owed")} AS owed, -${balance("Kept")} AS kept, ${balance("Debt")} AS debt
          FROM florin.ledger_balances
          WHERE mode = ${mode} AND document #>> '{account,merchantId}' = merchants.id COLLATE "default"
            AND document #>> '{account,_tag}' IN ('Owed', 'Kept', 'Debt') ${ofToken}
          GROUP BY token
        ) AS own LEFT JOIN (SELECT * FROM carried WHERE merchant_id = merchants.id) AS carried USING (token)
        WHERE owed <> 0 OR kept <> 0 OR debt <> 0 OR carried.quantity <> 0
        OFFSET 0
      ) AS held
      WHERE merchants.partner_id = ${partnerId} AND merchants.mode = ${mode} ${ofMerchant} ${place}
      ORDER BY merchants.created_at DESC, merchants.id DESC, held.token LIMIT ${limit + 1}
    )
    SELECT page.id AS merchant_id, page.document AS token, shares.left_quantity::text AS "left",
      shares.held_back::text, page.in_payout::text, (page.free - shares.left_quantity + page.kept)::text AS reserved,
      page.debt::text
    FROM page CROSS JOIN LATERAL (
      SELECT coalesce(sum(left_quantity), 0) AS left_quantity, coalesce(sum(${heldBack(sql, terms)}), 0) AS held_back
      FROM florin.entries
      WHERE merchant = florin.number_of(page.id) AND chain = florin.number_of(page.document ->> 'chainId')
        AND asset = florin.number_of(page.document ->> 'address') AND left_quantity IS NOT NULL
    ) AS shares
    ORDER BY page.created_at DESC, page.id DESC, page.token`
  const items = yield* Effect.forEach(rows.slice(0, limit), (row) =>
    Effect.map(tokenDocument.decode(row.token), (known): MerchantBalance.Sums => ({
      merchantId: MerchantId.MerchantId.make(row.merchant_id),
      token: known,
      left: BigInt(row.left),
      heldBack: BigInt(row.held_back),
      inPayout: BigInt(row.in_payout),
      reserved: BigInt(row.reserved),
      debt: BigInt(row.debt),
    })),
  )
  return { items, hasMore: rows.length > limit }
})
