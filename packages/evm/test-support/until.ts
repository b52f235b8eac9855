import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Looks again and again until something is there. */
export const comes = <A>(what: string, look: Effect.Effect<A | null>) =>
  look.pipe(
    Effect.filterOrFail((found) => found !== null),
    Effect.retry(Schedule.max([Schedule.spaced(100), Schedule.recurs(6000)])),
    Effect.catch(() => Effect.die(`this did not come: ${what}`)),
  )

/** Asks again and again until there is an answer. */
export const until = <A>(what: string, ask: () => Promise<A | null>) =>
  comes(what, Effect.promise(ask))
