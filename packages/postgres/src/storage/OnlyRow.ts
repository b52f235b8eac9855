/**
 * Records of which a service has one, if any: each is the only row of its table.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Decisions from "./Decisions.ts"
import type * as Document from "./Document.ts"

interface OnlyRow extends Document.Row {
  readonly now: bigint
  readonly revision: number | null
}

/** A table with one row, and what it stands for while it has none. */
interface Table<D> {
  readonly name: string
  readonly document: Document.Document<D>
  readonly empty: D
}

/** Runs `decide` on the record and the storage's time, and writes `next`, if any. */
export const modify = <D, A>(
  sql: SqlClient,
  { document, empty, name }: Table<D>,
  decide: (current: D, now: number) => { readonly result: A; readonly next: D | null },
) =>
  Connection.guard(
    Decisions.retryUntilWritten(
      Effect.gen(function* () {
        const table = sql.literal(name)
        const [row] = yield* sql<OnlyRow>`SELECT
            (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now, revision, document
          FROM (VALUES (true)) AS here (is_only) LEFT JOIN florin.${table} USING (is_only)`
        const revision = row?.revision ?? 0
        const current = revision === 0 ? empty : yield* document.decode(row?.document)
        const { next, result } = decide(current, Number(row?.now ?? 0n))
        if (next === null) return { result }
        // No row if another process wrote first.
        const [written] =
          yield* sql`INSERT INTO florin.${table} AS kept (is_only, revision, document)
          VALUES (true, 1, ${document.encode(next)})
          ON CONFLICT (is_only) DO UPDATE
            SET revision = kept.revision + 1, document = excluded.document
            WHERE kept.revision = ${revision}
          RETURNING revision`
        return written === undefined ? null : { result }
      }),
    ),
  )
