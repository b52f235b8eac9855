/**
 * The lanes of a chain as an operator sees them: stopped after a reorganisation deeper than the chain's policy, and let
 * go on once somebody looked at what happened.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Caip from "../domain/Caip.ts"
import * as ChainState from "../domain/ChainState.ts"
import type * as Mode from "../domain/Mode.ts"
import { Storage } from "../ports/Storage.ts"

/** The chains on which nothing new is sent, with why and since when. */
export const halted = Effect.fn("Lanes.halted")(function* (mode: Mode.Mode) {
  const states = yield* (yield* Storage).chainStates(mode)
  return states.flatMap(({ chainId, halt }) => (halt === null ? [] : [{ chainId, ...halt }]))
})

/** Lets a chain's lanes go on; tells whether they were stopped. What waited goes on by itself. */
export const resume = Effect.fn("Lanes.resume")(function* (mode: Mode.Mode, chainId: Caip.ChainId) {
  return yield* (yield* Storage).modifyChainState(mode, chainId, ChainState.resume)
})
