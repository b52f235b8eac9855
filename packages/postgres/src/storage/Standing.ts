/**
 * The destinations that a decision reads: its result is written only if they have not changed since.
 *
 * @module
 */
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type { Subjects } from "@florin/core/ports/OutflowStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Cte from "./Cte.ts"
import * as Document from "./Document.ts"
import * as Records from "./Records.ts"

const document = Document.of(SettlementDestination.SettlementDestination)

type Whose = NonNullable<Subjects["destinations"]>

/** A destination as it was read. */
export interface Row {
  readonly revision: number
  readonly destination: SettlementDestination.SettlementDestination
}

/** The requested destinations, and those that existed. */
export interface Standing {
  readonly whose: Whose
  readonly rows: ReadonlyArray<Row>
}

const isAsked = (sql: SqlClient, { merchants, token }: Whose): Fragment =>
  sql`each.chain_id = ${token.chainId} AND each.token = ${token.address}
    AND each.merchant_id = ANY(${merchants}::text[])`

/** The last destination of each merchant for a token, including deleted ones. */
export const last = Effect.fnUntraced(function* (sql: SqlClient, whose: Whose) {
  const rows = yield* sql<Document.Row & { readonly revision: number }>`
    SELECT revision, document FROM florin.settlement_destinations AS each WHERE ${isAsked(sql, whose)}`
  return yield* Effect.forEach(rows, (row) =>
    Effect.map(document.decode(row.document), (destination): Row => ({
      revision: row.revision,
      destination,
    })),
  )
})

const name = "standing"

/** Locks the unchanged ones: a concurrent change of one waits, or came first. */
export const lock = (sql: SqlClient, { rows }: Standing): Cte.Cte =>
  Cte.make(
    name,
    sql`SELECT each.id FROM florin.settlement_destinations AS each, ${Records.source(
      sql,
      rows.map(({ destination: { id }, revision }) => ({ id, revision })),
      { id: "text", revision: "integer" },
    )}
      WHERE each.id = next.id AND each.revision = next.revision
      ORDER BY each.id FOR SHARE OF each`,
  )

/** Whether all of them are unchanged, and there are no others. */
export const holds = (sql: SqlClient, { rows, whose }: Standing): Fragment =>
  sql`(SELECT count(*) FROM ${sql.literal(name)}) = ${rows.length}
    AND (SELECT count(*) FROM florin.settlement_destinations AS each WHERE ${isAsked(sql, whose)}) = ${rows.length}`
