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

/** What a write returned, or the answer that an earlier request with the same key got. */
export type Answered<A> =
  | { readonly replayed: true; readonly answer: string }
  | { readonly replayed: false; readonly answer: string; readonly written: A }

/**
 * Stores the responses of requests that have an idempotency key.
 *
 * The stores that create an object write its response in the same transaction. For any other write, `answerOnce` does.
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
     * Runs one write of any store, once per key, and remembers its answer in the same transaction. Of concurrent calls
     * with one key one writes, and the others wait and get its answer. The write may run several times.
     */
    readonly answerOnce: <A, E, R>(
      once: Once,
      write: Effect.Effect<A, E, R>,
      answerOf: (written: A) => string,
      now: number,
    ) => Effect.Effect<Answered<A>, E | IdempotencyConflict | StorageUnavailable, R>
    /** Deletes answers that are forgotten, `limit` of them at most, and passes over those in use; answers how many. */
    readonly deleteAnswers: (now: number, limit: number) => Read<number>
  }
>()("@florin/core/ports/AnswerStore") {}
