/**
 * Unicode's table of characters that look like others, from `unhomoglyph`.
 *
 * @module
 */
import { Confusables } from "@florin/core/ports/Confusables"
import * as Layer from "effect/Layer"
import unhomoglyph from "unhomoglyph"

export const layer = Layer.succeed(Confusables, unhomoglyph)
