/**
 * The program's log, with one line of logfmt per entry. Text from outside, such as a node's response, cannot start a
 * new line, imitate another field, or move a terminal's cursor.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Formatter from "effect/Formatter"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Hint from "./Hint.ts"
import * as Printable from "./Printable.ts"

/** A name and its value. */
type Part = readonly [name: string, value: unknown]

/**
 * An object that was logged next to a text, whose fields are printed one by one. An error or an id in a class of its
 * own is one field.
 */
const isFields = (logged: unknown): logged is object =>
  typeof logged === "object" &&
  logged !== null &&
  Object.getPrototypeOf(logged) === Object.prototype

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "bigint" ? `${value}` : Formatter.format(value)

/** Quotes a value as JSON if it would not end at the next space. */
const quoted = (text: string): string =>
  /^[^\s"=]*$/u.test(text) && Printable.from(text) === text ? text : Printable.json(text)

const nameOf = (name: string): string => Printable.from(name.replaceAll(/[\s"=]/gu, "_"))

type Line = ReadonlyMap<string, string>

/** No name appears twice: a field whose name is already used gets the prefix `fields.`. */
const free = (line: Line, name: string): string =>
  line.has(name) ? free(line, `fields.${name}`) : name

const lineOf = (parts: ReadonlyArray<Part>): Line => {
  const line = new Map<string, string>()
  for (const [name, value] of parts) line.set(free(line, nameOf(name)), quoted(textOf(value)))
  return line
}

/** The longest part comes last: the origin of a failure. */
export const logger: Logger.Logger<unknown, string> = Logger.make(
  ({ cause, date, fiber, logLevel, message }) => {
    const logged = Array.isArray(message) ? message : [message]
    const texts = logged.filter((each) => !isFields(each))
    const line = lineOf([
      ["timestamp", date.toISOString()],
      ["level", logLevel.toUpperCase()],
      ["fiber", `#${fiber.id}`],
      ["message", Hint.makePasteable(texts.map(textOf).join(" "))],
      ...logged.filter(isFields).flatMap((fields) => Object.entries(fields)),
      ...Object.entries(fiber.getRef(References.CurrentLogAnnotations)),
      ...(cause.reasons.length > 0 ? [["cause", Cause.pretty(cause)] as const] : []),
    ])
    return Array.from(line, ([name, text]) => `${name}=${text}`).join(" ")
  },
)
