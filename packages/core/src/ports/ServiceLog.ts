/**
 * What the service says to the people who run it, apart from its requests: that a node is behind, a handler rejected,
 * or the clock is wrong.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Formatter from "effect/Formatter"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"

export interface Entry {
  readonly level: "debug" | "error" | "info" | "warn"
  readonly message: string
  /**
   * What the entry is about, such as `chainId`: texts, numbers, booleans, null, and errors as they are. Anything else is
   * here as text, so that JSON holds it.
   */
  readonly details: Readonly<Record<string, unknown>>
}

/** A name and its value. */
export type Detail = readonly [name: string, value: unknown]

/**
 * An object that was logged next to a text, whose members are details of their own. An error or an id in a class of its
 * own is one value.
 */
const isFields = (logged: unknown): logged is object =>
  typeof logged === "object" &&
  logged !== null &&
  Object.getPrototypeOf(logged) === Object.prototype

export const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "bigint" ? `${value}` : Formatter.format(value)

/** The message of what was logged, and its details. The longest comes last: the origin of a failure. */
export const read = ({
  cause,
  fiber,
  message,
}: Pick<Logger.Options<unknown>, "cause" | "fiber" | "message">): {
  readonly message: string
  readonly details: ReadonlyArray<Detail>
} => {
  const logged = Array.isArray(message) ? message : [message]
  const texts = logged.filter((each) => !isFields(each))
  return {
    message: texts.map(textOf).join(" "),
    details: [
      ...logged.filter(isFields).flatMap((fields) => Object.entries(fields)),
      ...Object.entries(fiber.getRef(References.CurrentLogAnnotations)),
      ...(cause.reasons.length > 0 ? [["cause", Cause.pretty(cause)] as const] : []),
    ],
  }
}

const levels: { readonly [Level in LogLevel.LogLevel]: Entry["level"] } = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "error",
  None: "debug",
}

const isPlain = (value: unknown): boolean =>
  value === null || value instanceof Error || ["boolean", "number", "string"].includes(typeof value)

/** Hands each entry on to a logger of the embedding application. If that throws, the entry goes to the console. */
export const layer = (write: (entry: Entry) => void) =>
  Logger.layer([
    Logger.make((options) => {
      const { details, message } = read(options)
      const entry: Entry = {
        level: levels[options.logLevel],
        message,
        details: Object.fromEntries(
          details.map(([name, value]) => [name, isPlain(value) ? value : textOf(value)]),
        ),
      }
      try {
        write(entry)
      } catch {
        Logger.defaultLogger.log(options)
      }
    }),
    Logger.tracerLogger,
  ])
