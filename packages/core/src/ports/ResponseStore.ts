/**
 * The store of remembered responses: a request that is sent twice with one idempotency key gets one response.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Idempotency from "../domain/partner/Idempotency.ts"
import type { IdempotencyConflict, Read, StorageUnavailable } from "./StorageError.ts"

/** A request that gets one response however often it is sent: its key, and what it asks for. */
export interface Once {
  readonly scope: Idempotency.Scope
  readonly key: Idempotency.IdempotencyKey
  readonly fingerprint: Idempotency.Fingerprint
}

/** A created object, or the response that an earlier request with the same key got. */
export interface Created {
  readonly replayed: boolean
  /** The remembered response. */
  readonly response: string
}

/**
 * Stores the responses to requests that have an idempotency key.
 *
 * `PaymentStore.createPayment` writes the response in its own statement. `respondOnce` does so for any other write.
 */
export class ResponseStore extends Context.Service<
  ResponseStore,
  {
    /**
     * The response to an earlier request with this key, or null if there was none or it was forgotten. It judges the
     * key as a write with the same key would.
     */
    readonly storedResponse: (
      once: Once,
      now: number,
    ) => Effect.Effect<string | null, IdempotencyConflict | StorageUnavailable>
    /**
     * Runs one write of any store and remembers the response that it returns, in one transaction, or returns the
     * response to an earlier request with this key. Concurrent requests with one key wait for the first.
     */
    readonly respondOnce: <E, R>(
      once: Once,
      now: number,
      write: Effect.Effect<string, E, R>,
    ) => Effect.Effect<Created, E | IdempotencyConflict | StorageUnavailable, R>
    /** Deletes at most `limit` expired responses, and skips those in use. Returns how many it deleted. */
    readonly deleteResponses: (now: number, limit: number) => Read<number>
  }
>()("@florin/core/ports/ResponseStore") {}
