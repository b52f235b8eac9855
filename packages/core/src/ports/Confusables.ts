/**
 * Unicode's table of characters that look like others. It is large, and only names are compared by it, so whoever runs
 * the service brings it: `@florin/server/Confusables` has it.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Likeness from "../domain/Likeness.ts"

export class Confusables extends Context.Service<Confusables, Likeness.Confusables>()(
  "@florin/core/ports/Confusables",
) {}
