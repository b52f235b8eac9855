/**
 * Admits calls to the work of this process, up to a bound. Beyond it a call is refused before any work: a call that
 * waits for longer than its caller does costs as much as one that helps.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** As many calls wait already as this process can serve soon. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  message: Schema.String,
}) {}

const overloaded = new Overloaded({ message: "the service has too much work now: try again" })

/** What is called. */
interface Called {
  readonly face: string
  readonly method: string
  readonly name: string
}

/** What a call waits for: decisions wait for the database, options and actions for chains. */
const mostInside = {
  decisions: Limits.decisionsWaitingMax,
  options: Limits.optionsWaitingMax,
}

const ofOptions: ReadonlySet<string> = new Set(["gateway.options", "gateway.fetch"])

/** Null for what is always admitted: the operator, who must act just then, and what reads or waits for a change. */
const laneOf = ({ face, method, name }: Called): keyof typeof mostInside | null => {
  if (face === "operator" || method === "GET") return null
  return ofOptions.has(name) ? "options" : "decisions"
}

export const make = () => {
  const inside = { decisions: 0, options: 0 }
  const isFull = (lane: keyof typeof mostInside) => inside[lane] >= mostInside[lane]
  return {
    /** Refuses a call that could not enter now, so that nobody looks up its key. */
    knock: <A, E, R>(
      operation: Called,
      call: Effect.Effect<A, E, R>,
    ): Effect.Effect<A, E | Overloaded, R> => {
      const lane = laneOf(operation)
      return lane !== null && isFull(lane) ? Effect.fail(overloaded) : call
    },
    /**
     * Runs the work of a call, which counts until it ends, or until `endWork` says that the call only waits. A body that
     * arrives slowly is not work yet.
     */
    enter: <A, E, R>(
      operation: Called,
      work: (endWork: Effect.Effect<void>) => Effect.Effect<A, E, R>,
    ): Effect.Effect<A, E | Overloaded, R> => {
      const lane = laneOf(operation)
      if (lane === null) return work(Effect.void)
      return Effect.suspend((): Effect.Effect<A, E | Overloaded, R> => {
        if (isFull(lane)) return Effect.fail(overloaded)
        inside[lane] += 1
        let isInside = true
        const endWork = Effect.sync(() => {
          if (isInside) inside[lane] -= 1
          isInside = false
        })
        return Effect.ensuring(
          Effect.suspend(() => work(endWork)),
          endWork,
        )
      })
    },
  }
}
