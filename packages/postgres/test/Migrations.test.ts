import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import { Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Databases from "../test-support/databases.ts"
import * as Processes from "../test-support/processes.ts"
import * as Older from "./older.ts"

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'florin' ORDER BY table_name`
  return rows.map(({ name }) => name)
})

const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ version: number; at: string }>`
    SELECT version, applied_at::text AS at FROM florin.schema_versions ORDER BY version`
})

const appliedVersions = Effect.map(applied, (rows) => rows.map(({ version }) => version))

const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT id, note FROM florin.notes ORDER BY id`
})

const first = ["CREATE TABLE florin.ids (id integer)", "INSERT INTO florin.ids VALUES (7)"]
const second = [
  "ALTER TABLE florin.ids RENAME TO notes",
  "ALTER TABLE florin.notes ADD COLUMN note text NOT NULL DEFAULT 'old'",
]
const broken = ["CREATE TABLE florin.half (id integer)", "INSERT INTO florin.nowhere VALUES (1)"]

/** Until another connection runs the statement, or waits with it. */
const untilRunning = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND state = 'active' AND query LIKE ${`%${statement}%`}`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
    Connection.realTime,
  )
})

/** Until a process that migrates waits for a lock of this kind. */
const untilWaitingFor = Effect.fnUntraced(function* (kind: "relation" | "advisory") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT 1 FROM pg_locks AS lock JOIN pg_database AS here ON here.oid = lock.database
    WHERE here.datname = current_database() AND NOT granted AND locktype = ${kind}`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
    Connection.realTime,
  )
})

const known = Migrations.versions.map((_, index) => index + 1)

/** A process of its own that migrates, and how it ends when nobody ends it. */
const migrating = (url: string) => Processes.run(new URL("./migrate.ts", import.meta.url), url)
const ended = [0, null]

describe("Migrations", () => {
  it.effect("migrate an empty database to this release's schema", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* tables, [])
      assert.deepStrictEqual(yield* Migrations.run(), known)
      assert.includeMembers(yield* tables, ["api_keys", "merchants", "partners", "payments"])
      assert.deepStrictEqual(yield* appliedVersions, known)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("change nothing in a migrated database", () =>
    Effect.gen(function* () {
      yield* Migrations.run()
      const before = { tables: yield* tables, applied: yield* applied }
      assert.deepStrictEqual(yield* Migrations.run(), [])
      assert.deepStrictEqual({ tables: yield* tables, applied: yield* applied }, before)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("only read if there is nothing to migrate", () =>
    Effect.gen(function* () {
      yield* Migrations.run()
      yield* Effect.provideService(Migrations.run(), SqlClient.BeginTransaction, "BEGIN READ ONLY")
      const error = yield* Migrations.run([...Migrations.versions, second]).pipe(
        Effect.provideService(SqlClient.BeginTransaction, "BEGIN READ ONLY"),
        Effect.flip,
      )
      assert.instanceOf(error, StorageUnavailable)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("P6: are applied in order, each to the data that the previous one left", () =>
    Effect.gen(function* () {
      yield* Migrations.run([first])
      assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
      yield* Migrations.run([first, second])
      assert.deepStrictEqual(yield* notes, [{ id: 7, note: "old" }])
      assert.deepStrictEqual(yield* appliedVersions, [1, 2])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("P6: refuse a database of a newer release, and leave it unchanged", () =>
    Effect.gen(function* () {
      yield* Migrations.run([first, second])
      const error = yield* Effect.flip(Migrations.run([first]))
      assert.deepStrictEqual(
        error,
        new Migrations.SchemaTooNew({
          found: 2,
          known: 1,
          message:
            "The database has schema version 2, and this release supports up to 1: start the release that created it, or a newer one",
        }),
      )
      assert.deepStrictEqual(yield* notes, [{ id: 7, note: "old" }])
      assert.deepStrictEqual(yield* appliedVersions, [1, 2])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("P6: refuse a database from before the first release, and leave it unchanged", () =>
    Effect.gen(function* () {
      yield* Older.restore
      const before = yield* Older.contents
      assert.isNotEmpty(before)
      for (const versions of [[first], Migrations.versions]) {
        const error = yield* Effect.flip(Migrations.run(versions))
        assert.strictEqual(error._tag, "SchemaForeign")
        assert.include(error.message, "start with a new database or another data directory")
      }
      assert.deepStrictEqual(yield* Older.contents, before)
      assert.deepStrictEqual(yield* tables, [])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect(
    "P6: refuse a database whose version had other statements, and leave it unchanged",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Migrations.run([first])
        const refused = Effect.map(
          Effect.flip(Migrations.run([[...first, "SELECT 1"], second])),
          (error) => {
            assert.strictEqual(error._tag, "SchemaForeign")
            assert.include(error.message, "start with a new database or another data directory")
          },
        )
        yield* refused
        yield* sql`ALTER TABLE florin.schema_versions DROP COLUMN digest`
        yield* refused
        assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
        assert.deepStrictEqual(yield* appliedVersions, [1])
      }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("refuse a schema with tables of another program, and use an empty one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE SCHEMA florin`
      yield* sql`CREATE TABLE florin.payments (id integer)`
      const error = yield* Effect.flip(Migrations.run())
      assert.strictEqual(error._tag, "SchemaForeign")
      assert.include(error.message, "Name another schema")
      assert.deepStrictEqual(yield* tables, ["payments"])
      yield* sql`DROP TABLE florin.payments`
      assert.deepStrictEqual(yield* Migrations.run(), known)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("that fail are rolled back, and earlier ones are kept", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Migrations.run([first, broken]))
      assert.instanceOf(error, StorageUnavailable)
      assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
      assert.deepStrictEqual(yield* appliedVersions, [1])
      yield* Migrations.run([first, second])
      assert.deepStrictEqual(yield* appliedVersions, [1, 2])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("have no timeout", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Databases.address("empty"))
      const name = new URL(Redacted.value(url)).pathname.slice(1)
      const pool = Connection.layer({ url })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(`ALTER DATABASE ${name} SET statement_timeout = '1s'`)
        yield* sql.unsafe(`ALTER DATABASE ${name} SET lock_timeout = '1s'`)
      }).pipe(Effect.provide(pool))
      yield* Effect.gen(function* () {
        const slow = Migrations.run([["SELECT pg_sleep(1.5)"]])
        yield* Effect.all([slow, slow], { concurrency: 2 })
        assert.deepStrictEqual(yield* appliedVersions, [1])
      }).pipe(Effect.provide(Layer.fresh(pool)))
    }),
  )

  it.effect("of a lost process are continued by the process that waits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const lost = yield* Effect.forkChild(
        Effect.flip(
          Migrations.run([["CREATE TABLE florin.half (id integer)", "SELECT pg_sleep(600)"]]),
        ),
      )
      yield* untilRunning("pg_sleep")
      const waiting = yield* Effect.forkChild(Migrations.run([first]))
      yield* untilRunning("pg_advisory_xact_lock")
      yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`
      assert.instanceOf(yield* Fiber.join(lost), StorageUnavailable)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("of many processes that start together are applied once", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      yield* Effect.gen(function* () {
        const all = yield* Effect.all([migrating(url), migrating(url), migrating(url)])
        const ends = yield* Effect.forEach(all, ({ finish }) => finish)
        assert.deepStrictEqual(ends, [ended, ended, ended])
        assert.deepStrictEqual(yield* appliedVersions, known)
      }).pipe(Effect.provide(Connection.layer({ url: Redacted.make(url) })))
    }),
  )

  it.effect("of many connections together are applied once", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 10 }, () => Migrations.run([first, second]))
      yield* Effect.all(all, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* notes, [{ id: 7, note: "old" }])
      assert.deepStrictEqual(yield* appliedVersions, [1, 2])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("of a killed process are continued by the process that waits", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE SCHEMA florin`
        yield* sql`CREATE TABLE florin.schema_versions (version integer, digest text, applied_at timestamptz DEFAULT now())`
        const waiting = yield* sql.withTransaction(
          Effect.gen(function* () {
            // A step does all that it does, and cannot say so.
            yield* sql`LOCK TABLE florin.schema_versions IN SHARE MODE`
            const killed = yield* migrating(url)
            yield* untilWaitingFor("relation")
            const next = yield* migrating(url)
            yield* untilWaitingFor("advisory")
            yield* killed.kill
            return next
          }),
        )
        assert.deepStrictEqual(yield* waiting.finish, ended)
        assert.deepStrictEqual(yield* appliedVersions, known)
      }).pipe(Effect.provide(Connection.layer({ url: Redacted.make(url) })))
    }),
  )
})
