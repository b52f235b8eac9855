/**
 * Makes the commands in the program's output ready to paste. A text contains a command in backticks, such as `florin
 * explain pay_…`. Its author need not know how the program is started here, or which service it reaches.
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

/** A partner's commands, which reach a service at another address and with another key than the operator's. */
const ofPartner =
  /^florin (?:(?:listen|pay|trigger)\b|assets list|merchants (?:balances|create|delete|list|show|statement|update)|merchants settlements (?:add|list|prove|remove)|payments (?!record|settle)|refunds (?!retry))/u

const place = ["storage", "schema", "directory"]

/** The flags of a command that say which service is meant. */
export const taken = (command: string): ReadonlyArray<string> => {
  if (/--help$|^florin (?:alerts|assets check|demo|generate|info|init|verify)/u.test(command)) {
    return []
  }
  if (/^florin (?:migrate|serve)/u.test(command)) return place
  if (command.startsWith("florin dev")) return ["storage", "directory"]
  return ["url", "key-file", ...(ofPartner.test(command) ? ["directory"] : place)]
}

/** The flags of this command line that another command needs to reach the same service. */
const where = (command: string): string => {
  const { positionals, values } = parseArgs({
    args: argv.slice(2),
    options: Object.fromEntries(
      ["url", "key-file", ...place].map((name) => [name, { type: "string" }] as const),
    ),
    strict: false,
  })
  const isOfSameSide = ofPartner.test(`florin ${positionals.join(" ")}`) === ofPartner.test(command)
  return taken(command)
    .filter((name) => isOfSameSide || place.includes(name))
    .flatMap((name) => {
      const value = values[name]
      // A log must not contain the password of a storage.
      return typeof value === "string" && !/:\/\/[^/]*:[^/]*@|[?&]password=/u.test(value)
        ? [` --${name} ${quoted(value)}`]
        : []
    })
    .join("")
}

/** `florin status` in a form that can be pasted; a command in that form stays as it is. */
export const pasteable = (command: string): string => {
  const flags = where(command)
  return `${program()}${command.slice("florin".length)}${command.endsWith(flags) ? "" : flags}`
}

/** A text whose commands can be pasted. A command at the end needs no delimiters. */
export const makePasteable = (text: string): string =>
  text
    .replace(/(?<=: )`(florin [^`]+)`$/u, (_, command: string) => pasteable(command))
    .replaceAll(/`(florin [^`]+)`/gu, (_, command: string) => `\`${pasteable(command)}\``)
