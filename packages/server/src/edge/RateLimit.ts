/**
 * Rate limits of callers: each has a leaky bucket, which calls fill and time empties.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as EdgeSettings from "./EdgeSettings.ts"

/** The caller exceeded its rate limit. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterInS: Schema.Int,
  message: Schema.String,
}) {}

const limited = (retryAfterInS: number) =>
  new RateLimited({ retryAfterInS, message: `too many calls: wait ${retryAfterInS} s` })

/** The fill level of a bucket at a time, in Unix milliseconds. */
interface Bucket {
  readonly level: number
  readonly at: number
}

/** Tolerance for rounding, as the parts of a call may not add up to exactly the whole. */
const rounding = 1e-6

/**
 * Makes the function that adds a call to the bucket of a name, or refuses it if the bucket is full. An empty bucket is
 * the same as none, so buckets that time has emptied are forgotten: memory holds recently used names only. Effect's own
 * limiter keeps every name forever.
 */
export const make = (
  { burst, perSecond }: EdgeSettings.RateLimit,
  buckets: Map<string, Bucket> = new Map(),
) => {
  // A clock that is set back changes no bucket.
  const levelAt = (now: number, { at, level }: Bucket): number =>
    Math.max(0, level - (Math.max(0, now - at) / 1000) * perSecond)

  /** Starts with the bucket that was used longest ago. */
  const forgetEmpty = (now: number): void => {
    for (const [name, bucket] of buckets) {
      if (levelAt(now, bucket) > 0) return
      buckets.delete(name)
    }
  }

  return (name: string, quantity = 1): Effect.Effect<void, RateLimited> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const bucket = buckets.get(name)
      const level = bucket === undefined ? 0 : levelAt(now, bucket)
      const tooMuch = level + quantity - burst
      const isTaken = tooMuch <= rounding
      buckets.delete(name)
      forgetEmpty(now)
      buckets.set(name, { level: isTaken ? level + quantity : level, at: now })
      return isTaken ? Effect.void : limited(Math.max(1, Math.ceil(tooMuch / perSecond)))
    })
}

/** The limit of several callers together. */
export const times = (limit: EdgeSettings.RateLimit, callers: number): EdgeSettings.RateLimit => ({
  burst: limit.burst * callers,
  perSecond: limit.perSecond * callers,
})

/** How many callers may use up their limits on one public thing at the same time. */
const callersAtOnce = 20

const clientNameMax = 64

/**
 * Makes the function that fills the buckets of a thing that the public shares, such as a wallet's key or a payment's
 * link. Each caller has the limit, and all callers together have 20 times the limit. Callers that cannot be distinguished
 * share one bucket.
 */
export const makeShared = (limit: EdgeSettings.RateLimit) => {
  const takeOwn = make(limit)
  const takeAll = make(times(limit, callersAtOnce))
  return (
    shared: string,
    client: string | null,
    quantity = 1,
  ): Effect.Effect<void, RateLimited> => {
    if (client === null) return takeOwn(shared, quantity)
    const own = takeOwn(`${shared}/${client.slice(0, clientNameMax)}`, quantity)
    return Effect.flatMap(own, () => takeAll(shared, quantity))
  }
}
