/**
 * How much callers may ask: a bucket for each, which calls fill and time empties.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as EdgeSettings from "./EdgeSettings.ts"

/** Too much was asked. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterInS: Schema.Int,
  message: Schema.String,
}) {}

const limited = (retryAfterInS: number) =>
  new RateLimited({ retryAfterInS, message: `too many calls: wait ${retryAfterInS} s` })

/** How much was in a bucket, and when that was, in Unix milliseconds. */
interface Bucket {
  readonly level: number
  readonly at: number
}

/** What lies between the parts of a call and the whole. */
const rounding = 1e-6

/**
 * Makes what fills the bucket of a name, or refuses to. An empty bucket is as good as none, so those that time has emptied
 * are forgotten: what is kept is as much as lately called. Effect's own limiter keeps every name for ever.
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

/** How many callers may use up their limits on one public thing at the same time. */
const callersAtOnce = 20

const clientNameMax = 64

/**
 * Makes what fills buckets of a thing that the public shares, such as a wallet's key or a payment's link: each of its
 * callers has the limit, and all of them together have so many times that. One that nobody can tell from others shares
 * theirs.
 */
export const makeShared = (limit: EdgeSettings.RateLimit) => {
  const takeOwn = make(limit)
  const takeAll = make({
    burst: limit.burst * callersAtOnce,
    perSecond: limit.perSecond * callersAtOnce,
  })
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
