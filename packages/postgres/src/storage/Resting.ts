/**
 * The final transfers on which payments, outflows and inflows rest: a deep reorganisation may remove them.
 *
 * @module
 */
import * as InflowId from "@florin/core/domain/chain/InflowId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type { PaymentStore, Resting } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"

interface Row {
  readonly claim: string
  readonly subject_id: string
  readonly block_number: bigint
  readonly block_hash: string
}

const decodeId = Schema.decodeSync(
  Schema.Union([OutflowId.OutflowId, InflowId.InflowId, PaymentId.PaymentId]),
)

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "resting"> => ({
  resting: Effect.fn("Storage.resting")((mode, chainId, { after, fromBlock, limit }) =>
    Effect.map(
      Connection.guard(
        sql<Row>`SELECT claim, subject_id, block_number, block_hash FROM florin.resting_transfers
          WHERE mode = ${mode} AND chain_id = ${chainId} AND block_number >= ${fromBlock}
            ${
              after === null
                ? sql``
                : sql`AND (block_number, claim) < (${after.checkpoint.number}, ${after.claim})`
            }
          ORDER BY block_number DESC, claim DESC LIMIT ${limit}`,
      ),
      (rows) =>
        rows.map(({ block_hash, block_number, claim, subject_id }): Resting => ({
          claim,
          id: decodeId(subject_id),
          checkpoint: { number: Number(block_number), hash: block_hash },
        })),
    ),
  ),
})
