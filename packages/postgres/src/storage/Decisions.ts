/**
 * Payments by their ids: created, read, and found by what is open of them.
 *
 * @module
 */
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Refund from "@florin/core/domain/payment/Refund"
import type { Tenant } from "@florin/core/ports/AccountStore"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import type { StorageTime } from "../StorageTime.ts"
import * as Document from "./Document.ts"
import * as Latest from "./Latest.ts"
import * as PaymentRow from "./PaymentRow.ts"
import * as Records from "./Records.ts"
import * as Responses from "./Responses.ts"
import * as Write from "./Write.ts"

interface Sent {
  readonly payment_id: PaymentId.PaymentId
  readonly id: Refund.RefundId
}

const read = (sql: SqlClient, id: PaymentId.PaymentId) =>
  Records.requireOne(
    PaymentRow.table,
    sql<Document.Row>`SELECT document FROM florin.whole_payments WHERE id = ${id}`,
  )

const readOfRefund = (sql: SqlClient, { mode, partnerId }: Tenant, id: Refund.RefundId) =>
  Records.requireOne(
    PaymentRow.table,
    sql<Document.Row>`SELECT document FROM florin.whole_payments WHERE id = (SELECT payment_id FROM florin.refunds
      WHERE id = ${id} AND partner_id = ${partnerId} AND mode = ${mode})`,
    "refund",
  )

export const make = (
  sql: SqlClient,
  time: StorageTime,
  reads = sql,
  latest = Latest.make(sql),
): Pick<
  PaymentStore["Service"],
  "createPayment" | "payment" | "lastSentRefund" | "stuckPayments"
> => ({
  createPayment: Effect.fn("Storage.createPayment")((change, once, response, now, entry) => {
    const write = Write.create(sql, time, change, once, response, now, entry ?? null)
    return time.guard(
      once === null
        ? Effect.as(write, { replayed: false, response })
        : Responses.createOnce(sql, once, response, now, write),
    )
  }),

  payment: Effect.fn("Storage.payment")((of) =>
    typeof of === "string"
      ? Effect.tap(Connection.guard(read(reads, of)), (payment) => latest.keep([payment]))
      : Connection.guard(readOfRefund(sql, of.tenant, of.refundId)),
  ),

  lastSentRefund: Effect.fn("Storage.lastSentRefund")(({ mode, partnerId }, token, merchantId) =>
    Effect.map(
      Connection.guard(
        sql<Sent>`SELECT asked.payment_id, asked.id
          FROM florin.refunds AS asked JOIN florin.entries ON entries.id = asked.payment_id
            CROSS JOIN LATERAL jsonb_array_elements(entries.document #> '{state,refunds}') AS own
          WHERE asked.partner_id = ${partnerId} AND asked.mode = ${mode} AND asked.merchant_id = ${merchantId}
            AND asked.chain_id = ${token.chainId} AND asked.token = ${token.address}
            AND own ->> 'id' = asked.id AND own #>> '{state,_tag}' IN ('Processing', 'Succeeded')
            AND (own ->> 'own')::numeric + (own ->> 'fee')::numeric < (own ->> 'quantity')::numeric
          ORDER BY asked.requested_at DESC, asked.id DESC LIMIT 1`,
      ),
      ([row]) => (row === undefined ? null : { paymentId: row.payment_id, refundId: row.id }),
    ),
  ),

  stuckPayments: Effect.fn("Storage.stuckPayments")((mode) =>
    Document.list(
      PaymentRow.document,
      sql<Document.Row>`SELECT whole.document FROM florin.entries AS stuck JOIN florin.whole_payments AS whole USING (id)
          WHERE stuck.is_stuck AND whole.document #>> '{columns,mode}' = ${mode} ORDER BY stuck.created_at, id`,
    ),
  ),
})
