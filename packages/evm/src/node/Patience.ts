/**
 * Asks several chains at the same time. Chains that do not respond are left out, unless none responds.
 *
 * If all nodes of a chain timed out, later callers wait for it only as long as for the others, apart from one caller at
 * a time that tests it: a payer who can pay on another chain must not notice the outage. The chain counts again as soon
 * as it responds.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import * as JoinedChain from "@florin/core/ports/JoinedChain"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Rpc } from "./Rpc.ts"
import * as Together from "./Together.ts"

/** A chain, and the question for it. */
export interface Asking<A> {
  readonly rpc: Pick<Rpc, "chainId" | "isSilent">
  readonly ask: Effect.Effect<ReadonlyArray<A>, ChainUnavailable>
}

export const make = () => {
  const tried = new Set<Caip.ChainId>()

  /** Tests whether a chain is back, unless another caller already does. */
  const tryAgain = Effect.fnUntraced(function* <A>({ ask, rpc: { chainId } }: Asking<A>) {
    if (tried.has(chainId)) return []
    tried.add(chainId)
    const over = Effect.sync(() => tried.delete(chainId))
    const trying = Effect.result(ask).pipe(Effect.ensuring(over))
    return [yield* Effect.forkDetach(trying, { startImmediately: true })]
  })

  /** Waits for silent chains only as long as for the others. */
  return Effect.fnUntraced(function* <A>(each: ReadonlyArray<Asking<A>>) {
    const isSpeaking = ({ rpc }: Asking<A>): boolean => !rpc.isSilent()
    const speaking = each.some(isSpeaking) ? each.filter(isSpeaking) : each
    const silent = each.filter((one) => !speaking.includes(one))
    const trying = (yield* Effect.forEach(silent, (one) => tryAgain(one))).flat()
    const responses = yield* Together.each(speaking, ({ ask }) => Effect.result(ask))
    const late = responses.some(Result.isSuccess)
      ? trying.flatMap((fiber) => fiber.pollUnsafe() ?? [])
      : yield* Effect.forEach(trying, Fiber.await)
    const found = late.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
    return yield* Effect.fromResult(JoinedChain.ofAny([...responses, ...found]))
  })
}
