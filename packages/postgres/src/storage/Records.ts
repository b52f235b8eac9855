/**
 * The records on which decisions are made (payments, outflows and inflows), as parts of the statements that
 * read and write any number of them.
 *
 * @module
 */
import { NotFound } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Cte from "./Cte.ts"
import * as Document from "./Document.ts"

/** The types of columns by their names. */
type Columns = { readonly [name: string]: string }

type Row = { readonly [column: string]: Schema.Json }

/** How records of one kind are stored. */
export interface Table<A> {
  readonly name: "payments" | "outflows" | "inflows"
  readonly what: NotFound["what"]
  readonly document: Document.Document<A>
  /** The values of a record's columns. */
  readonly row: (record: A) => Row
  /** The columns that stay as they were created. */
  readonly fixed: Columns
  readonly changing: Columns
}

const typed = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ")

/** Rows as a source to select from. */
export const source = (sql: SqlClient, rows: ReadonlyArray<Row>, columns: Columns): Fragment =>
  sql`jsonb_to_recordset(${Document.text(rows)}::jsonb) AS next (${sql.literal(typed(columns))})`

/** A record after the change. */
interface Next<A> {
  readonly record: A
  /** The revision on which the decision was made; null if it creates the record. */
  readonly shown: number | null
  /** Further values for the statement. */
  readonly extra?: Row
}

const nameOfNext = ({ name }: Pick<Table<never>, "name">): string => `next_${name}`

/** The records after the change, in their order, for the parts that follow. */
export const next = <A>(
  sql: SqlClient,
  table: Table<A>,
  records: ReadonlyArray<Next<A>>,
  extra: Columns = {},
): Cte.Cte => {
  const rows = records.map(({ extra: more = {}, record, shown }, position) => ({
    ...table.row(record),
    ...more,
    shown,
    position,
  }))
  const { changing, fixed } = table
  const columns = { ...fixed, ...changing, ...extra, shown: "integer", position: "integer" }
  return Cte.make(nameOfNext(table), sql`SELECT * FROM ${source(sql, rows, columns)}`)
}

/** The condition that a record is unchanged since the decision read it. */
const isAsShown = (sql: SqlClient, { name }: Pick<Table<never>, "name">): Fragment => {
  const table = sql.literal(name)
  return sql`${table}.id = next.id AND ${table}.revision = next.shown`
}

/** Locks the unchanged records in the order of their ids, so that no two writes wait for each other. */
export const lock = (
  sql: SqlClient,
  { name }: Pick<Table<never>, "name">,
  condition: Fragment,
): Cte.Cte => {
  const table = sql.literal(name)
  return Cte.make(
    `locked_${name}`,
    sql`SELECT ${table}.id FROM florin.${table}, ${sql.literal(nameOfNext({ name }))} AS next
      WHERE ${isAsShown(sql, { name })} AND ${condition}
      ORDER BY ${table}.id FOR UPDATE OF ${table}`,
  )
}

/** Updates the unchanged records. */
export const update = (
  sql: SqlClient,
  table: Pick<Table<never>, "changing" | "name">,
  guard: Fragment,
): Fragment => {
  const set = Object.keys(table.changing).map((column) => `${column} = next.${column}`)
  return sql`UPDATE florin.${sql.literal(table.name)} SET ${sql.literal(set.join(", "))}
    FROM ${guard} ${sql.literal(nameOfNext(table))} AS next
    WHERE ${isAsShown(sql, table)}
    RETURNING ${sql.literal(table.name)}.id`
}

/** Inserts the new records. */
export const insert = (
  sql: SqlClient,
  table: Pick<Table<never>, "changing" | "fixed" | "name">,
  guard: Fragment,
): Fragment => {
  const columns = Object.keys({ ...table.fixed, ...table.changing })
  return sql`INSERT INTO florin.${sql.literal(table.name)} (${sql.literal(columns.join(", "))})
    SELECT ${sql.literal(columns.map((column) => `next.${column}`).join(", "))}
    FROM ${guard} ${sql.literal(nameOfNext(table))} AS next WHERE next.shown IS NULL ORDER BY next.id COLLATE "C"`
}

/** The record that a statement finds, if it finds one. */
export const requireOne = <A>(
  { document, what: own }: Table<A>,
  rows: Effect.Effect<ReadonlyArray<Document.Row>, SqlError>,
  what = own,
) =>
  Effect.flatMap(Document.one(document, rows), (record) =>
    record === undefined ? Effect.fail(NotFound.of(what)) : Effect.succeed(record),
  )

/** The existing records among these ids, in any order. */
export const some = <A>(sql: SqlClient, { document, name }: Table<A>, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.succeed([])
    : Document.all(
        document,
        sql<Document.Row>`SELECT document FROM florin.${sql.literal(name)}
          WHERE id IN (SELECT jsonb_array_elements_text(${Document.text(ids)}::jsonb))`,
      )

/** All of the records, in the order in which they are named. */
export const all = Effect.fnUntraced(function* <A extends { readonly id: string }>(
  sql: SqlClient,
  table: Table<A>,
  ids: ReadonlyArray<A["id"]>,
) {
  const byId = new Map((yield* some(sql, table, ids)).map((record) => [record.id, record]))
  return yield* Effect.forEach(ids, (id) => {
    const record = byId.get(id)
    return record === undefined ? Effect.fail(NotFound.of(table.what)) : Effect.succeed(record)
  })
})
