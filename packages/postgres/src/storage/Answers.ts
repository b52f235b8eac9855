/**
 * Requests that are answered once: a key stands for one answer until it is forgotten.
 *
 * Who takes a key does so in the transaction of its write. Others with the same key wait for that transaction, in
 * PostgreSQL's own unique index, and then read its answer.
 *
 * @module
 */
import * as Idempotency from "@florin/core/domain/Idempotency"
import * as Limits from "@florin/core/domain/Limits"
import type { AnswerStore, Created, Once } from "@florin/core/ports/AnswerStore"
import { IdempotencyConflict } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { StorageTime } from "../StorageTime.ts"
import * as Locks from "./Locks.ts"

/**
 * The part of a write that takes the key and keeps the answer: it returns one row where the request is fresh and none
 * where it was answered before. What the request creates hangs on that row.
 *
 * @example
 * sql`WITH fresh AS (${Answers.remembering(sql, once, answer, now)})
 *   INSERT INTO things (id) SELECT ${id} FROM fresh`
 */
export const remembering = (sql: SqlClient, once: Once, answer: string, now: number): Fragment =>
  sql`INSERT INTO answers (partner_id, mode, endpoint, key, fingerprint, answer, answered_at)
    VALUES (${once.scope.partnerId}, ${once.scope.mode}, ${once.scope.endpoint}, ${once.key},
      ${once.fingerprint}, ${answer}, ${now})
    ON CONFLICT (partner_id, mode, endpoint, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, answer = excluded.answer, answered_at = excluded.answered_at
    WHERE answers.answered_at <= excluded.answered_at - ${Limits.idempotencyKeptInMs}::bigint
    RETURNING answered_at`

/** What an earlier request with this key was answered, or null where none was or it is forgotten. */
export const answered = Effect.fnUntraced(function* (sql: SqlClient, once: Once, now: number) {
  const { scope, key } = once
  const [row] = yield* sql<{
    readonly fingerprint: string
    readonly answer: string
    readonly answered_at: bigint
  }>`SELECT fingerprint, answer, answered_at FROM answers
    WHERE partner_id = ${scope.partnerId} AND mode = ${scope.mode} AND endpoint = ${scope.endpoint} AND key = ${key}`
  if (row === undefined) return null
  const earlier = Idempotency.remember(
    {
      scope,
      key,
      fingerprint: Idempotency.Fingerprint.make(row.fingerprint),
      answer: row.answer,
    },
    Number(row.answered_at),
  )
  switch (Idempotency.judge(earlier, once.fingerprint, now)) {
    case "replay":
      return earlier.answer
    case "conflict":
      return yield* IdempotencyConflict.ofRequest()
    case "fresh":
      return null
  }
})

/** Runs a write that takes the key and tells whether it could; where it could not, the earlier answer stands. */
export const createOnce = Effect.fnUntraced(function* <E, R>(
  sql: SqlClient,
  once: Once,
  answer: string,
  now: number,
  write: Effect.Effect<boolean, E | SqlError, R>,
): Effect.fn.Return<Created, E | IdempotencyConflict | SqlError, R> {
  for (;;) {
    if (yield* write) return { replayed: false, answer }
    const earlier = yield* answered(sql, once, now)
    // Null: whoever had the key is gone again, so that it can be taken.
    if (earlier !== null) return { replayed: true, answer: earlier }
  }
})

export const make = (sql: SqlClient, time: StorageTime): AnswerStore["Service"] => ({
  answered: Effect.fn("Storage.answered")((once, now) => time.guard(answered(sql, once, now))),

  answerOnce: <A, E, R>(
    once: Once,
    write: Effect.Effect<A, E, R>,
    answerOf: (written: A) => string,
    now: number,
  ) => {
    const { endpoint, mode, partnerId } = once.scope
    const attempt = Effect.gen(function* () {
      // The answer is not known before the write, so the lock keeps the key meanwhile.
      yield* Locks.take(sql, `answers/${partnerId}/${mode}/${endpoint}/${once.key}`)
      const earlier = yield* answered(sql, once, now)
      if (earlier !== null) return { replayed: true, answer: earlier } as const
      const written = yield* write
      const answer = answerOf(written)
      yield* sql`${remembering(sql, once, answer, now)}`
      return { replayed: false, answer, written } as const
    })
    return time.guard(sql.withTransaction(attempt))
  },

  // A key that is taken anew at this moment is locked, and passed over.
  deleteAnswers: Effect.fn("Storage.deleteAnswers")((now, limit) =>
    Effect.map(
      time.guard(
        sql`WITH past AS (
            SELECT partner_id, mode, endpoint, key FROM answers
            WHERE answered_at <= ${time.checked(now)} - ${Limits.idempotencyKeptInMs}::bigint
            ORDER BY answered_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          DELETE FROM answers USING past
          WHERE answers.partner_id = past.partner_id AND answers.mode = past.mode
            AND answers.endpoint = past.endpoint AND answers.key = past.key
          RETURNING 1`,
      ),
      (deleted) => deleted.length,
    ),
  ),
})
