/**
 * Inflows.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Claim from "@florin/core/domain/chain/Claim"
import type { InflowStore, Query } from "@florin/core/ports/InflowStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Claims from "./Claims.ts"
import * as Document from "./Document.ts"
import * as InflowRow from "./InflowRow.ts"

const { document } = InflowRow

interface SumRow extends Document.Row {
  readonly count: number
  readonly quantity: string
}

const whereOf = (sql: SqlClient, query: Query) => {
  switch (query._tag) {
    case "Id":
      return sql`id = ${query.id}`
    case "Transaction":
      return sql`tx_hash = ${query.txHash}`
    case "Payment":
      return sql`payment_id = ${query.paymentId}`
    case "Missed":
      return sql`mode = ${query.mode} AND chain_id = ${query.chainId} AND is_missed`
    case "Suspended":
      return sql`mode = ${query.mode} AND token = ${Caip.tokenKey(query.token)} AND is_suspended
        AND quantity >= ${query.least.toString()}::numeric`
  }
}

export const make = (sql: SqlClient): InflowStore["Service"] => ({
  inflows: Effect.fn("Storage.inflows")((query) =>
    Document.list(
      document,
      sql<Document.Row>`SELECT document FROM florin.inflows WHERE ${whereOf(sql, query)}
          ORDER BY found_at, log_index, id
          ${query._tag === "Suspended" ? sql`LIMIT ${query.limit}` : sql``}`,
    ),
  ),

  sums: Effect.fn("Storage.sums")(function* (mode) {
    const rows = yield* Connection.guard(
      sql<SumRow>`SELECT count(*)::integer AS count, sum(quantity)::text AS quantity,
          (array_agg(document))[1] AS document
        FROM florin.inflows WHERE mode = ${mode} AND is_suspended
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

  unmade: Effect.fn("Storage.unmade")(function* (claims) {
    if (claims.length === 0) return []
    const made = yield* Connection.guard(Claims.made(sql, claims.map(Claim.key)))
    return claims.filter((claim) => !made.has(Claim.key(claim)))
  }),
})
