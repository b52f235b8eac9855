/**
 * A request that is well formed, and about something that does not allow it as it is now. Nobody tells such refusals
 * apart but by their messages, which say why, and what to do.
 *
 * @module
 */
import * as Schema from "effect/Schema"

export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  message: Schema.String,
}) {}

export const of = (message: string): Conflict => new Conflict({ message })
