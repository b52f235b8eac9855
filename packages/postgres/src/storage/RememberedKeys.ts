/**
 * Who a key is, remembered for a moment, so that most calls need no look-up.
 *
 * What this process writes it forgets at once; what others write it sees when the moment is over. Only good keys are
 * remembered, so that keys which somebody made up take no room.
 *
 * @module
 */
import * as ApiKey from "@florin/core/domain/ApiKey"
import * as Limits from "@florin/core/domain/Limits"
import type { KeyWithPartner } from "@florin/core/ports/AccountStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

interface Entry {
  readonly found: KeyWithPartner
  readonly readAt: number
}

/** Beyond it the one that was read longest ago gives way. */
const entriesMax = 10_000

/** A clock that was set back makes nothing fresh. */
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
    /** What is remembered of a key, or what is read now. */
    find: <E, R>(hash: ApiKey.KeyHash, read: Effect.Effect<KeyWithPartner, E, R>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<KeyWithPartner, E, R> => {
        const known = entries.get(hash)
        if (known !== undefined && isFresh(known, now)) return Effect.succeed(known.found)
        const writesBefore = writes
        return Effect.tap(read, (found) =>
          Effect.sync(() => {
            // What was read while somebody wrote may be what there was before.
            const isCurrent = writes === writesBefore
            if (isCurrent && Result.isSuccess(ApiKey.check(found.key, now))) {
              remember(hash, { found, readAt: now })
            }
          }),
        )
      }),

    /**
     * Runs a transaction that may write keys, and forgets them again once it is over: until then, others read what there
     * was before.
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

    /** Writes keys; they are forgotten then, also where nobody knows whether they were written. */
    writingKeys: <A, E, R>(keys: ReadonlyArray<ApiKey.ApiKey>, write: Effect.Effect<A, E, R>) =>
      forgetting(write, () => {
        for (const { hash } of keys) entries.delete(hash)
      }),

    /** Writes a partner, who may hold any of the keys. */
    writingPartner: <A, E, R>(write: Effect.Effect<A, E, R>) =>
      forgetting(write, () => entries.clear()),
  }
}

export type RememberedKeys = ReturnType<typeof make>
