/**
 * Money that no payment claims, and how far each chain was scanned for it.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Claim from "@florin/core/domain/chain/Claim"
import type { UnclaimedStore } from "@florin/core/ports/UnclaimedStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Document from "./Document.ts"
import * as Records from "./Records.ts"
import * as UnclaimedRow from "./UnclaimedRow.ts"

const { document } = UnclaimedRow

interface SumRow extends Document.Row {
  readonly count: number
  readonly quantity: string
}

export const make = (sql: SqlClient): UnclaimedStore["Service"] => ({
  unclaimed: Effect.fn("Storage.unclaimed")((id) =>
    Connection.guard(
      Records.requireOne(
        UnclaimedRow.table,
        sql<Document.Row>`SELECT document FROM florin.unclaimed_transfers WHERE id = ${id}`,
      ),
    ),
  ),

  suspended: Effect.fn("Storage.suspended")((mode, token, { least, limit }) =>
    Connection.guard(
      Document.all(
        document,
        sql<Document.Row>`SELECT document FROM florin.unclaimed_transfers
          WHERE mode = ${mode} AND token = ${Caip.tokenKey(token)} AND is_suspended
            AND quantity >= ${least.toString()}::numeric
          ORDER BY found_at, id LIMIT ${limit}`,
      ),
    ),
  ),

  sums: Effect.fn("Storage.sums")(function* (mode) {
    const rows = yield* Connection.guard(
      sql<SumRow>`SELECT count(*)::integer AS count, sum(quantity)::text AS quantity,
          (array_agg(document))[1] AS document
        FROM florin.unclaimed_transfers WHERE mode = ${mode} AND is_suspended
        GROUP BY token ORDER BY token`,
    )
    return yield* Effect.forEach(rows, ({ count, document: one, quantity }) =>
      Effect.map(document.decode(one), ({ transfer }) => ({
        token: transfer.movement.token,
        count,
        quantity: BigInt(quantity),
      })),
    )
  }),

  broughtBy: Effect.fn("Storage.broughtBy")((txHash) =>
    Connection.guard(
      Document.all(
        document,
        sql<Document.Row>`SELECT document FROM florin.unclaimed_transfers
          WHERE tx_hash = ${txHash} ORDER BY log_index`,
      ),
    ),
  ),

  missed: Effect.fn("Storage.missed")((mode, chainId) =>
    Connection.guard(
      Document.all(
        document,
        sql<Document.Row>`SELECT document FROM florin.unclaimed_transfers
          WHERE mode = ${mode} AND chain_id = ${chainId} AND is_missed ORDER BY found_at, id`,
      ),
    ),
  ),

  unmade: Effect.fn("Storage.unmade")(function* (claims) {
    if (claims.length === 0) return []
    const rows = yield* Connection.guard(
      sql<{ readonly key: string }>`SELECT key FROM florin.claims
        WHERE key IN (SELECT jsonb_array_elements_text(${Document.text(claims.map(Claim.key))}::jsonb))`,
    )
    const made = new Set(rows.map(({ key }) => key))
    return claims.filter((claim) => !made.has(Claim.key(claim)))
  }),

  scannedTo: Effect.fn("Storage.scannedTo")(function* (mode, chainId) {
    const [row] = yield* Connection.guard(
      sql<{ readonly block_number: bigint }>`SELECT block_number FROM florin.scans
        WHERE mode = ${mode} AND chain_id = ${chainId}`,
    )
    return row === undefined ? null : Number(row.block_number)
  }),

  moveScan: Effect.fn("Storage.moveScan")(function* (mode, chainId, from, to) {
    const rows = yield* Connection.guard(
      from === null
        ? sql`INSERT INTO florin.scans (mode, chain_id, block_number) VALUES (${mode}, ${chainId}, ${to})
            ON CONFLICT (mode, chain_id) DO NOTHING RETURNING mode`
        : sql`UPDATE florin.scans SET block_number = ${to}
            WHERE mode = ${mode} AND chain_id = ${chainId} AND block_number = ${from} RETURNING mode`,
    )
    return rows.length > 0
  }),

  scanAgain: Effect.fn("Storage.scanAgain")((mode, chainId, from) =>
    Effect.asVoid(
      Connection.guard(
        sql`UPDATE florin.scans SET block_number = ${from}
          WHERE mode = ${mode} AND chain_id = ${chainId} AND block_number > ${from}`,
      ),
    ),
  ),
})
