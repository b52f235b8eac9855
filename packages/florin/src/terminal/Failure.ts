/**
 * The errors of commands, for the person who ran them.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** The command fails with exit code 1; the message says what to do. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String,
}) {}

/** The command fails with exit code 2: its arguments do not fit together, and the message says which do. */
export class NotUnderstood extends Schema.TaggedError<NotUnderstood>()("NotUnderstood", {
  message: Schema.String,
}) {}

export const make = (message: string): CommandFailed => new CommandFailed({ message })

export const makeUsage = (message: string): NotUnderstood => new NotUnderstood({ message })
