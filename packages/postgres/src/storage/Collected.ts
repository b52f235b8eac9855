/**
 * What payers told about themselves: sealed, and deleted in time.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"

interface Row {
  readonly account: string
  readonly sealed: Uint8Array
  readonly delete_at: bigint
}

const decodeAccount = Schema.decodeUnknownEffect(Caip.Account)

/** The account of a key. A chain has a colon, an address has none. */
const accountOf = (key: string) => {
  const end = key.lastIndexOf(":")
  return Effect.orDie(decodeAccount({ chainId: key.slice(0, end), address: key.slice(end + 1) }))
}

export const make = (
  sql: SqlClient,
  reads = sql,
): Pick<PaymentStore["Service"], "putCollected" | "collected" | "deleteCollected"> => ({
  putCollected: Effect.fn("Storage.putCollected")(function* (id, data) {
    const [payment] = yield* Connection.guard(
      sql`WITH payment AS (SELECT id FROM payments WHERE id = ${id}),
          first AS (
            INSERT INTO collected (payment_id, account, sealed, delete_at)
            SELECT id, ${Caip.accountKey(data.account)}, ${data.sealed}, ${data.deleteAt} FROM payment
            ON CONFLICT (payment_id, account) DO NOTHING
          )
        SELECT id FROM payment`,
    )
    if (payment === undefined) {
      return yield* NotFound.of("payment")
    }
  }),

  collected: Effect.fn("Storage.collected")(function* (id) {
    const rows = yield* Connection.guard(
      reads<Row>`SELECT account, sealed, delete_at FROM collected WHERE payment_id = ${id} ORDER BY account`,
    )
    return yield* Effect.forEach(rows, ({ account, sealed, delete_at }) =>
      Effect.map(accountOf(account), (parsed) => ({
        account: parsed,
        sealed,
        deleteAt: Number(delete_at),
      })),
    )
  }),

  deleteCollected: Effect.fn("Storage.deleteCollected")((now, limit) =>
    Effect.map(
      Connection.guard(
        sql`WITH past AS (
            SELECT payment_id, account FROM collected WHERE delete_at <= ${now}
            ORDER BY delete_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          DELETE FROM collected USING past
          WHERE collected.payment_id = past.payment_id AND collected.account = past.account
          RETURNING 1`,
      ),
      (deleted) => deleted.length,
    ),
  ),
})
