/**
 * Fresh databases for tests, on the PostgreSQL server of the run (see setup.ts).
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import { Client, Pool } from "pg"
import { inject } from "vitest"
import * as AppPool from "../src/AppPool.ts"
import * as Connection from "../src/Connection.ts"
import * as Embedded from "../src/Embedded.ts"
import * as Migrations from "../src/Migrations.ts"
import * as StorageTime from "../src/StorageTime.ts"

/** What setup.ts hands to the tests. */
export interface Provided {
  /** A database of the server, to make others from. */
  readonly url: string
  /** The name of a migrated database: a copy of it takes a tenth of the time. */
  readonly template: string
}

/** The same server and user, another database. */
const at = (url: string, database: string) => {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

const run = (url: string, statement: string) =>
  PgClient.makeClient({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((sql) => sql.unsafe(statement)),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
  )

export const administer = (url: string, statement: string) => Effect.orDie(run(url, statement))

/** Runs a script of any number of statements, as a person does with psql. */
export const runScript = (url: string, script: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(script)
    await client.end()
  })

const nameOf = () => `florin_${randomUUID().replaceAll("-", "")}`

/** As long as the disk of another test is full, the server can write no checkpoint, without which it drops nothing. */
const patience = { times: 60, schedule: Schedule.spaced("1 second") }

/**
 * A database of its own name, dropped when the scope closes, whoever is still connected. Copied as files it takes a
 * quarter of the time that it takes through the server's log.
 */
const create = (url: string, template = "template0", options = "") => {
  const name = nameOf()
  return Effect.acquireRelease(
    Effect.as(
      administer(url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY ${options}`),
      name,
    ),
    () =>
      run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).pipe(
        Effect.retry(patience),
        Effect.orDie,
      ),
  )
}

/**
 * A shop's own tables, which are in the way of whoever names a table without its schema: they have other columns, and
 * refuse every change.
 */
export const shopTables = ["payments", "events", "merchants", "claims"]

export const addShop = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE FUNCTION public.keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'this is the table of a shop'; END$$`
  for (const name of shopTables) {
    yield* sql`CREATE TABLE public.${sql(name)} (item text)`
    yield* sql`INSERT INTO public.${sql(name)} VALUES ('a shirt')`
    yield* sql`CREATE TRIGGER keep BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON public.${sql(name)}
      EXECUTE FUNCTION public.keep()`
  }
}).pipe(Effect.orDie)

/** A migrated database that others are copied from, with a shop's tables. */
export const template = Effect.fnUntraced(function* (url: string) {
  const name = yield* create(url)
  const connection = Connection.layer({ url: Redacted.make(at(url, name)) })
  yield* Effect.andThen(addShop, Migrations.run()).pipe(Effect.provide(connection))
  return name
})

/** The address of a database of one's own, empty or migrated, until the scope closes. */
export const address = Effect.fnUntraced(function* (kind: "empty" | "migrated") {
  const { template: migrated, url } = inject("postgres")
  return at(url, yield* create(url, kind === "migrated" ? migrated : undefined))
})

/** The same, empty, whose files are in a directory of its own: the server must be on this machine, and own it. */
export const addressIn = Effect.fnUntraced(function* (directory: string) {
  const { url } = inject("postgres")
  const name = nameOf()
  yield* Effect.acquireRelease(
    administer(url, `CREATE TABLESPACE ${name} LOCATION '${directory}'`),
    () => administer(url, `DROP TABLESPACE ${name}`),
  )
  return at(url, yield* create(url, undefined, `TABLESPACE ${name}`))
})

/** The address of a copy of a database, which nobody may be connected to meanwhile; until the scope closes. */
export const copy = Effect.fnUntraced(function* (of: string) {
  const { url } = inject("postgres")
  return at(url, yield* create(url, new URL(of).pathname.slice(1)))
})

/** A connection pool to a database of one's own, empty or migrated. Tests say what time it is. */
export const database = (
  kind: "empty" | "migrated" = "migrated",
  config?: Omit<Connection.Config, "url">,
): Layer.Layer<SqlClient.SqlClient | Connection.Sessions> =>
  Layer.unwrap(
    Effect.map(address(kind), (url) => Connection.layer({ ...config, url: Redacted.make(url) })),
  ).pipe(Layer.orDie, Layer.merge(StorageTime.layerUnchecked))

/** The same over a pool that an application has. Tests say what time it is. */
export const appPool = (
  kind: "empty" | "migrated" = "migrated",
): Layer.Layer<SqlClient.SqlClient | Connection.Sessions> =>
  Layer.unwrap(
    Effect.map(
      Effect.flatMap(address(kind), (connectionString) =>
        Effect.acquireRelease(
          Effect.sync(() =>
            // The database is dropped while its last connections end, which the pool reports, too.
            new Pool({ connectionString })
              .on("error", () => {})
              .on("connect", (client) => client.on("error", () => {})),
          ),
          (pool) => Effect.promise(() => pool.end()),
        ),
      ),
      (pool) => AppPool.layer({ pool }),
    ),
  ).pipe(Layer.orDie, Layer.merge(StorageTime.layerUnchecked))

/** The same in a schema of this name, migrated, next to a shop's tables. */
export const databaseIn = (schema: string) =>
  Layer.effectDiscard(Effect.andThen(addShop, Migrations.run())).pipe(
    Layer.provideMerge(database("empty", { schema })),
    Layer.orDie,
  )

/** An embedded database of one's own, migrated. Tests say what time it is. */
export const embedded = Layer.effectDiscard(Migrations.run()).pipe(
  Layer.provideMerge(Embedded.layer()),
  Layer.orDie,
  Layer.merge(StorageTime.layerUnchecked),
)

/** The same for a store on its own. */
export const anyTime = (sql: SqlClient.SqlClient) => StorageTime.make(sql, Infinity)

/** Forgets every row of a migrated database. Where there are few of them, TRUNCATE takes ten times as long. */
export const empty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DO $$
    DECLARE one regclass;
    BEGIN
      -- A fold in the background would keep what it has read.
      PERFORM pg_advisory_xact_lock(hashtextextended('florin.stats', 0));
      PERFORM set_config('audit_log.kept_from', '9223372036854775807', true);
      FOR one IN
        SELECT oid FROM pg_class
        WHERE relnamespace = 'florin'::regnamespace AND relkind = 'r' AND relname <> 'schema_versions'
      LOOP EXECUTE 'DELETE FROM ' || one; END LOOP;
    END $$`
}).pipe(Effect.orDie)
