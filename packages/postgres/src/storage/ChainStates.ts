/**
 * What is remembered of chains, and which transfers were found on them: what tells of a deep reorganisation, and what it
 * took.
 *
 * @module
 */
import * as ChainState from "@florin/core/domain/ChainState"
import * as PaymentId from "@florin/core/domain/PaymentId"
import type { Resting, Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Decisions from "./Decisions.ts"
import * as Document from "./Document.ts"

const document = Document.of(ChainState.ChainState)

interface StateRow extends Document.Row {
  readonly revision: number
}

interface RestingRow {
  readonly claim: string
  readonly payment_id: string
  readonly block_number: bigint
  readonly block_hash: string
}

export const make = (
  sql: SqlClient,
): Pick<Storage["Service"], "chainStates" | "modifyChainState" | "resting"> => ({
  chainStates: Effect.fn("Storage.chainStates")((mode) =>
    Connection.guard(
      Document.all(
        document,
        sql<Document.Row>`SELECT document FROM chain_states WHERE mode = ${mode} ORDER BY chain_id`,
      ),
    ),
  ),

  modifyChainState: Effect.fn("Storage.modifyChainState")((mode, chainId, decide) =>
    Connection.guard(
      Decisions.untilWritten(
        Effect.gen(function* () {
          const [row] = yield* sql<StateRow>`SELECT revision, document FROM chain_states
            WHERE mode = ${mode} AND chain_id = ${chainId}`
          const current =
            row === undefined ? ChainState.unknown(chainId) : yield* document.decode(row.document)
          const next = decide(current)
          if (next === null) return { answer: false }
          const revision = row?.revision ?? 0
          // No row where somebody else wrote first.
          const [written] = yield* sql`INSERT INTO chain_states (mode, chain_id, revision, document)
            VALUES (${mode}, ${chainId}, 1, ${document.encode(next)})
            ON CONFLICT (mode, chain_id) DO UPDATE
              SET revision = chain_states.revision + 1, document = excluded.document
              WHERE chain_states.revision = ${revision}
            RETURNING revision`
          return written === undefined ? null : { answer: true }
        }),
      ),
    ),
  ),

  resting: Effect.fn("Storage.resting")((mode, chainId, { after, fromBlock, limit }) =>
    Effect.map(
      Connection.guard(
        sql<RestingRow>`SELECT claim, payment_id, block_number, block_hash FROM resting_transfers
          WHERE mode = ${mode} AND chain_id = ${chainId} AND block_number >= ${fromBlock}
            ${
              after === null
                ? sql``
                : sql`AND (block_number, claim) < (${after.mark.number}, ${after.claim})`
            }
          ORDER BY block_number DESC, claim DESC LIMIT ${limit}`,
      ),
      (rows) =>
        rows.map(({ block_hash, block_number, claim, payment_id }): Resting => ({
          claim,
          paymentId: PaymentId.PaymentId.make(payment_id),
          mark: { number: Number(block_number), hash: block_hash },
        })),
    ),
  ),
})
