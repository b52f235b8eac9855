/**
 * The program's log, with one line of logfmt per entry. Text from outside, such as a node's response, cannot start a
 * new line, imitate another field, or move a terminal's cursor.
 *
 * @module
 */
import * as ServiceLog from "@florin/core/ports/ServiceLog"
import * as Logger from "effect/Logger"
import * as Hint from "./Hint.ts"
import * as Printable from "./Printable.ts"

/** Quotes a value as JSON if it would not end at the next space. */
const quoted = (text: string): string =>
  /^[^\s"=]*$/u.test(text) && Printable.from(text) === text ? text : Printable.json(text)

const nameOf = (name: string): string => Printable.from(name.replaceAll(/[\s"=]/gu, "_"))

type Line = ReadonlyMap<string, string>

/** No name appears twice: a field whose name is already used gets the prefix `fields.`. */
const free = (line: Line, name: string): string =>
  line.has(name) ? free(line, `fields.${name}`) : name

const lineOf = (parts: ReadonlyArray<ServiceLog.Detail>): Line => {
  const line = new Map<string, string>()
  for (const [name, value] of parts)
    line.set(free(line, nameOf(name)), quoted(ServiceLog.textOf(value)))
  return line
}

export const logger: Logger.Logger<unknown, string> = Logger.make((options) => {
  const { details, message } = ServiceLog.read(options)
  const line = lineOf([
    ["timestamp", options.date.toISOString()],
    ["level", options.logLevel.toUpperCase()],
    ["fiber", `#${options.fiber.id}`],
    ["message", Hint.makePasteable(message)],
    ...details,
  ])
  return Array.from(line, ([name, text]) => `${name}=${text}`).join(" ")
})
