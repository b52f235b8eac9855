/**
 * Statements of many parts: each part is a common table expression, and all of them are one write.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"

/** A part that others may read by its name. */
export interface Cte {
  readonly name: string
  readonly body: Fragment
}

export const make = (name: string, body: Fragment): Cte => ({ name, body })

/** Runs the parts with a `SELECT` that gives one row. */
export const one = <A extends object>(
  sql: SqlClient,
  parts: ReadonlyArray<Cte>,
  select: Fragment,
): Effect.Effect<A, SqlError> =>
  Effect.flatMap(
    sql<A>`WITH ${sql.csv(parts.map(({ name, body }) => sql`${sql.literal(name)} AS (${body})`))} ${select}`,
    ([row]) =>
      row === undefined ? Effect.die("a SELECT without FROM has one row") : Effect.succeed(row),
  )
