import { cpSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as DirectoryLock from "../src/DirectoryLock.ts"
import * as Embedded from "../src/Embedded.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Processes from "../test-support/processes.ts"

/** A client of the directory until the scope closes. */
const client = (dataDir: string, attaches: boolean) =>
  Effect.flatMap(
    Layer.build(Layer.fresh(Embedded.layer({ dataDir, usedBy: "a test", attaches }))),
    (context) => Effect.provideContext(SqlClient.SqlClient, context),
  )

/** A directory with the newest schema and a counter that is 0: to copy it takes a tenth of the time. */
class Template extends Context.Service<Template, string>()("test/Template") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const dataDir = yield* Processes.directory
      const make = Effect.gen(function* () {
        const sql = yield* client(dataDir, false)
        yield* Effect.provideService(Migrations.run(), SqlClient.SqlClient, sql)
        yield* sql`CREATE TABLE counter AS SELECT 0 AS value`
      })
      yield* Effect.scoped(make)
      return dataDir
    }),
  )
}

/** The client of the process that has the directory, in a copy of the template. */
const owner = Effect.fnUntraced(function* (dataDir: string) {
  cpSync(yield* Template, dataDir, { recursive: true })
  return yield* client(dataDir, false)
})

const valueOf = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ value: number }>`SELECT value FROM counter`, ([row]) => row?.value)

/** A process that has written in a transaction, and does not end it. */
const stuck = Effect.fnUntraced(function* (dataDir: string) {
  const guest = yield* Processes.run(new URL("./attachedWriter.ts", import.meta.url), dataDir)
  assert.strictEqual(yield* guest.line, "written")
  return guest
})

const socketOf = (dataDir: string) => join(dataDir, "florin.sock")

class Owner extends Context.Service<
  Owner,
  { readonly dataDir: string; readonly sql: SqlClient.SqlClient }
>()("test/Owner") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const dataDir = yield* Processes.directory
      return { dataDir, sql: yield* owner(dataDir) }
    }),
  )
}

/** An owner that several rules share, as it takes seconds to start. Its counter is 0. */
const shared = Effect.tap(Owner, ({ sql }) => sql`UPDATE counter SET value = 0`)

layer(Template.layer, { excludeTestServices: true })("ControlSocket", (it) => {
  it.layer(Owner.layer)("processes that share an embedded database", ({ effect }) => {
    effect("lets a second client work in the database of the one that has the directory", () =>
      Effect.gen(function* () {
        const { dataDir, sql } = yield* shared
        const guest = yield* client(dataDir, true)
        yield* guest`UPDATE counter SET value = 7`
        assert.strictEqual(yield* valueOf(sql), 7)
      }),
    )

    effect("keeps the transactions of both apart", () =>
      Effect.gen(function* () {
        const { dataDir, sql } = yield* shared
        const guest = yield* client(dataDir, true)
        const increment = (each: SqlClient.SqlClient) =>
          each.withTransaction(
            Effect.flatMap(
              valueOf(each),
              (value = Number.NaN) => each`UPDATE counter SET value = ${value + 1}`,
            ),
          )
        yield* Effect.all(
          Array.from({ length: 40 }, (_, index) => increment(index % 2 === 0 ? sql : guest)),
          { concurrency: "unbounded", discard: true },
        )
        assert.strictEqual(yield* valueOf(sql), 40)
      }),
    )

    effect("undoes the transaction of a guest that is killed, and lets the others go on", () =>
      Effect.gen(function* () {
        const { dataDir, sql } = yield* shared
        const guest = yield* stuck(dataDir)
        yield* guest.kill
        assert.strictEqual(yield* valueOf(sql), 0)
      }),
    )

    effect("P3: cuts a guest off that hangs in a transaction", () =>
      Effect.gen(function* () {
        const { dataDir, sql } = yield* shared
        const guest = yield* stuck(dataDir)
        yield* Effect.sync(() => process.kill(guest.pid, "SIGSTOP"))
        assert.strictEqual(yield* valueOf(sql), 0)
      }),
    )
  })

  it.effect(
    "P3: gives the directory a socket that only its user may use, until the owner ends",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* Processes.directory
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* owner(dataDir)
            const socket = lstatSync(socketOf(dataDir))
            assert.isTrue(socket.isSocket())
            assert.strictEqual(socket.mode & 0o777, 0o600)
            assert.deepStrictEqual(readdirSync(dataDir).toSorted(), [
              "florin.1.lock",
              "florin.sock",
              "postgres",
            ])
          }),
        )
        assert.deepStrictEqual(readdirSync(dataDir), ["postgres"])
      }),
  )

  it.effect("works in a directory whose path is longer than a socket's address", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Processes.directory, "d".repeat(150))
      const sql = yield* owner(dataDir)
      const guest = yield* client(dataDir, true)
      yield* guest`UPDATE counter SET value = 8`
      assert.strictEqual(yield* valueOf(sql), 8)
    }),
  )

  it.effect("replaces the socket of a process that was killed", () =>
    Effect.gen(function* () {
      const dataDir = yield* Processes.directory
      mkdirSync(dataDir, { recursive: true })
      writeFileSync(socketOf(dataDir), "what is left")
      yield* owner(dataDir)
      const guest = yield* client(dataDir, true)
      assert.strictEqual(yield* valueOf(guest), 0)
    }),
  )

  it.effect("reports which process has the directory if it has no socket", () =>
    Effect.gen(function* () {
      const dataDir = yield* Processes.directory
      yield* DirectoryLock.acquire(dataDir, "florin dev")
      const refused = yield* Effect.flip(client(dataDir, true))
      assert.instanceOf(refused, DirectoryLock.DirectoryInUse)
      assert.include(refused.message, `process ${process.pid} (florin dev, since `)
    }),
  )

  it.effect("refuses a release with another schema", () =>
    Effect.gen(function* () {
      const dataDir = yield* Processes.directory
      const sql = yield* owner(dataDir)
      const newest = Migrations.newest(Migrations.versions)
      yield* sql`INSERT INTO florin.schema_versions (version) VALUES (${newest + 1})`
      const refused = yield* Effect.flip(client(dataDir, true))
      assert.include(
        refused.message,
        `It works with schema ${newest + 1}, this release with ${newest}: run a release that matches it`,
      )
    }),
  )

  it.effect("opens the database itself if no process has the directory", () =>
    Effect.gen(function* () {
      const dataDir = yield* Processes.directory
      yield* Effect.scoped(owner(dataDir))
      assert.strictEqual(yield* valueOf(yield* client(dataDir, true)), 0)
    }),
  )
})
