/**
 * What is remembered of each chain.
 *
 * @module
 */
import * as ChainState from "@florin/core/domain/chain/ChainState"
import type { LaneStore } from "@florin/core/ports/LaneStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Decisions from "./Decisions.ts"
import * as Document from "./Document.ts"

const document = Document.of(ChainState.ChainState)

interface StateRow extends Document.Row {
  readonly revision: number
}

export const make = (
  sql: SqlClient,
): Pick<LaneStore["Service"], "chainStates" | "modifyChainState"> => ({
  chainStates: Effect.fn("Storage.chainStates")((mode) =>
    Connection.guard(
      Document.all(
        document,
        sql<Document.Row>`SELECT document FROM florin.chain_states WHERE mode = ${mode} ORDER BY chain_id`,
      ),
    ),
  ),

  modifyChainState: Effect.fn("Storage.modifyChainState")((mode, chainId, decide) =>
    Connection.guard(
      Decisions.retryUntilWritten(
        Effect.gen(function* () {
          const [row] = yield* sql<StateRow>`SELECT revision, document FROM florin.chain_states
            WHERE mode = ${mode} AND chain_id = ${chainId}`
          const current =
            row === undefined ? ChainState.initial(chainId) : yield* document.decode(row.document)
          const next = decide(current)
          if (next === null) return { result: false }
          const revision = row?.revision ?? 0
          // No row if another process wrote first.
          const [written] =
            yield* sql`INSERT INTO florin.chain_states (mode, chain_id, revision, document)
            VALUES (${mode}, ${chainId}, 1, ${document.encode(next)})
            ON CONFLICT (mode, chain_id) DO UPDATE
              SET revision = chain_states.revision + 1, document = excluded.document
              WHERE chain_states.revision = ${revision}
            RETURNING revision`
          return written === undefined ? null : { result: true }
        }),
      ),
    ),
  ),
})
