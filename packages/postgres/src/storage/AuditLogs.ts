/**
 * The audit log: entries are added in the transaction of the write that they describe.
 *
 * @module
 */
import * as AuditLog from "@florin/core/domain/partner/AuditLog"
import type { AuditStore } from "@florin/core/ports/AuditStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "../Connection.ts"
import type { StorageTime } from "../StorageTime.ts"
import * as Document from "./Document.ts"
import type * as RememberedKeys from "./RememberedKeys.ts"

const document = Document.of(AuditLog.Entry)

/** Adds an entry for each row of `source`. Members that are columns are in no document. */
export const insert = (sql: SqlClient, entry: AuditLog.Entry, source: Fragment): Fragment =>
  sql`INSERT INTO florin.audit_log (partner, mode, action, at, document)
    SELECT florin.numbered(${entry.partnerId}), ${entry.mode}, ${entry.action}, ${entry.at}::bigint,
      ${document.encode(entry)}::jsonb - '{partnerId,mode,action,at}'::text[]
    FROM ${source}`

/** The condition on entries that a list shows: `AuditLog.isListed`. */
const isListed = (
  sql: SqlClient,
  { action, mode, partnerId, since, subjects }: AuditLog.Filter,
  after: number | null,
): Fragment => {
  const conditions: Array<Fragment> = [sql`true`]
  if (partnerId !== undefined) conditions.push(sql`partner = florin.number_of(${partnerId})`)
  if (mode !== undefined) conditions.push(sql`(mode IS NULL OR mode = ${mode})`)
  if (action !== undefined) conditions.push(sql`action = ${action}`)
  if (since !== undefined) conditions.push(sql`at >= ${since}`)
  if (subjects !== undefined) conditions.push(sql`document ->> 'subject' IN ${sql.in(subjects)}`)
  if (after !== null) conditions.push(sql`sequence < ${after}`)
  return sql.and(conditions)
}

interface Row extends Document.Row {
  readonly sequence: bigint
}

export const make = (
  sql: SqlClient,
  time: StorageTime,
  remembered: RememberedKeys.RememberedKeys,
): AuditStore["Service"] => ({
  record: (write, entryOf) =>
    remembered.throughout(
      Connection.guard(
        sql.withTransaction(
          Effect.tap(write, (written) => {
            const entry = entryOf(written)
            const once = sql`(SELECT 1) AS always`
            return entry === null ? Effect.void : Effect.asVoid(sql`${insert(sql, entry, once)}`)
          }),
        ),
      ),
    ),

  entries: Effect.fn("Storage.auditEntries")(function* (filter, { after, limit }) {
    const rows = yield* Connection.guard(
      sql<Row>`SELECT sequence, document
          || jsonb_build_object('partnerId', (SELECT name FROM florin.names WHERE number = partner), 'mode', mode, 'action', action, 'at', at) AS document
        FROM florin.audit_log WHERE ${isListed(sql, filter, after)}
        ORDER BY sequence DESC LIMIT ${limit + 1}`,
    )
    const listed = yield* Effect.forEach(rows.slice(0, limit), (row) =>
      Effect.map(document.decode(row.document), (entry) => ({
        sequence: Number(row.sequence),
        entry,
      })),
    )
    return { items: listed, hasMore: rows.length > limit }
  }),

  deleteEntries: Effect.fn("Storage.deleteAuditEntries")((before, limit) =>
    Effect.map(
      time.guard(
        sql.withTransaction(
          Effect.andThen(
            sql`SELECT set_config('audit_log.kept_from', ${before.toString()}, true)`,
            Effect.flatMap(
              time.agrees,
              (agrees) => sql`WITH past AS (
                  SELECT sequence FROM florin.audit_log WHERE at < ${before} AND ${agrees}
                  ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED
                )
                DELETE FROM florin.audit_log USING past WHERE audit_log.sequence = past.sequence RETURNING 1`,
            ),
          ),
        ),
      ),
      (deleted) => deleted.length,
    ),
  ),
})
