/**
 * The states of which a service has one each, in memory.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { initial, type States, StateStore } from "../StateStore.ts"

export const make = () => {
  const current: States = { ...initial }
  return StateStore.of({
    modify: (name, decide) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { next, result } = decide(current[name], now)
        if (next !== null) current[name] = next
        return result
      }),
  })
}
