/**
 * The service's own accounts: they collect and pay out, and neither pay payments nor are paid out to.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Mode from "../domain/Mode.ts"
import { Chains } from "../ports/Chain.ts"

/** Those of both modes, on all chains. */
export const all = Effect.map(Chains, (chains) =>
  Mode.Mode.literals.flatMap((mode) => chains.of(mode).accounts),
)

/** Workers would be handed work on money that they cannot send. */
export class KeysMissing extends Schema.TaggedError<KeysMissing>()("KeysMissing", {
  message: Schema.String,
}) {}

/** Workers are there to send: each account that they serve, also one that drains, has its key here. */
export const requireKeys = Effect.gen(function* () {
  const chains = yield* Chains
  const missing = Mode.Mode.literals.flatMap((mode) => chains.of(mode).keyless)
  if (missing.length === 0) return
  const named = missing.map(({ address, chainId }) => `${chainId}:${address}`).join(", ")
  return yield* new KeysMissing({
    message: `no key of ${named} is in this process, and workers must sign: configure the keys, or run the workers on a machine that has them`,
  })
})
