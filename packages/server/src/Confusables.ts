/**
 * Unicode's table of characters that look like others, from `unhomoglyph`. It is loaded with the first name.
 *
 * @module
 */
import { Confusables } from "@florin/core/ports/Confusables"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const layer = Layer.succeed(
  Confusables,
  Effect.map(
    Effect.promise(() => import("unhomoglyph")),
    (loaded) => loaded.default,
  ),
)
