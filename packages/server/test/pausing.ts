/**
 * A port that yields to other fibers, so that races can happen.
 *
 * @module
 */
import { Effect } from "effect"

/** The service with a pause before each call of it. */
export const paused = <S extends object>(service: S, pause: Effect.Effect<void>): S =>
  new Proxy(service, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      const late = (result: unknown) =>
        Effect.isEffect(result) ? Effect.andThen(pause, result) : result
      return typeof value === "function"
        ? (...args: ReadonlyArray<unknown>) => late(Reflect.apply(value, target, args))
        : late(value)
    },
  })
