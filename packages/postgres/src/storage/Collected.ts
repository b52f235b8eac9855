/**
 * Payers' collected data: sealed, and deleted in time.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import type { StorageTime } from "../StorageTime.ts"

interface Row {
  readonly account: string
  readonly session: string
  readonly sealed: Uint8Array
  readonly key: Uint8Array
  readonly delete_at: bigint
}

const decodeSession = Schema.decodeUnknownEffect(PayerSession.PayerSession)

/** The session of a row; a row without one has an empty text. */
const sessionOf = (text: string) =>
  text === "" ? Effect.succeed(null) : Effect.orDie(decodeSession(text))

const decodeAccount = Schema.decodeUnknownEffect(Caip.Account)

/** The account of a key. A chain has a colon, an address has none. */
const accountOf = (key: string) => {
  const end = key.lastIndexOf(":")
  return Effect.orDie(decodeAccount({ chainId: key.slice(0, end), address: key.slice(end + 1) }))
}

export const make = (
  sql: SqlClient,
  time: StorageTime,
  reads = sql,
): Pick<
  PaymentStore["Service"],
  "putCollected" | "collected" | "paymentsWithCollected" | "eraseCollected" | "deleteCollected"
> => ({
  putCollected: Effect.fn("Storage.putCollected")(function* (id, data) {
    const account = Caip.accountKey(data.account)
    const session = data.session ?? ""
    const [payment] = yield* time.guard(
      Effect.flatMap(
        time.agrees,
        (agrees) => sql<{
          kept: boolean
        }>`WITH payment AS (SELECT id FROM florin.payments WHERE id = ${id} AND ${agrees}),
          known AS (
            SELECT count(*) < ${Limits.collectedPerPaymentMax} AS has_room,
              coalesce(bool_or(account = ${account} AND session = ${session}), false) AS has_this
            FROM florin.collected WHERE payment_id = ${id}
          ),
          first AS (
            INSERT INTO florin.collected (payment_id, account, session, sealed, delete_at)
            SELECT id, ${account}, ${session}, ${data.sealed}, ${data.deleteAt}
            FROM payment, known WHERE has_room
            ON CONFLICT (payment_id, account, session) DO NOTHING
            RETURNING payment_id
          ),
          keyed AS (
            INSERT INTO florin.collected_keys (payment_id, account, session, key)
            SELECT payment_id, ${account}, ${session}, ${data.key} FROM first
          )
        SELECT has_room OR has_this AS kept FROM payment, known`,
      ),
    )
    return payment === undefined ? yield* NotFound.of("payment") : payment.kept
  }),

  collected: Effect.fn("Storage.collected")(function* (id) {
    const rows = yield* Connection.guard(
      reads<Row>`SELECT account, session, sealed, key, delete_at
        FROM florin.collected JOIN florin.collected_keys USING (payment_id, account, session)
        WHERE payment_id = ${id} ORDER BY account, session`,
    )
    return yield* Effect.forEach(
      rows,
      Effect.fnUntraced(function* ({ account, delete_at, key, sealed, session }) {
        return {
          account: yield* accountOf(account),
          session: yield* sessionOf(session),
          sealed,
          key,
          deleteAt: Number(delete_at),
        }
      }),
    )
  }),

  paymentsWithCollected: Effect.fn("Storage.paymentsWithCollected")(function* (account) {
    const rows = yield* Connection.guard(
      sql<{ readonly id: string }>`SELECT DISTINCT payment_id AS id FROM florin.collected
        WHERE account = ${Caip.accountKey(account)}`,
    )
    return rows.map(({ id }) => PaymentId.PaymentId.make(id))
  }),

  // Deleting a record also deletes its key.
  eraseCollected: Effect.fn("Storage.eraseCollected")((id, account) =>
    Effect.map(
      Connection.guard(
        sql`DELETE FROM florin.collected WHERE payment_id = ${id}
          AND ${account === null ? sql`true` : sql`account = ${Caip.accountKey(account)}`} RETURNING 1`,
      ),
      (erased) => erased.length,
    ),
  ),

  deleteCollected: Effect.fn("Storage.deleteCollected")((now, limit) =>
    Effect.map(
      time.guard(
        sql`WITH past AS (
            SELECT payment_id, account, session FROM florin.collected WHERE delete_at <= ${time.checked(now)}
            ORDER BY delete_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          DELETE FROM florin.collected USING past
          WHERE collected.payment_id = past.payment_id AND collected.account = past.account
            AND collected.session = past.session
          RETURNING 1`,
      ),
      (deleted) => deleted.length,
    ),
  ),
})
