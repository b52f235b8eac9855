/**
 * The errors of commands, for the person who ran them.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** The command fails with this exit code; the message says what to do. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String,
  exitCode: Schema.Literals([1, 2]),
}) {}

export const make = (message: string): CommandFailed => new CommandFailed({ message, exitCode: 1 })

/** Fails with the message of an error that is for a person. */
export const of = ({ message }: { readonly message: string }): CommandFailed => make(message)

/** A flag or an argument is wrong, or they do not fit together. */
export const makeUsage = (message: string): CommandFailed =>
  new CommandFailed({ message, exitCode: 2 })
