/**
 * The service's own accounts: they collect and pay out, and neither pay payments nor are paid out to.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Mode from "../domain/Mode.ts"
import { Chains } from "../ports/Chain.ts"

/** Those of both modes, on all chains. */
export const all = Effect.map(Chains, (chains) =>
  Mode.Mode.literals.flatMap((mode) => chains.of(mode).accounts),
)
