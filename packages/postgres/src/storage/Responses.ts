/**
 * Idempotent requests: a key has one stored response until it is deleted.
 *
 * A request takes its key in the transaction of its write. Others with the same key wait for that transaction, in
 * PostgreSQL's own unique index, and then read its response.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import type { ResponseStore, Created, Once } from "@florin/core/ports/ResponseStore"
import { IdempotencyConflict } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { StorageTime } from "../StorageTime.ts"
import type * as RememberedKeys from "./RememberedKeys.ts"

/**
 * The part of a write that takes the key and stores the response: it returns one row if the request is fresh, and none
 * if it has a stored response. The records that the request creates depend on that row.
 *
 * @example
 * sql`WITH fresh AS (${Responses.remembering(sql, once, answer, now)}) INSERT INTO things (id) SELECT ${id} FROM fresh`
 */
export const remember = (sql: SqlClient, once: Once, response: string, now: number): Fragment =>
  sql`INSERT INTO florin.answers (partner_id, mode, endpoint, key, fingerprint, answer, answered_at)
    VALUES (${once.scope.partnerId}, ${once.scope.mode}, ${once.scope.endpoint}, ${once.key},
      ${once.fingerprint}, ${response}, ${now})
    ON CONFLICT (partner_id, mode, endpoint, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, answer = excluded.answer, answered_at = excluded.answered_at
    WHERE answers.answered_at <= excluded.answered_at - ${Limits.idempotencyKeptInMs}::bigint
    RETURNING answered_at`

/** The response to an earlier request with this key; null if there was none, or if it was deleted. */
const storedResponse = Effect.fnUntraced(function* (sql: SqlClient, once: Once, now: number) {
  const { scope, key } = once
  const [row] = yield* sql<{
    readonly fingerprint: string
    readonly answer: string
    readonly answered_at: bigint
  }>`SELECT fingerprint, answer, answered_at FROM florin.answers
    WHERE partner_id = ${scope.partnerId} AND mode = ${scope.mode} AND endpoint = ${scope.endpoint} AND key = ${key}`
  if (row === undefined) return null
  const earlier = Idempotency.remember(
    {
      scope,
      key,
      fingerprint: Idempotency.Fingerprint.make(row.fingerprint),
      response: row.answer,
    },
    Number(row.answered_at),
  )
  switch (Idempotency.judge(earlier, once.fingerprint, now)) {
    case "replay":
      return earlier.response
    case "conflict":
      return yield* IdempotencyConflict.ofRequest()
    case "fresh":
      return null
  }
})

/** Runs a write that takes the key and reports whether it could. If it could not, the earlier response is returned. */
export const createOnce = Effect.fnUntraced(function* <E, R>(
  sql: SqlClient,
  once: Once,
  response: string,
  now: number,
  write: Effect.Effect<boolean, E | SqlError, R>,
): Effect.fn.Return<Created, E | IdempotencyConflict | SqlError, R> {
  for (;;) {
    if (yield* write) return { replayed: false, response }
    const earlier = yield* storedResponse(sql, once, now)
    // Null: the request that had the key is gone, so the key can be taken.
    if (earlier !== null) return { replayed: true, response: earlier }
  }
})

/** Takes the key, writes, and stores the response. Concurrent requests wait for the row that took the key. */
const respondOnce = Effect.fnUntraced(function* <E, R>(
  sql: SqlClient,
  time: StorageTime,
  once: Once,
  now: number,
  write: Effect.Effect<string, E, R>,
): Effect.fn.Return<Created, E | IdempotencyConflict | SqlError, R> {
  const { key, scope } = once
  for (;;) {
    const took = yield* sql`${remember(sql, once, "", now)}`
    if (took.length > 0) {
      const response = yield* write
      yield* sql`UPDATE florin.answers SET answer = ${response} WHERE partner_id = ${scope.partnerId}
        AND mode = ${scope.mode} AND endpoint = ${scope.endpoint} AND key = ${key} AND ${yield* time.agrees}`
      return { replayed: false, response }
    }
    const earlier = yield* storedResponse(sql, once, now)
    if (earlier !== null) return { replayed: true, response: earlier }
  }
})

export const make = (
  sql: SqlClient,
  time: StorageTime,
  remembered: RememberedKeys.RememberedKeys,
): ResponseStore["Service"] => ({
  storedResponse: Effect.fn("Storage.answered")((once, now) =>
    time.guard(storedResponse(sql, once, now)),
  ),
  respondOnce: (once, now, write) =>
    remembered.throughout(
      time.guard(sql.withTransaction(respondOnce(sql, time, once, now, write))),
    ),

  // A key that is being taken again at this moment is locked, and skipped.
  deleteResponses: Effect.fn("Storage.deleteAnswers")((now, limit) =>
    Effect.map(
      time.guard(
        sql`WITH past AS (
            SELECT partner_id, mode, endpoint, key FROM florin.answers
            WHERE answered_at <= ${time.checked(now)} - ${Limits.idempotencyKeptInMs}::bigint
            ORDER BY answered_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          DELETE FROM florin.answers USING past
          WHERE answers.partner_id = past.partner_id AND answers.mode = past.mode
            AND answers.endpoint = past.endpoint AND answers.key = past.key
          RETURNING 1`,
      ),
      (deleted) => deleted.length,
    ),
  ),
})
