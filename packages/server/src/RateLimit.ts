/**
 * How often a key may call: a bucket for each, which calls fill and time empties.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as EdgeSettings from "./EdgeSettings.ts"

/** The key called too often. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterInS: Schema.Int,
  message: Schema.String,
}) {}

const limited = (retryAfterInS: number) =>
  new RateLimited({
    retryAfterInS,
    message: `too many calls with this key: wait ${retryAfterInS} s`,
  })

/** How many calls were in a bucket, and when that was, in Unix milliseconds. */
interface Bucket {
  readonly level: number
  readonly at: number
}

/** What lies between the parts of a call and the whole. */
const rounding = 1e-6

/**
 * Makes what takes a call of a key, or refuses it. An empty bucket is as good as none, so those that time has emptied are
 * forgotten: what is kept is as much as lately called. Effect's own limiter keeps every key for ever.
 */
export const make = (
  { burst, perSecond }: EdgeSettings.RateLimit,
  buckets: Map<string, Bucket> = new Map(),
) => {
  // A clock that is set back empties nothing, and fills nothing.
  const levelAt = (now: number, { at, level }: Bucket): number =>
    Math.max(0, level - (Math.max(0, now - at) / 1000) * perSecond)

  /** Begins with what was called longest ago. */
  const forgetEmpty = (now: number): void => {
    for (const [key, bucket] of buckets) {
      if (levelAt(now, bucket) > 0) return
      buckets.delete(key)
    }
  }

  return (key: string): Effect.Effect<void, RateLimited> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const bucket = buckets.get(key)
      const level = bucket === undefined ? 0 : levelAt(now, bucket)
      const tooMuch = level + 1 - burst
      const isTaken = tooMuch <= rounding
      buckets.delete(key)
      forgetEmpty(now)
      buckets.set(key, { level: isTaken ? level + 1 : level, at: now })
      return isTaken ? Effect.void : limited(Math.max(1, Math.ceil(tooMuch / perSecond)))
    })
}
