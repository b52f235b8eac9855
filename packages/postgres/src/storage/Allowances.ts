/**
 * How much of their accounts' allowances payments in progress will use, as a condition of writes.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import type * as Change from "@florin/core/domain/Change"
import * as Money from "@florin/core/domain/Money"
import type * as OptionRouting from "@florin/core/domain/OptionRouting"
import * as Payment from "@florin/core/domain/Payment"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Cte from "./Cte.ts"
import * as Document from "./Document.ts"
import * as Records from "./Records.ts"

/** The condition for changes that use allowances: one part, or none. */
export const requireCovered = (
  sql: SqlClient,
  changes: ReadonlyArray<Change.Change>,
  from: string,
): ReadonlyArray<Cte.Cte> => {
  const areCovered = changes.flatMap(({ draw, payment }) => {
    const option = Payment.attemptOf(payment)?.option
    if (draw === undefined || option === undefined) return []
    const { account, quantity, token } = option
    return [
      sql`is_covered(${payment.id}, ${account.address}, ${token.chainId}, ${token.address},
        ${Document.text(draw.flows)}::jsonb, ${quantity.toString()}::numeric, ${draw.allowance.toString()}::numeric)`,
    ]
  })
  return areCovered.length === 0
    ? []
    : [Cte.make("covered", sql`SELECT 1 FROM ${sql.literal(from)} WHERE ${sql.and(areCovered)}`)]
}

interface Row {
  readonly position: number
  readonly token: string
  readonly quantity: string
}

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "committed" | "isAwaited"> => ({
  isAwaited: Effect.fn("Storage.isAwaited")(({ address, chainId }, txHash) =>
    Effect.map(
      Connection.guard(
        sql`SELECT 1 FROM payments WHERE status = 'processing' AND payer = ${address} AND chain_id = ${chainId}
          AND document #>> '{state,attempt,outputs,txHash}' = ${txHash} LIMIT 1`,
      ),
      (rows) => rows.length > 0,
    ),
  ),
  committed: Effect.fn("Storage.committed")((accounts, flows) => {
    const distinct = [...new Map(accounts.map((each) => [Caip.accountKey(each), each])).values()]
    const rows = distinct.map(({ address, chainId }, position) => ({
      position,
      payer: address,
      chain_id: chainId,
    }))
    const columns = { position: "integer", payer: "text", chain_id: "text" }
    return Effect.map(
      Connection.guard(
        sql<Row>`SELECT next.position, payments.token,
            sum((document #>> '{state,attempt,option,quantity}')::numeric)::text AS quantity
          FROM ${Records.source(sql, rows, columns)}
            JOIN payments ON payments.payer = next.payer AND payments.chain_id = next.chain_id
          WHERE payments.status = 'processing'
            AND ${Document.text(flows)}::jsonb ? (document #>> '{state,attempt,option,flow}')
          GROUP BY next.position, payments.token ORDER BY next.position, payments.token`,
      ),
      (found) =>
        found.flatMap(({ position, quantity, token }): ReadonlyArray<OptionRouting.Committed> => {
          const account = distinct[position]
          return account === undefined
            ? []
            : [
                {
                  account,
                  token: { chainId: account.chainId, address: Caip.Address.make(token) },
                  quantity: Money.clamp(BigInt(quantity), Money.largest),
                },
              ]
        }),
    )
  }),
})
