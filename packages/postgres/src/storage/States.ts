/**
 * The states of which a service has one each: each is the only row of its table, if any.
 *
 * @module
 */
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as Alert from "@florin/core/domain/notify/Alert"
import { initial, type States, type StateStore } from "@florin/core/ports/StateStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Decisions from "./Decisions.ts"
import * as Document from "./Document.ts"

interface Row extends Document.Row {
  readonly now: bigint
  readonly revision: number | null
}

const tables = { alerts: "alert_board", denyList: "deny_list" }

const documents: { readonly [K in keyof States]: Document.Document<States[K]> } = {
  alerts: Document.of(Alert.Board),
  denyList: Document.of(DenyList.DenyList),
}

export const make = (sql: SqlClient): StateStore["Service"] => ({
  modify: Effect.fn("Storage.modifyState")((name, decide) =>
    Connection.guard(
      Decisions.retryUntilWritten(
        Effect.gen(function* () {
          const table = sql.literal(tables[name])
          const document = documents[name]
          const [row] = yield* sql<Row>`SELECT
              (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now, revision, document
            FROM (VALUES (true)) AS here (is_only) LEFT JOIN florin.${table} USING (is_only)`
          const revision = row?.revision ?? 0
          const current = revision === 0 ? initial[name] : yield* document.decode(row?.document)
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
    ),
  ),
})
