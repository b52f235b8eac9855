/**
 * Remembered responses, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Idempotency from "../../domain/partner/Idempotency.ts"
import { ResponseStore, type Created, type Once } from "../ResponseStore.ts"
import { IdempotencyConflict } from "../StorageError.ts"
import { atomic } from "./Rows.ts"

const onceKey = ({ scope, key }: Pick<Once, "scope" | "key">): string =>
  JSON.stringify([scope.partnerId, scope.mode, scope.endpoint, key])

export const make = () => {
  const remembered = new Map<string, Idempotency.Remembered>()
  const turns = Semaphore.makeUnsafe(1)

  /** The remembered response to a request, or null if there is none. */
  const storedResponse = (
    once: Once,
    now: number,
  ): Result.Result<string | null, IdempotencyConflict> => {
    const earlier = remembered.get(onceKey(once))
    switch (Idempotency.judge(earlier, once.fingerprint, now)) {
      case "replay":
        return Result.succeed(earlier?.response ?? null)
      case "conflict":
        return Result.fail(IdempotencyConflict.ofRequest())
      case "fresh":
        return Result.succeed(null)
    }
  }

  /** Returns the remembered response, or runs `create` and remembers its result. */
  const respondOnce = <E>(
    once: Once | null,
    now: number,
    create: () => Result.Result<string, E>,
  ): Result.Result<Created, E | IdempotencyConflict> => {
    if (once === null) {
      return Result.map(create(), (response) => ({ replayed: false, response }))
    }
    const earlier = storedResponse(once, now)
    if (Result.isFailure(earlier)) return Result.fail(earlier.failure)
    return earlier.success === null
      ? Result.map(create(), (response) => {
          remembered.set(onceKey(once), Idempotency.remember({ ...once, response }, now))
          return { replayed: false, response }
        })
      : Result.succeed({ replayed: true, response: earlier.success })
  }

  const store = ResponseStore.of({
    storedResponse: (once, now) => atomic(() => storedResponse(once, now)),
    respondOnce: (once, now, write) =>
      Effect.uninterruptible(
        turns.withPermit(
          Effect.gen(function* () {
            const earlier = yield* Effect.fromResult(storedResponse(once, now))
            if (earlier !== null) return { replayed: true, response: earlier }
            const response = yield* write
            return yield* Effect.fromResult(respondOnce(once, now, () => Result.succeed(response)))
          }),
        ),
      ),
    deleteResponses: (now, limit) =>
      Effect.sync(() => {
        let deleted = 0
        for (const [key, { expiresAt }] of remembered) {
          if (deleted === limit) break
          if (now < expiresAt) continue
          remembered.delete(key)
          deleted += 1
        }
        return deleted
      }),
  })
  return { store, respondOnce }
}

/** What other stores need of the remembered responses. */
export type Responses = ReturnType<typeof make>
