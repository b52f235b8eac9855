/**
 * The operator's deny list, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as DenyList from "../../domain/chain/DenyList.ts"
import { ScreeningStore } from "../ScreeningStore.ts"

export const make = () => {
  let current = DenyList.empty
  return ScreeningStore.of({
    modifyDenyList: (decide) =>
      Effect.sync(() => {
        const { next, result } = decide(current)
        current = next ?? current
        return result
      }),
  })
}
