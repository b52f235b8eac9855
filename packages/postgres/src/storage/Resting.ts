/**
 * The final transfers on which payments, outflows and inflows rest: a deep reorganisation may remove them.
 *
 * @module
 */
import * as Claim from "@florin/core/domain/chain/Claim"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type { PaymentStore, Resting } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"

interface Row {
  readonly log_index: bigint
  readonly tx_hash: string
  readonly subject_id: string
  readonly block_number: bigint
  readonly block_hash: string
}

const decodeId = Schema.decodeSync(
  Schema.Union([OutflowId.OutflowId, InflowId.InflowId, PaymentId.PaymentId]),
)

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "resting"> => ({
  resting: Effect.fn("Storage.resting")((mode, chainId, { after, fromBlock, limit }) => {
    const prefixOf = (txHash: string) => Claim.transfersPrefix(chainId, txHash)
    const [, afterTx = "", afterLog = ""] =
      /^(.*):([^:]*)$/u.exec(after?.claim.slice(prefixOf("").length - 1) ?? "") ?? []
    return Effect.map(
      Connection.guard(
        sql<Row>`SELECT log_index, florin.unpacked(tx_hash) AS tx_hash, subject_id, block_number,
            florin.unpacked(block_hash) AS block_hash
          FROM florin.resting_transfers
          WHERE chain = florin.number_of(${`${mode}/${chainId}`}) AND block_number >= ${fromBlock}
            ${
              after === null
                ? sql``
                : sql`AND (block_number, resting_transfers.tx_hash, log_index)
                    < (${after.checkpoint.number}::bigint, florin.packed(${afterTx}), ${afterLog}::bigint)`
            }
          ORDER BY block_number DESC, resting_transfers.tx_hash DESC, log_index DESC LIMIT ${limit}`,
      ),
      (rows) =>
        rows.map(({ block_hash, block_number, log_index, subject_id, tx_hash }): Resting => ({
          claim: `${prefixOf(tx_hash)}${log_index}`,
          id: decodeId(subject_id),
          checkpoint: { number: Number(block_number), hash: block_hash },
        })),
    )
  }),
})
