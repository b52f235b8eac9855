/**
 * The final transfers that payments rest on: what a deep reorganisation may take.
 *
 * @module
 */
import * as PaymentId from "@florin/core/domain/PaymentId"
import type { PaymentStore, Resting } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"

interface Row {
  readonly claim: string
  readonly payment_id: string
  readonly block_number: bigint
  readonly block_hash: string
}

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "resting"> => ({
  resting: Effect.fn("Storage.resting")((mode, chainId, { after, fromBlock, limit }) =>
    Effect.map(
      Connection.guard(
        sql<Row>`SELECT claim, payment_id, block_number, block_hash FROM resting_transfers
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
