/**
 * The alerts that were sent to the operator's webhook, in memory.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Alert from "../../domain/notify/Alert.ts"
import { AlertStore } from "../AlertStore.ts"

export const make = () => {
  let current = Alert.empty
  return AlertStore.of({
    modify: (decide) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { result, board } = decide(current, now)
        current = board ?? current
        return result
      }),
  })
}
