/**
 * Calls of the service's clients, whose failures a person reads.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Failure from "./Failure.ts"

/** One call, named as the step that it is. */
export const ask = <A>(
  step: string,
  call: () => Promise<A>,
): Effect.Effect<A, Failure.CommandFailed> =>
  Effect.tryPromise({
    try: call,
    catch: (error) =>
      new Failure.CommandFailed({
        message: `${step}: ${error instanceof Error ? error.message : "it did not work"}`,
      }),
  })

const triesMax = 300

/** Asks until there is an answer that is not null. */
export const until = <A>(
  step: string,
  call: () => Promise<A | null>,
): Effect.Effect<A, Failure.CommandFailed> =>
  ask(step, call).pipe(
    Effect.flatMap((answer) =>
      answer === null
        ? new Failure.CommandFailed({ message: `${step}: it did not come in time` })
        : Effect.succeed(answer),
    ),
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: triesMax }),
  )
