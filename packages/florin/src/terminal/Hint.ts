/**
 * Makes the commands in the program's output ready to paste. A text contains a command in backticks, such as `florin
 * explain pay_…`. Its author need not know how the program is started here, or with which directory.
 *
 * @module
 */
import { join, relative } from "node:path"
import { argv, cwd, env } from "node:process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Printable from "./Printable.ts"

/** Quotes a text for a shell; a plain name needs no quotes. */
const quoted = (text: string): string => {
  const shown = Printable.from(text)
  return /^[\w./:@-]+$/u.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`
}

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** The repository that this program runs from; undefined if it is installed. */
export const repository = import.meta.url.endsWith(".ts") ? root : undefined

/**
 * How the program is started from the user's current directory: installed globally, in a project, or in the repository.
 */
export const program = (): string => {
  if (repository === undefined) {
    return env["npm_command"] === undefined ? "florin" : "npx florin"
  }
  return relative(root, cwd()).startsWith("..") ? quoted(join(root, "florin")) : "npx florin"
}

/** The directory that was given on the same command line. */
const directory = (): string => {
  const { values } = parseArgs({
    args: argv.slice(2),
    options: { directory: { type: "string" } },
    strict: false,
  })
  return typeof values["directory"] === "string"
    ? ` --directory ${quoted(values["directory"])}`
    : ""
}

/** All commands take it, except those that open nothing. */
export const takesDirectory = (command: string): boolean =>
  !/--help$|^florin (?:alerts|assets check|generate|info|init|verify)/u.test(command)

/** `florin status` in a form that can be pasted; a command in that form stays as it is. */
export const pasteable = (command: string): string => {
  const where = takesDirectory(command) && !command.endsWith(directory()) ? directory() : ""
  return `${program()}${command.slice("florin".length)}${where}`
}

/** A text whose commands can be pasted. A command at the end needs no delimiters. */
export const makePasteable = (text: string): string =>
  text
    .replace(/(?<=: )`(florin [^`]+)`$/u, (_, command: string) => pasteable(command))
    .replaceAll(/`(florin [^`]+)`/gu, (_, command: string) => `\`${pasteable(command)}\``)
