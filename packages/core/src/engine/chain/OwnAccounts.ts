/**
 * The service's own accounts: they collect and pay out. They can neither pay payments nor be paid out to.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Mode from "../../domain/ground/Mode.ts"
import { Chains } from "../../ports/Chain.ts"

/** The accounts of both modes, on all chains. */
export const all = Effect.map(Chains, (chains) =>
  Mode.Mode.literals.flatMap((mode) => chains.of(mode).accounts),
)

/** Workers would get work on money that they cannot send. */
export class KeysMissing extends Schema.TaggedError<KeysMissing>()("KeysMissing", {
  message: Schema.String,
}) {}

/** Workers need the key of each account that they serve, including accounts that are being drained. */
export const requireKeys = Effect.gen(function* () {
  const chains = yield* Chains
  const missing = Mode.Mode.literals.flatMap((mode) => chains.of(mode).keyless)
  if (missing.length === 0) return
  const named = missing.map(({ address, chainId }) => `${chainId}:${address}`).join(", ")
  return yield* new KeysMissing({
    message: `no key of ${named} is in this process, and workers must sign: give each account its key or a signer, because one with only an address cannot sign, or run the workers in a process that has them`,
  })
})
