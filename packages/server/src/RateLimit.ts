/**
 * How often a key may call: a bucket of tokens for each.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
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

/** Takes one call from the bucket of a key. A limiter that does not work lets calls through. */
export const take = Effect.fnUntraced(function* (
  { burst, perSecond }: EdgeSettings.RateLimit,
  key: string,
) {
  const limiter = yield* RateLimiter.RateLimiter
  yield* limiter
    .consume({
      algorithm: "token-bucket",
      key,
      limit: burst,
      window: Duration.seconds(burst / perSecond),
    })
    .pipe(
      Effect.catchTag("RateLimiterError", ({ reason }) =>
        reason._tag === "RateLimitExceeded"
          ? Effect.fail(limited(Math.max(1, Math.ceil(Duration.toSeconds(reason.retryAfter)))))
          : Effect.void,
      ),
    )
})
