/**
 * Connections that the application lends, with the driver that it uses, as clients for this package's statements.
 *
 * @module
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { Parameter } from "@florin/core/ports/Transactions"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as SqlConnection from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Stream from "effect/Stream"

const textOf = (cause: unknown, member: string): string => {
  const found = Predicate.hasProperty(cause, member) ? cause[member] : undefined
  return typeof found === "string" ? found : ""
}

/** What a driver threw, by its SQLSTATE: as far as callers treat one failure other than another. */
export const errorOf = (cause: unknown): SqlError.SqlError => {
  const shared = { cause, message: "a statement on a connection of the application failed" }
  const reason = () => {
    switch (textOf(cause, "code")) {
      case "40001":
        return new SqlError.SerializationError(shared)
      case "40P01":
        return new SqlError.DeadlockError(shared)
      case "23505": {
        const constraint = textOf(cause, "constraint") || textOf(cause, "constraint_name")
        return new SqlError.UniqueViolation({ ...shared, constraint })
      }
      default:
        return new SqlError.UnknownError(shared)
    }
  }
  return new SqlError.SqlError({ reason: reason() })
}

/** JSON is sent as text: a driver that asks PostgreSQL for the types of parameters would encode it a second time. */
const withTexts = (text: string): string => text.replaceAll(/(\$\d+)::jsonb/gu, "$1::text::jsonb")

interface Result {
  readonly rows: ReadonlyArray<object>
}

/** Sends a statement with a driver. */
type Send = (text: string, values: Array<Parameter>) => PromiseLike<Result>

const parameterOf = (value: unknown): Parameter => {
  if (Array.isArray(value)) return value.map(parameterOf)
  if (value === undefined || value === null) return null
  const isTaken =
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    value instanceof Uint8Array
  return isTaken ? value : String(value)
}

/**
 * The statements of one connection, one after the other: drivers do not take the next one before. A caller that is
 * interrupted stops waiting; `abandoned` is then called, and the statement ends when it ends.
 */
export const statements = (send: Send, abandoned: () => void = () => {}) => {
  let last: Promise<unknown> = Promise.resolve()
  let open = 0
  const next = async (text: string, values: ReadonlyArray<unknown>): Promise<Result> => {
    const before = last
    const own = (async () => {
      await before
      return send(withTexts(text), values.map(parameterOf))
    })()
    open += 1
    const isOver = () => {
      open -= 1
    }
    last = own.then(isOver, isOver)
    return own
  }
  const run = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.onInterrupt(Effect.tryPromise({ try: () => next(text, values), catch: errorOf }), () =>
      Effect.sync(abandoned),
    )
  const rows = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(run(text, values), (result) => result.rows)
  const valuesOf = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(rows(text, values), (found) => found.map((row) => Object.values(row)))
  const connection: SqlConnection.Connection = {
    execute: rows,
    executeRaw: run,
    executeUnprepared: rows,
    executeValues: valuesOf,
    executeValuesUnprepared: valuesOf,
    executeStream: (text, values) => Stream.fromIterableEffect(rows(text, values)),
  }
  return { connection, run, isIdle: () => open === 0, idle: () => last }
}

export const compiler = PgClient.makeCompiler()
