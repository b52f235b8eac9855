/**
 * What the help says about a command.
 *
 * @module
 */
import * as Command from "effect/cli/Command"

export interface Texts {
  /** Its line in a list of commands. The program itself has those of the commands that it lists. */
  readonly does?: string | undefined
  /** Usually the same as a sentence. */
  readonly description?: string
  readonly examples?: ReadonlyArray<
    string | { readonly command: string; readonly description: string }
  >
}

/** Adds the texts to a command. */
export const as =
  ({ does = "", description = `${does}.`, examples = [] }: Texts) =>
  <Name extends string, Input, Context, E, R>(
    command: Command.Command<Name, Input, Context, E, R>,
  ) =>
    command.pipe(
      Command.withDescription(description),
      Command.withShortDescription(does),
      Command.withExamples(
        examples.map((each) => (typeof each === "string" ? { command: each } : each)),
      ),
    )

/** A command that only has commands below it. */
export const group = <
  const Name extends string,
  const Below extends ReadonlyArray<Command.Command.SubcommandEntry>,
>(
  name: Name,
  description: string,
  below: Below,
  does?: string,
) => Command.make(name).pipe(as({ does, description }), Command.withSubcommands(below))
