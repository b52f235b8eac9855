/**
 * Unicode's table of characters that look like others. It is large and only needed to compare names, so the program
 * that runs the service provides it: `@florin/server/Confusables` has it.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Likeness from "../domain/partner/Likeness.ts"

export class Confusables extends Context.Service<Confusables, Likeness.Confusables>()(
  "@florin/core/ports/Confusables",
) {}
