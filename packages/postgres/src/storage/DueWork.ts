/**
 * Due work: the row is the job. Whoever claims it gets a fence that nobody had, and writes with it.
 *
 * @module
 */
import type { Claimed, DueWork } from "@florin/core/ports/DueWork"
import { LeaseLost } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import type * as Document from "./Document.ts"
import * as PaymentRow from "./PaymentRow.ts"

interface Row extends Document.Row {
  readonly fence: bigint
  readonly failures: number
}

export const make = (
  sql: SqlClient,
): Pick<DueWork["Service"], "claimDue" | "postpone" | "nextDueAt"> => ({
  claimDue: Effect.fn("Storage.claimDue")(function* (kind, { limit, leaseInMs, now }) {
    const rows = yield* Connection.guard(
      sql<Row>`WITH next AS (
          SELECT payment_id, kind, greatest(due_at, lease_until) AS at FROM due_work
          WHERE kind = ${kind} AND greatest(due_at, lease_until) <= ${now}
          ORDER BY greatest(due_at, lease_until), payment_id
          LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ), claimed AS (
          UPDATE due_work AS work SET lease_until = ${now + leaseInMs}, fence = nextval('fences')
          FROM next WHERE work.payment_id = next.payment_id AND work.kind = next.kind
          RETURNING work.payment_id, work.fence, work.failures, next.at
        )
        SELECT (SELECT document FROM payments WHERE id = claimed.payment_id) AS document, fence, failures
        FROM claimed ORDER BY at, payment_id`,
    )
    return yield* Effect.forEach(rows, ({ document, fence, failures }) =>
      Effect.map(PaymentRow.document.decode(document), (payment): Claimed => ({
        payment,
        hold: { kind, fence: Number(fence) },
        failures,
      })),
    )
  }),

  postpone: Effect.fn("Storage.postpone")(function* (id, hold, dueAt) {
    const [row] = yield* Connection.guard(
      sql`UPDATE due_work
        SET due_at = ${dueAt}, lease_until = 0, fence = nextval('fences'), failures = failures + 1
        WHERE payment_id = ${id} AND kind = ${hold.kind} AND fence = ${hold.fence}
        RETURNING fence`,
    )
    if (row === undefined) {
      return yield* LeaseLost.of()
    }
  }),

  nextDueAt: Effect.fn("Storage.nextDueAt")(function* (kind) {
    const [row] = yield* Connection.guard(
      sql<{ readonly at: bigint }>`SELECT greatest(due_at, lease_until) AS at FROM due_work
        WHERE kind = ${kind} ORDER BY greatest(due_at, lease_until), payment_id LIMIT 1`,
    )
    return row === undefined ? null : Number(row.at)
  }),
})
