/**
 * The store of remembered responses: a request that is sent twice with one idempotency key gets one response.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Idempotency from "../domain/Idempotency.ts"
import type { IdempotencyConflict, Read, StorageUnavailable } from "./StorageError.ts"

/** A request that is to be answered once: its key, and what it asked for. */
export interface Once {
  readonly scope: Idempotency.Scope
  readonly key: Idempotency.IdempotencyKey
  readonly fingerprint: Idempotency.Fingerprint
}

/** A created object, or the answer that an earlier request with the same key got. */
export interface Created {
  readonly replayed: boolean
  /** The answer as it was remembered. */
  readonly answer: string
}

/**
 * Stores the responses of requests that have an idempotency key.
 *
 * The stores that create an object write its response in the same transaction. `answerOnce` does so for any other write.
 */
export class AnswerStore extends Context.Service<
  AnswerStore,
  {
    /**
     * What an earlier request with this key was answered, or null where none was or it is forgotten: the judgement that
     * a write with the same key would meet.
     */
    readonly answered: (
      once: Once,
      now: number,
    ) => Effect.Effect<string | null, IdempotencyConflict | StorageUnavailable>
    /**
     * Runs one write of any store and remembers the response that it returns, in one transaction, or returns what an
     * earlier request with this key was answered. Concurrent requests with one key wait for the first.
     */
    readonly answerOnce: <E, R>(
      once: Once,
      now: number,
      write: Effect.Effect<string, E, R>,
    ) => Effect.Effect<Created, E | IdempotencyConflict | StorageUnavailable, R>
    /** Deletes answers that are forgotten, `limit` of them at most, and passes over those in use; answers how many. */
    readonly deleteAnswers: (now: number, limit: number) => Read<number>
  }
>()("@florin/core/ports/AnswerStore") {}
