/**
 * Due work: the row is the job. A claim gets a new fence, and writes with it.
 *
 * @module
 */
import * as Change from "@florin/core/domain/payment/Change"
import { backlogMax, type DueWork, type Lease } from "@florin/core/ports/DueWork"
import { LeaseLost } from "@florin/core/ports/StorageError"
import type { ClaimOptions } from "@florin/core/ports/Turns"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import type { StorageTime } from "../StorageTime.ts"
import type * as Document from "./Document.ts"
import * as Latest from "./Latest.ts"
import * as OutflowRow from "./OutflowRow.ts"
import * as PaymentRow from "./PaymentRow.ts"
import type * as Records from "./Records.ts"
import * as Turns from "./Turns.ts"

interface Row extends Document.Row {
  readonly fence: bigint
  readonly failures: number
  readonly chain_id: string
  readonly partner_id: string
}

interface BacklogRow {
  readonly kind: Lease["kind"]
  readonly chain_id: string
  readonly count: bigint
  readonly oldest: bigint
}

/** Leases work of one kind, which is due for records of this table. */
const claim = Effect.fnUntraced(function* <A>(
  sql: SqlClient,
  time: StorageTime,
  { document: subject, whole }: Records.Table<A>,
  kind: Lease["kind"],
  options: ClaimOptions,
) {
  const table: Turns.Table = {
    name: "due_work",
    kind,
    isOf: sql`subject_id = subject AND kind = ${kind}`,
  }
  const rows = yield* time.guard(
    sql<Row>`WITH ${Turns.next(sql, time, table, options)}, claimed AS (
        UPDATE florin.due_work AS work SET lease_until = ${options.now + options.leaseInMs}, fence = nextval('florin.fences')
        FROM next WHERE work.subject_id = next.subject AND work.kind = ${kind}
        RETURNING work.subject_id, work.chain_id, work.partner_id, work.fence, work.failures, place, turn
      )
      SELECT (SELECT document FROM florin.${sql.literal(whole)} WHERE id = claimed.subject_id) AS document,
        chain_id, partner_id, fence, failures
      FROM claimed ORDER BY place, turn`,
  )
  return yield* Effect.forEach(rows, ({ chain_id, document, failures, fence, partner_id }) =>
    Effect.map(subject.decode(document), (record) => ({
      record,
      queue: { group: chain_id, member: partner_id },
      failures,
      fence: Number(fence),
    })),
  )
})

export const make = (
  sql: SqlClient,
  time: StorageTime,
  latest = Latest.make(sql),
): Omit<DueWork["Service"], "time"> => ({
  // A sort of a megabyte that does not fit into memory uses a file next to the tables, and leaves nothing behind.
  requireRoom: Connection.guard(
    sql
      .withTransaction(
        Effect.andThen(
          sql`SELECT set_config('work_mem', '64kB', true)`,
          sql`SELECT count(*) FROM unnest(array_fill(repeat('x', 8192), ARRAY[128]))`,
        ),
      )
      .pipe(
        // For example a limit on temporary files, which does not mean that the disk is full.
        Effect.catchIf(
          (error) => !Connection.isFull(error),
          () => Effect.void,
        ),
      ),
  ).pipe(Effect.asVoid, Effect.withSpan("Storage.requireRoom")),

  claimDue: Effect.fn("Storage.claimDue")((kind, options) =>
    Effect.tap(claim(sql, time, PaymentRow.table, kind, options), (claimed) =>
      latest.keep(claimed.map(({ record }) => record)),
    ).pipe(
      Effect.map((claimed) =>
        claimed.map(({ failures, fence, queue, record: payment }) => ({
          payment,
          lease: { id: payment.id, kind, fence },
          queue,
          failures,
        })),
      ),
    ),
  ),

  claimDueOutflows: Effect.fn("Storage.claimDueOutflows")((kind, options) =>
    Effect.map(claim(sql, time, OutflowRow.table, kind, options), (claimed) =>
      claimed.map(({ failures, fence, queue, record: outflow }) => ({
        outflow,
        lease: { id: outflow.id, kind, fence },
        queue,
        failures,
      })),
    ),
  ),

  postpone: Effect.fn("Storage.postpone")(function* ({ fence, id, kind }, dueAt, failures) {
    const [row] = yield* time.guard(
      Effect.flatMap(
        time.agrees,
        (agrees) => sql`UPDATE florin.due_work
          SET due_at = ${dueAt}, lease_until = 0, fence = nextval('florin.fences'), failures = ${failures}
          WHERE subject_id = ${id} AND kind = ${kind} AND fence = ${fence} AND ${agrees}
          RETURNING fence`,
      ),
    )
    if (row === undefined) {
      return yield* LeaseLost.of()
    }
  }),

  nextDueAt: Effect.fn("Storage.nextDueAt")(function* (kind) {
    const [row] = yield* Connection.guard(
      sql<{ readonly at: bigint | null }>`WITH first AS (
          SELECT due_at AS at FROM florin.due_work WHERE kind = ${kind} AND lease_until <= due_at ORDER BY due_at LIMIT 1
        )
        SELECT least((SELECT at FROM first), (SELECT min(lease_until) FROM florin.due_work
          WHERE kind = ${kind} AND due_at <= coalesce((SELECT at FROM first), due_at) AND lease_until > due_at)) AS at`,
    )
    return row === undefined || row.at === null ? null : Number(row.at)
  }),

  backlog: Effect.fn("Storage.backlog")(function* (now) {
    const rows = yield* Connection.guard(
      sql<BacklogRow>`SELECT kind, chain_id, count(*) AS count, min(due_at) AS oldest
        FROM unnest(${[...Change.workKinds, ...Change.outflowWorkKinds]}::text[]) AS of_kind, LATERAL (
          SELECT kind, chain_id, due_at FROM florin.due_work
          WHERE kind = of_kind AND due_at <= ${now} AND lease_until <= ${now}
          ORDER BY due_at LIMIT ${backlogMax}
        ) AS waiting
        GROUP BY kind, chain_id`,
    )
    return rows.map(({ chain_id: group, count, kind, oldest }) => ({
      kind,
      group,
      count: Number(count),
      oldestDueAt: Number(oldest),
    }))
  }),
})
