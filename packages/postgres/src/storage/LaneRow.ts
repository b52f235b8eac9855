/**
 * The rows of a lane, as parts of the statements that write them: its next nonce and spending, and its transactions.
 *
 * @module
 */
import { deflateRawSync, inflateRawSync } from "node:zlib"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Spending from "@florin/core/domain/outflow/Spending"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Cte from "./Cte.ts"
import * as Document from "./Document.ts"

const transactions = Document.of(Lane.Transaction)
const isDeflated = Schema.is(Schema.Struct({ deflated: Schema.String }))

export const document: Document.Document<Lane.Transaction> = {
  ...transactions,
  decode: (column) => {
    if (!isDeflated(column)) return transactions.decode(column)
    const { deflated, ...others } = column
    const raw = `0x${bytesToHex(inflateRawSync(hexToBytes(deflated)))}`
    return transactions.decode({ ...others, raw })
  },
}

/**
 * What is signed are bytes in most families, and many of them are zero: deflated, they are a third of their text. Members
 * that are columns are not stored twice.
 */
const columnsOf = (sql: SqlClient, transaction: Lane.Transaction): Fragment => {
  const hex = /^0x((?:[0-9a-f]{2})+)$/u.exec(transaction.raw)?.[1]
  const own = sql`${transaction.signedAt}::bigint, florin.packed(${transaction.hash}),
    ${document.encode(transaction)}::jsonb - '{lane,nonce,signedAt,hash}'::text[]`
  return hex === undefined
    ? sql`${own}, NULL::bytea`
    : sql`${own} - 'raw', decode(${bytesToHex(deflateRawSync(hexToBytes(hex)))}, 'hex')`
}

/** What the number of a lane stands for. */
const nameOf = ({ chainId, sender }: Lane.Lane): string => `${chainId}/${sender}`

/** The condition on the transactions of a lane. */
export const isIn = (sql: SqlClient, lane: Lane.Lane): Fragment =>
  sql`lane_transactions.lane = florin.number_of(${nameOf(lane)})`

/** The column of whole transactions of a lane. */
export const whole = (sql: SqlClient, { chainId, sender }: Lane.Lane): Fragment =>
  sql`document || jsonb_build_object('nonce', nonce, 'signedAt', signed_at, 'hash', florin.unpacked(hash), 'lane', jsonb_build_object('chainId', ${chainId}::text, 'sender', ${sender}::text))
    || CASE WHEN deflated IS NULL THEN '{}' ELSE jsonb_build_object('deflated', encode(deflated, 'hex')) END AS document`

/**
 * Whether the lane's spending is still as its signer saw it, so that the limit that was checked is kept even if others
 * sign meanwhile.
 */
const isAsSeen = (sql: SqlClient, { spending }: Lane.State): Fragment =>
  sql`lane.spent_hour = ${spending.hour} AND lane.spent = ${spending.quantity.toString()}`

/** The lane's next nonce and spending after one more transaction. No row if the lane is not as its signer saw it. */
const counting = (
  sql: SqlClient,
  { state, transaction }: Lane.Signed,
  replaced: Lane.Transaction | null,
  condition: Fragment,
  from: Fragment,
): Fragment => {
  const { lane, nonce } = transaction
  const { byCode = 0n, hour, quantity } = Spending.place(Spending.none, transaction, replaced)
  return sql`INSERT INTO florin.lanes AS lane (chain_id, sender, next_nonce, spent_hour, spent, spent_by_code)
    SELECT ${lane.chainId}, ${lane.sender}, ${nonce + 1}, ${hour}, ${quantity.toString()}, ${byCode.toString()} ${from}
    ON CONFLICT (chain_id, sender) DO UPDATE SET
      next_nonce = greatest(lane.next_nonce, excluded.next_nonce),
      spent_hour = greatest(lane.spent_hour, excluded.spent_hour), spent = excluded.spent
        + CASE WHEN lane.spent_hour >= excluded.spent_hour THEN lane.spent ELSE 0 END,
      spent_by_code = excluded.spent_by_code
        + CASE WHEN lane.spent_hour >= excluded.spent_hour THEN lane.spent_by_code ELSE 0 END
    WHERE ${condition} AND ${isAsSeen(sql, state)}
    RETURNING chain_id`
}

/** Takes the lane's next nonce for a signed transaction. */
export const takeNonce = (sql: SqlClient, signed: Lane.Signed, from: Fragment): Cte.Cte =>
  Cte.make("taken", counting(sql, signed, null, sql`lane.next_nonce < excluded.next_nonce`, from))

/** Adds a transaction to its lane if the part before it has a row. If the nonce is already taken, the write fails. */
export const insert = (sql: SqlClient, transaction: Lane.Transaction, after: string): Cte.Cte => {
  const { lane, nonce } = transaction
  return Cte.make(
    "added",
    sql`INSERT INTO florin.lane_transactions (lane, nonce, signed_at, hash, document, deflated)
      SELECT florin.numbered(${nameOf(lane)}), ${nonce}, ${columnsOf(sql, transaction)}
      FROM ${sql.literal(after)}
      RETURNING nonce`,
  )
}

/** Puts a transaction into a free slot, or over an earlier version; no row of `added` if it cannot. */
export const place = (
  sql: SqlClient,
  signed: Lane.Signed,
  replaced: Lane.Transaction | null,
): ReadonlyArray<Cte.Cte> => {
  const { transaction } = signed
  const { lane, nonce } = transaction
  const slot = sql`${isIn(sql, lane)} AND lane_transactions.nonce = ${nonce}`
  if (replaced === null) {
    const free = sql`WHERE NOT EXISTS (SELECT FROM florin.lane_transactions WHERE ${slot})`
    return [
      Cte.make("taken", counting(sql, signed, null, sql`true`, free)),
      insert(sql, transaction, "taken"),
    ]
  }
  return [
    // If two replace one version, the second waits here, and finds that the version is gone.
    Cte.make(
      "stands",
      sql`SELECT nonce FROM florin.lane_transactions
        WHERE ${slot} AND hash = florin.packed(${replaced.hash}) FOR UPDATE`,
    ),
    Cte.make("taken", counting(sql, signed, replaced, sql`true`, sql`FROM stands`)),
    Cte.make(
      "added",
      sql`UPDATE florin.lane_transactions SET (signed_at, hash, document, deflated) = (SELECT ${columnsOf(sql, transaction)}) FROM taken
        WHERE ${slot} RETURNING nonce`,
    ),
  ]
}
