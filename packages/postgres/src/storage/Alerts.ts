/**
 * The state of the operator's own webhook.
 *
 * @module
 */
import * as Alert from "@florin/core/domain/Alert"
import type { AlertStore } from "@florin/core/ports/AlertStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Decisions from "./Decisions.ts"
import * as Document from "./Document.ts"

const boardDocument = Document.of(Alert.Board)

interface BoardRow extends Document.Row {
  readonly now: bigint
  readonly revision: number | null
}

export const make = (sql: SqlClient): AlertStore["Service"] => ({
  modify: Effect.fn("Storage.modifyAlerts")((decide) =>
    Connection.guard(
      Decisions.retryUntilWritten(
        Effect.gen(function* () {
          const [row] = yield* sql<BoardRow>`SELECT
              (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now, revision, document
            FROM (VALUES (true)) AS here (is_only) LEFT JOIN alert_board USING (is_only)`
          const revision = row?.revision ?? 0
          const current = revision === 0 ? Alert.empty : yield* boardDocument.decode(row?.document)
          const { result, board } = decide(current, Number(row?.now ?? 0n))
          if (board === null) return { result }
          // No row if another process wrote first.
          const [written] = yield* sql`INSERT INTO alert_board (is_only, revision, document)
            VALUES (true, 1, ${boardDocument.encode(board)})
            ON CONFLICT (is_only) DO UPDATE
              SET revision = alert_board.revision + 1, document = excluded.document
              WHERE alert_board.revision = ${revision}
            RETURNING revision`
          return written === undefined ? null : { result }
        }),
      ),
    ),
  ),
})
