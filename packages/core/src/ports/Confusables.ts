/**
 * Unicode's table of characters that look like others. It is large and only needed to compare names, so the program
 * that runs the service provides it, and loads it when the first name is compared: `@florin/server/Confusables` has it.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Likeness from "../domain/partner/Likeness.ts"

export class Confusables extends Context.Service<
  Confusables,
  Effect.Effect<Likeness.Confusables>
>()("@florin/core/ports/Confusables") {}
