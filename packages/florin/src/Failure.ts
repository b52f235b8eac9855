/**
 * Why a command did not come out, for whoever ran it.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** The command ends with 1; the message says what to do. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String,
}) {}
