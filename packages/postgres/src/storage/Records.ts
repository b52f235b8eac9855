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

/** The types of columns by their names: a type of PostgreSQL, or what becomes of a text (schema/Names.ts). */
type Columns = { readonly [name: string]: string }

/** How texts are stored shorter. */
const shorter = new Map([
  ["name", (sql: SqlClient, text: Fragment) => sql`florin.numbered(${text})`],
  ["hex", (sql: SqlClient, text: Fragment) => sql`florin.packed(${text})`],
])

type Row = { readonly [column: string]: Schema.Json }

/** How records of one kind are stored. */
export interface Table<A> {
  readonly name: "payments" | "entries" | "outflows" | "inflows"
  /** Has the documents of whole records: the table, or a view of more than one. */
  readonly whole: Table<never>["name"] | "whole_payments"
  readonly what: NotFound["what"]
  readonly document: Document.Document<A>
  /** The values of a record's columns. */
  readonly row: (record: A) => Row
  /** The columns that stay as they were created. */
  readonly fixed: Columns
  readonly changing: Columns
}

export const namesOf = (columns: Columns): string => Object.keys(columns).join(", ")

const typed = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${shorter.has(type) ? "text" : type}`)
    .join(", ")

/**
 * Rows as a source to select from. PostgreSQL takes a set of them for 100 rows, and would then rather read a whole table
 * than look up so many. No row has the member `few`, but a condition on it that always holds makes the estimate one row.
 */
export const source = (sql: SqlClient, rows: ReadonlyArray<Row>, columns: Columns): Fragment => {
  return sql`(SELECT ${sql.literal(namesOf(columns))} FROM jsonb_to_recordset(${Document.text(rows)}::jsonb)
    AS given (${sql.literal(typed({ ...columns, few: "text" }))}) WHERE few IS NULL) AS next`
}

/** A record after the change. */
export interface Next<A> {
  readonly record: A
  /** The revision on which the decision was made; null if it creates the record. */
  readonly shown: number | null
  /** Another row of the write has the revision, and guards this one. */
  readonly isGuarded?: true
}

/** The records of one kind in a write, as parts of its statement. */
export interface Kind {
  readonly name: Table<never>["name"]
  /** How many of them exist before the write. */
  readonly existing: number
  readonly created: number
  /** The records after the change. */
  readonly next: Cte.Cte
  /** Locks the unchanged records in the order of their ids, so that no two writes wait for each other. */
  readonly lock: (condition: Fragment) => Cte.Cte
  /** Updates the unchanged records. */
  readonly update: (guard: Fragment) => Fragment
  readonly insert: (guard: Fragment) => Fragment
}

/** One kind, or none if no record of it is written. */
export const kind = <A>(
  sql: SqlClient,
  { changing, fixed, name, row }: Table<A>,
  records: ReadonlyArray<Next<A>>,
): ReadonlyArray<Kind> => {
  if (records.length === 0) return []
  const columns: Columns = { ...fixed, ...changing }
  const stored = (each: string) => {
    const given = sql.literal(`next.${each}`)
    return shorter.get(columns[each] ?? "")?.(sql, given) ?? given
  }
  const [table, next] = [sql.literal(name), sql.literal(`next_${name}`)]
  const isAsShown = sql`${table}.id = next.id AND (${table}.revision = next.shown OR next.is_guarded)`
  const created = records.filter(({ shown }) => shown === null).length
  return [
    {
      name,
      existing: records.length - created,
      created,
      next: Cte.make(
        `next_${name}`,
        sql`SELECT * FROM ${source(
          sql,
          records.map(({ isGuarded = false, record, shown }) => ({
            ...row(record),
            shown,
            is_guarded: isGuarded,
          })),
          { ...columns, shown: "integer", is_guarded: "boolean" },
        )}`,
      ),
      lock: (condition) =>
        Cte.make(
          `locked_${name}`,
          sql`SELECT ${table}.id FROM florin.${table}, ${next} AS next WHERE ${isAsShown} AND ${condition}
            ORDER BY ${table}.id FOR UPDATE OF ${table}`,
        ),
      update: (guard) =>
        sql`UPDATE florin.${table} SET ${sql.csv(Object.keys(changing).map((each) => sql`${sql.literal(each)} = ${stored(each)}`))}
          FROM ${guard} ${next} AS next WHERE ${isAsShown} RETURNING ${table}.id`,
      insert: (guard) =>
        sql`INSERT INTO florin.${table} (${sql.literal(namesOf(columns))})
          SELECT ${sql.csv(Object.keys(columns).map(stored))}
          FROM ${guard} ${next} AS next WHERE next.shown IS NULL ORDER BY next.id COLLATE "C"`,
    },
  ]
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
export const some = <A>(
  sql: SqlClient,
  { document, whole }: Table<A>,
  ids: ReadonlyArray<string>,
) =>
  ids.length === 0
    ? Effect.succeed([])
    : Document.all(
        document,
        sql<Document.Row>`SELECT document FROM ${source(
          sql,
          [...new Set(ids)].map((id) => ({ id })),
          { id: "text" },
        )} JOIN florin.${sql.literal(whole)} AS stored ON stored.id = next.id`,
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
