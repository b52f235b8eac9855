/**
 * A database from before the first release, as `pg_dump --inserts` wrote it: schema 30, with a partner, a merchant, a
 * payment that is owed and one that is paid out.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** A statement ends with a semicolon that is neither in a text nor in the body of a function. */
const statement = /(?:\$\$[\s\S]*?\$\$|'(?:[^']|'')*'|[^;$'])+;/gu

/** Restores it into an empty database. */
export const restore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const file = new URL("fixtures/schema-30.sql.gz", import.meta.url)
  const dump = gunzipSync(readFileSync(file)).toString("utf8")
  yield* sql.withTransaction(
    Effect.forEach(dump.match(statement) ?? [], (each) => sql.unsafe(each), { discard: true }),
  )
}).pipe(Effect.orDie)

/** Every row of every table in `public`, to compare. */
export const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY name`
  return yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql`SELECT row::text FROM public.${sql(name)} AS row ORDER BY 1`,
      (rows) => [name, ...rows.map((row) => row["row"])] as const,
    ),
  )
}).pipe(Effect.orDie)
