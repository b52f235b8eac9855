/**
 * Asks several things at the same time. What is asked of one node together goes to it in one request.
 *
 * @module
 */
import * as Effect from "effect/Effect"

const options = { concurrency: "unbounded" } as const

/** As `Effect.all`. */
export const all = <
  const A extends
    | ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>
    | { readonly [name: string]: Effect.Effect<unknown, unknown, unknown> },
>(
  asked: A,
) => Effect.all(asked, options)

/** As `Effect.forEach`. */
export const each = <A, B, E, R>(
  items: Iterable<A>,
  ask: (item: A, index: number) => Effect.Effect<B, E, R>,
) => Effect.forEach(items, ask, options)
