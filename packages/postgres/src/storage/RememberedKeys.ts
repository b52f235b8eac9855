/**
 * Caches keys for a moment, so that most calls need no look-up.
 *
 * A process drops its own changes from the cache immediately; changes of other processes are seen when the moment is
 * over. Only valid keys are cached, so that invented keys use no memory.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type { KeyWithPartner } from "@florin/core/ports/AccountStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

interface Entry {
  readonly found: KeyWithPartner
  readonly readAt: number
}

/** When there are more, the one that was read longest ago is dropped. */
const entriesMax = 10_000

/** A clock that was set back does not make an entry fresh. */
const isFresh = ({ readAt }: Entry, now: number): boolean =>
  readAt <= now && now < readAt + Limits.keyRememberedInMs

export const make = () => {
  const entries = new Map<ApiKey.KeyHash, Entry>()
  let writes = 0

  const remember = (hash: ApiKey.KeyHash, entry: Entry): void => {
    entries.delete(hash)
    const [oldest] = entries.keys()
    if (oldest !== undefined && entries.size >= entriesMax) entries.delete(oldest)
    entries.set(hash, entry)
  }

  const forgetting = <A, E, R>(write: Effect.Effect<A, E, R>, forget: () => void) =>
    Effect.ensuring(
      write,
      Effect.sync(() => {
        writes += 1
        forget()
      }),
    )

  return {
    /** The cached record of a key, or the one that is read now. */
    find: <E, R>(hash: ApiKey.KeyHash, read: Effect.Effect<KeyWithPartner, E, R>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<KeyWithPartner, E, R> => {
        const known = entries.get(hash)
        if (known !== undefined && isFresh(known, now)) return Effect.succeed(known.found)
        const writesBefore = writes
        return Effect.tap(read, (found) =>
          Effect.sync(() => {
            // A read during a write may have returned the earlier value.
            const isCurrent = writes === writesBefore
            if (isCurrent && Result.isSuccess(ApiKey.check(found.key, now))) {
              remember(hash, { found, readAt: now })
            }
          }),
        )
      }),

    /**
     * Runs a transaction that may write keys, and drops them again when it is over: until then, others read the earlier
     * values.
     */
    throughout: <A, E, R>(transaction: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        const writesBefore = writes
        const forget = Effect.sync(() => {
          if (writes === writesBefore) return
          writes += 1
          entries.clear()
        })
        return Effect.ensuring(transaction, forget)
      }),

    /** Writes keys, and then drops them from the cache, even if it is not known whether they were written. */
    writingKeys: <A, E, R>(keys: ReadonlyArray<ApiKey.ApiKey>, write: Effect.Effect<A, E, R>) =>
      forgetting(write, () => {
        for (const { hash } of keys) entries.delete(hash)
      }),

    /** Writes a partner, which may own any of the keys. */
    writingPartner: <A, E, R>(write: Effect.Effect<A, E, R>) =>
      forgetting(write, () => entries.clear()),
  }
}

export type RememberedKeys = ReturnType<typeof make>
