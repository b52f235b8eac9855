/**
 * The help of a command, wrapped to the terminal, with commands that can be pasted.
 *
 * @module
 */
import * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import * as Hint from "./Hint.ts"
import * as Terminal from "./Terminal.ts"

const formatter = CliOutput.defaultFormatter({
  colors: Terminal.hasColours(),
  globalFlags: "none",
})

const indent = 2
/** The minimum width of a description next to its name; with less, it goes below the name. */
const besideMin = 30
const below = 6

/** Wraps text into rows; all except the first are indented. */
const wrapped = (text: string, inset: number): string =>
  Terminal.rows(Hint.makePasteable(text), Terminal.width() - inset).join(`\n${" ".repeat(inset)}`)

/** The column in which the formatter puts descriptions: names are padded to it, and longer ones by one space. */
const descriptionOf = (names: ReadonlyArray<string>, columnMax: number) => {
  const column = Math.min(Math.max(...names.map(({ length }) => length)) + 4, columnMax)
  return (name: string, text: string): string => {
    const at = indent + Math.max(column, name.length + 1)
    return Terminal.width() - at >= besideMin
      ? wrapped(text, at)
      : `\n${" ".repeat(below)}${wrapped(text, below)}`
  }
}

/** The descriptions of flags or arguments, each wrapped to its place. */
const described = <Doc extends { readonly description: Option.Option<string> }>(
  docs: ReadonlyArray<Doc>,
  nameOf: (doc: Doc) => string,
  columnMax: number,
): Array<Doc> => {
  const describe = descriptionOf(docs.map(nameOf), columnMax)
  return docs.map((doc) => ({
    ...doc,
    description: Option.map(doc.description, (text) => describe(nameOf(doc), text)),
  }))
}

const flagName = ({ aliases, name, type }: HelpDoc.FlagDoc): string =>
  `${[`--${name}`, ...aliases].join(", ")}${type === "boolean" ? "" : ` ${type}`}`

const flagsOf = (flags: ReadonlyArray<HelpDoc.FlagDoc>) => described(flags, flagName, Infinity)

const argName = ({ name, type, variadic }: HelpDoc.ArgDoc): string =>
  `${name}${variadic ? "..." : ""} ${type}`

const groupOf = (group: HelpDoc.SubcommandGroupDoc): HelpDoc.SubcommandGroupDoc => {
  const describe = descriptionOf(
    group.commands.map(({ name }) => name),
    20,
  )
  const [first, ...others] = group.commands
  const commandOf = (each: HelpDoc.SubcommandDoc): HelpDoc.SubcommandDoc => ({
    ...each,
    shortDescription: describe(each.name, each.shortDescription ?? each.description),
  })
  return { ...group, commands: [commandOf(first), ...others.map(commandOf)] }
}

/** A command on several lines, in shell syntax: each flag stays with its value, and a quoted text is not broken. */
const commandLines = (command: string): string =>
  Terminal.rows(
    command
      .replace(/^florin/u, Hint.program())
      .replaceAll(/'[^']*'/gu, (text) => text.replaceAll(" ", "\0"))
      .replaceAll(/(--[\w-]+) (?!-)/gu, "$1\0"),
    Terminal.width() - below,
  )
    .join(` \\\n${" ".repeat(below)}`)
    .replaceAll("\0", " ")

/** The output of `--help`. */
export const text = (doc: HelpDoc.HelpDoc): string =>
  formatter
    .formatHelpDoc({
      ...doc,
      description: wrapped(doc.description, indent),
      usage: wrapped(doc.usage.replace(/^florin/u, Hint.program()), below),
      flags: flagsOf(doc.flags),
      ...(doc.globalFlags !== undefined && { globalFlags: flagsOf(doc.globalFlags) }),
      ...(doc.args !== undefined && { args: described(doc.args, argName, 25) }),
      ...(doc.subcommands !== undefined && { subcommands: doc.subcommands.map(groupOf) }),
      ...(doc.examples !== undefined && {
        examples: doc.examples.map((each) => ({ ...each, command: commandLines(each.command) })),
      }),
    })
    .replaceAll(/ +$/gmu, "")
