/**
 * Due work: the row is the job. Whoever claims it gets a fence that nobody had, and writes with it.
 *
 * @module
 */
import type { ClaimOptions, DueWork, Hold } from "@florin/core/ports/DueWork"
import { LeaseLost } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import type * as Document from "./Document.ts"
import * as OutflowRow from "./OutflowRow.ts"
import * as PaymentRow from "./PaymentRow.ts"
import type * as Records from "./Records.ts"

interface Row extends Document.Row {
  readonly fence: bigint
  readonly failures: number
}

/** Leases work of one kind, which is due for records of this table. */
const claim = Effect.fnUntraced(function* <A>(
  sql: SqlClient,
  { document: subject, name }: Records.Table<A>,
  kind: Hold["kind"],
  { limit, leaseInMs, now }: ClaimOptions,
) {
  const rows = yield* Connection.guard(
    sql<Row>`WITH next AS (
        SELECT subject_id, kind, greatest(due_at, lease_until) AS at FROM due_work
        WHERE kind = ${kind} AND greatest(due_at, lease_until) <= ${now}
        ORDER BY greatest(due_at, lease_until), subject_id
        LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ), claimed AS (
        UPDATE due_work AS work SET lease_until = ${now + leaseInMs}, fence = nextval('fences')
        FROM next WHERE work.subject_id = next.subject_id AND work.kind = next.kind
        RETURNING work.subject_id, work.fence, work.failures, next.at
      )
      SELECT (SELECT document FROM ${sql.literal(name)} WHERE id = claimed.subject_id) AS document, fence, failures
      FROM claimed ORDER BY at, subject_id`,
  )
  return yield* Effect.forEach(rows, ({ document, failures, fence }) =>
    Effect.map(subject.decode(document), (record) => ({ record, failures, fence: Number(fence) })),
  )
})

export const make = (sql: SqlClient): Omit<DueWork["Service"], "time"> => ({
  claimDue: Effect.fn("Storage.claimDue")((kind, options) =>
    Effect.map(claim(sql, PaymentRow.table, kind, options), (claimed) =>
      claimed.map(({ failures, fence, record: payment }) => ({
        payment,
        hold: { id: payment.id, kind, fence },
        failures,
      })),
    ),
  ),

  claimDueOutflows: Effect.fn("Storage.claimDueOutflows")((kind, options) =>
    Effect.map(claim(sql, OutflowRow.table, kind, options), (claimed) =>
      claimed.map(({ failures, fence, record: outflow }) => ({
        outflow,
        hold: { id: outflow.id, kind, fence },
        failures,
      })),
    ),
  ),

  postpone: Effect.fn("Storage.postpone")(function* ({ fence, id, kind }, dueAt) {
    const [row] = yield* Connection.guard(
      sql`UPDATE due_work
        SET due_at = ${dueAt}, lease_until = 0, fence = nextval('fences'), failures = failures + 1
        WHERE subject_id = ${id} AND kind = ${kind} AND fence = ${fence}
        RETURNING fence`,
    )
    if (row === undefined) {
      return yield* LeaseLost.of()
    }
  }),

  nextDueAt: Effect.fn("Storage.nextDueAt")(function* (kind) {
    const [row] = yield* Connection.guard(
      sql<{ readonly at: bigint }>`SELECT greatest(due_at, lease_until) AS at FROM due_work
        WHERE kind = ${kind} ORDER BY greatest(due_at, lease_until), subject_id LIMIT 1`,
    )
    return row === undefined ? null : Number(row.at)
  }),
})
