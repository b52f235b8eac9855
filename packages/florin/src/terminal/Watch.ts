/**
 * Repeats a report for a person who watches.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.ts"
import * as Terminal from "./Terminal.ts"

export const flag = (everyInMs: number) =>
  Flags.toggle("watch", `Refresh every ${everyInMs / 1000} s until you stop the command`)

/** Collects and shows the report, once or until it is stopped; returns the report. */
export const show = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  shown: (seen: A) => void,
  everyInMs: number | null,
): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (seen) => {
    if (everyInMs !== null) Terminal.clear()
    shown(seen)
    return everyInMs === null
      ? Effect.succeed(seen)
      : Effect.andThen(Effect.sleep(everyInMs), show(look, shown, everyInMs))
  })
