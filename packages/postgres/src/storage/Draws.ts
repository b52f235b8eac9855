/**
 * What payments in progress will take from their accounts, as a condition of writes.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Payment from "@florin/core/domain/payment/Payment"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Conditions from "./Conditions.ts"
import * as Cte from "./Cte.ts"
import * as Document from "./Document.ts"
import * as PaymentRow from "./PaymentRow.ts"
import * as Records from "./Records.ts"

/** The condition for changes that take from payers' accounts: one part, or none. */
export const requireCovered = (
  sql: SqlClient,
  changes: ReadonlyArray<Change.Change>,
  from: string,
): ReadonlyArray<Cte.Cte> => {
  const areCovered = changes.flatMap(({ draws = [], payment }) => {
    const option = Payment.attemptOf(payment)?.option
    if (option === undefined) return []
    const { account, quantity, token } = option
    return draws.map(
      ({ available, flows, taken }) =>
        sql`florin.is_covered(${payment.id}, ${account.address}, ${token.chainId}, ${token.address}, ${Document.text(flows)}::jsonb,
          ${Document.text(taken)}::jsonb, ${quantity.toString()}::numeric, ${available?.toString() ?? null}::numeric)`,
    )
  })
  return areCovered.length === 0
    ? []
    : [Cte.make("covered", sql`SELECT 1 FROM ${sql.literal(from)} WHERE ${sql.and(areCovered)}`)]
}

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "committed" | "isAwaited"> => ({
  isAwaited: Effect.fn("Storage.isAwaited")(({ address, chainId }, txHash) =>
    Effect.map(
      Connection.guard(
        sql`SELECT 1 FROM florin.payments WHERE ${Conditions.isStored(sql, ["processing"])}
          AND customer = florin.packed(${address}) AND chain = florin.number_of(${chainId})
          AND (document #>> '{state,attempt,outputs,txHash}' = ${txHash}
            OR EXISTS (SELECT FROM florin.lane_transactions AS own
              WHERE own.lane = florin.number_of((payments.progress #>> '{state,slot,lane,chainId}') || '/' ||
                  (payments.progress #>> '{state,slot,lane,sender}'))
                AND own.nonce = (payments.progress #>> '{state,slot,nonce}')::bigint
                AND (own.hash = florin.packed(${txHash}) OR own.document->'earlierHashes' ? ${txHash})))
          LIMIT 1`,
      ),
      (rows) => rows.length > 0,
    ),
  ),
  committed: Effect.fn("Storage.committed")((accounts, flows) => {
    const distinct = [...new Map(accounts.map((each) => [Caip.accountKey(each), each])).values()]
    const rows = distinct.map(({ address, chainId }) => ({ payer: address, chain_id: chainId }))
    const columns = { payer: "text", chain_id: "text" }
    const processing = Document.list(
      PaymentRow.document,
      sql<Document.Row>`SELECT (SELECT document FROM florin.whole_payments WHERE id = payments.id) AS document
          FROM ${Records.source(sql, rows, columns)}
            JOIN florin.payments ON customer = florin.packed(next.payer) AND chain = florin.number_of(next.chain_id)
          WHERE ${Conditions.isStored(sql, ["processing"])}
            AND ${Document.text(flows)}::jsonb ? (payments.document #>> '{state,attempt,option,flow}')`,
    )
    return Effect.map(processing, (payments) =>
      payments.flatMap((payment) => Payment.attemptOf(payment)?.option ?? []),
    )
  }),
})
