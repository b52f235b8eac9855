/**
 * A circuit breaker: lets a node rest after a fault, longer each time. A node that rests is asked only after the
 * others, and after some faults it is not asked at all until its rest is over.
 *
 * Effect's own breaker either lets a call through or refuses it. This one also says which node to ask last.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Random from "effect/Random"
import type { Fault } from "./Fault.ts"

interface State {
  /** The node has responded, and did not fail since. */
  readonly isTrusted: boolean
  readonly rests: number
  readonly restsUntil: number
  readonly fault: Fault | null
}

const untried: State = { isTrusted: false, rests: 0, restsUntil: 0, fault: null }
const trusted: State = { ...untried, isTrusted: true }

const restFirstInMs = 500
const restLongestInMs = 30_000

const failed = Effect.fnUntraced(function* ({ rests, restsUntil }: State, fault: Fault) {
  const now = yield* Clock.currentTimeMillis
  // Requests that fail together count once.
  if (now < restsUntil) return { ...untried, rests, restsUntil, fault }
  const jitter = yield* Random.nextBetween(0.8, 1.2)
  const restInMs = Math.min(restLongestInMs, restFirstInMs * 2 ** Math.min(rests, 10))
  return { ...untried, rests: rests + 1, restsUntil: now + restInMs * jitter, fault }
})

export const make = () => {
  const state = MutableRef.make(untried)
  return {
    isResting: (now: number): boolean => now < state.current.restsUntil,
    /** Whether the last request timed out. */
    isSilent: (): boolean => state.current.fault?.isSilent === true,
    /** Runs a request to the node, unless the node is left alone. */
    protect: Effect.fnUntraced(function* <A>(ask: (isTrusted: boolean) => Effect.Effect<A, Fault>) {
      const before = state.current
      const now = yield* Clock.currentTimeMillis
      if (before.fault?.isLeftAlone && now < before.restsUntil) {
        return yield* Effect.fail(before.fault)
      }
      const response = yield* Effect.tapError(ask(before.isTrusted), (fault) =>
        Effect.map(failed(state.current, fault), (next) => MutableRef.set(state, next)),
      )
      // A request from before a failure does not show the node's state after it.
      if (state.current === before) MutableRef.set(state, trusted)
      return response
    }),
  }
}
