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

/** The command ends with 2: what it was told does not fit together; the message says what does. */
export class NotUnderstood extends Schema.TaggedError<NotUnderstood>()("NotUnderstood", {
  message: Schema.String,
}) {}
