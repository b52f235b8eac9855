/**
 * Unicode's table of characters that look like others, from `unhomoglyph`.
 *
 * @module
 */
import { Confusables } from "@florin/core/ports/Confusables"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Loaded by whoever asks first. */
const table = Effect.runSync(
  Effect.cached(Effect.promise(async () => (await import("unhomoglyph")).default)),
)

export const layer = Layer.succeed(Confusables, table)
