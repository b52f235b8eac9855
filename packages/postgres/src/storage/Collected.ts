/**
 * What payers told about themselves: sealed, and deleted in time.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import { NotFound, type Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"

interface Row {
  readonly account: string
  readonly sealed: Uint8Array
  readonly delete_at: bigint
}

export const make = (
  sql: SqlClient,
): Pick<Storage["Service"], "putCollected" | "collected" | "deleteCollected"> => ({
  putCollected: Effect.fn("Storage.putCollected")(function* (id, data) {
    const [written] = yield* Connection.guard(
      sql`INSERT INTO collected (payment_id, account, sealed, delete_at)
        SELECT id, ${Caip.formatAccount(data.account)}, ${data.sealed}, ${data.deleteAt}
        FROM payments WHERE id = ${id}
        ON CONFLICT (payment_id, account) DO UPDATE SET sealed = excluded.sealed, delete_at = excluded.delete_at
        RETURNING payment_id`,
    )
    if (written === undefined) {
      return yield* new NotFound({ what: "payment", message: "there is no such payment" })
    }
  }),

  collected: Effect.fn("Storage.collected")(function* (id) {
    const rows = yield* Connection.guard(
      sql<Row>`SELECT account, sealed, delete_at FROM collected WHERE payment_id = ${id} ORDER BY account`,
    )
    return yield* Effect.forEach(rows, ({ account, sealed, delete_at }) =>
      Effect.map(Effect.orDie(Effect.fromResult(Caip.parseAccount(account))), (parsed) => ({
        account: parsed,
        sealed,
        deleteAt: Number(delete_at),
      })),
    )
  }),

  deleteCollected: Effect.fn("Storage.deleteCollected")(function* (now) {
    const [row] = yield* Connection.guard(
      sql<{ readonly count: number }>`WITH deleted AS (
          DELETE FROM collected WHERE delete_at <= ${now} RETURNING 1
        )
        SELECT count(*)::integer AS count FROM deleted`,
    )
    return row?.count ?? 0
  }),
})
