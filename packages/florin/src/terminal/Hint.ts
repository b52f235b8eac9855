/**
 * The commands that the program prints, so that each can be pasted. A text has a command in backticks, as
 * `florin explain pay_…`: whoever writes it need not know how the program is called here, nor for which directory.
 *
 * @module
 */
import { join, relative } from "node:path"
import { argv, cwd, env } from "node:process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Printable from "./Printable.ts"

/** For a shell, which takes a plain name as it is. */
const quoted = (text: string): string => {
  const shown = Printable.from(text)
  return /^[\w./:@-]+$/u.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`
}

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** How the program is called from where the user is: installed for all, for a project, or in the repository. */
export const program = (): string => {
  if (!import.meta.url.endsWith(".ts")) {
    return env["npm_command"] === undefined ? "florin" : "npx florin"
  }
  return relative(root, cwd()).startsWith("..") ? quoted(join(root, "florin")) : "npx florin"
}

/** What the same command line was told of the directory. */
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

/** All do but those that open nothing. */
export const takesDirectory = (command: string): boolean =>
  !/--help$|^florin (?:alerts|assets check)/u.test(command)

/** `florin status` as it can be pasted; what can be pasted already stays as it is. */
export const pasteable = (command: string): string => {
  const where = takesDirectory(command) && !command.endsWith(directory()) ? directory() : ""
  return `${program()}${command.slice("florin".length)}${where}`
}

/** A text whose commands can be pasted. One that stands at the end needs nothing around it. */
export const within = (text: string): string =>
  text
    .replace(/(?<=: )`(florin [^`]+)`$/u, (_, command: string) => pasteable(command))
    .replaceAll(/`(florin [^`]+)`/gu, (_, command: string) => `\`${pasteable(command)}\``)
