/**
 * The operator's deny list.
 *
 * @module
 */
import * as DenyList from "@florin/core/domain/DenyList"
import type { ScreeningStore } from "@florin/core/ports/ScreeningStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Decisions from "./Decisions.ts"
import * as Document from "./Document.ts"

const listDocument = Document.of(DenyList.DenyList)

interface ListRow extends Document.Row {
  readonly revision: number
}

export const make = (sql: SqlClient): ScreeningStore["Service"] => ({
  modifyDenyList: Effect.fn("Storage.modifyDenyList")((decide) =>
    Connection.guard(
      Decisions.retryUntilWritten(
        Effect.gen(function* () {
          const [row] = yield* sql<ListRow>`SELECT revision, document FROM deny_list`
          const current =
            row === undefined ? DenyList.empty : yield* listDocument.decode(row.document)
          const { next, result } = decide(current)
          if (next === null) return { result }
          // No row if another process wrote first.
          const [written] = yield* sql`INSERT INTO deny_list (is_only, revision, document)
            VALUES (true, 1, ${listDocument.encode(next)})
            ON CONFLICT (is_only) DO UPDATE
              SET revision = deny_list.revision + 1, document = excluded.document
              WHERE deny_list.revision = ${row?.revision ?? 0}
            RETURNING revision`
          return written === undefined ? null : { result }
        }),
      ),
    ),
  ),
})
