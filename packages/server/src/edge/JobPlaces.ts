/**
 * The places for jobs of this process.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Each job keeps the storage or a node busy. */
export class TooManyJobs extends Schema.TaggedError<TooManyJobs>()("TooManyJobs", {
  message: Schema.String,
}) {}

let running = 0

/** Takes a place for as long as the scope. */
export const take = Effect.acquireRelease(
  Effect.suspend(() => {
    if (running < Limits.operatorJobsMax) return Effect.sync(() => (running += 1))
    return new TooManyJobs({
      message: `${running} jobs run already: wait for one to end, or stop it, then call again`,
    })
  }),
  () => Effect.sync(() => (running -= 1)),
)
