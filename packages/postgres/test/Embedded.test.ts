import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DirectoryLock from "../src/DirectoryLock.ts"
import * as Embedded from "../src/Embedded.ts"
import * as Processes from "../test-support/processes.ts"

/** What a program does with the database of a directory, from its start to its end. */
const within = <A, E>(
  dataDir: string | undefined,
  program: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>,
) =>
  SqlClient.SqlClient.pipe(
    Effect.flatMap(program),
    Effect.provide(Embedded.layer({ dataDir, usedBy: "a test" })),
  )

const version = (dataDir?: string) =>
  within(dataDir, (sql) => sql<{ version: string }>`SELECT version()`).pipe(
    Effect.map((rows) => rows[0]?.version ?? ""),
  )

const writer = (directory: string) =>
  Processes.run(new URL("./embeddedWriter.ts", import.meta.url), directory)

/** A writer that has committed something. */
const writing = Effect.fnUntraced(function* (directory: string) {
  const child = yield* writer(directory)
  assert.strictEqual(yield* child.line, "open")
  assert.strictEqual(yield* child.line, "committed 1")
  return child
})

describe("Embedded", () => {
  it.live("keeps its data in its directory", () =>
    Effect.gen(function* () {
      const directory = join(yield* Processes.directory, "data")
      yield* within(directory, (sql) =>
        Effect.andThen(sql`CREATE TABLE kept (id integer)`, sql`INSERT INTO kept VALUES (1)`),
      )
      assert.deepStrictEqual(readdirSync(directory), ["postgres"])
      assert.strictEqual(statSync(directory).mode & 0o077, 0)
      const rows = yield* within(directory, (sql) => sql`SELECT id FROM kept`)
      assert.deepStrictEqual(rows, [{ id: 1 }])
    }),
  )

  it.live("keeps nothing without a directory", () =>
    Effect.gen(function* () {
      const create = within(undefined, (sql) => sql`CREATE TABLE forgotten (id integer)`)
      yield* create
      yield* create
    }),
  )

  it.live("starts from a snapshot of the same PGlite version", () =>
    Effect.gen(function* () {
      const found = /PGlite ([\d.]+)/u.exec(yield* version())?.[1]
      assert.include(readdirSync(new URL("../snapshot", import.meta.url)), `pglite-${found}.tar.br`)
    }),
  )

  it.live("starts again if the first start was interrupted", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      mkdirSync(join(directory, "postgres"))
      writeFileSync(join(directory, "postgres", "PG_VERSION"), "1")
      writeFileSync(join(directory, "postgres.unfinished"), "")
      assert.include(yield* version(directory), "PGlite")
      assert.deepStrictEqual(readdirSync(directory), ["postgres"])
    }),
  )

  it.live("reports a directory with other contents, and releases it", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      mkdirSync(join(directory, "postgres"))
      writeFileSync(join(directory, "postgres", "PG_VERSION"), "1")
      const refused = yield* Effect.flip(version(directory))
      assert.instanceOf(refused, Embedded.EmbeddedFailed)
      assert.include(refused.message, `in ${directory} did not start`)
      assert.deepStrictEqual(readdirSync(directory), ["postgres"])
    }),
  )

  it.live("P3: is refused to a second process while the first runs", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      const first = yield* writing(directory)
      const message = `The directory ${directory} is in use by process ${first.pid} (florin serve, since `
      const refused = yield* Effect.flip(version(directory))
      assert.instanceOf(refused, DirectoryLock.DirectoryInUse)
      assert.include(refused.message, message)
      const second = yield* writer(directory)
      assert.include(yield* second.line, `DirectoryInUse: ${message}`)
    }),
  )

  it.live("is refused to the same process as well", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      const refused = yield* within(directory, () => Effect.flip(version(directory)))
      assert.instanceOf(refused, DirectoryLock.DirectoryInUse)
      assert.strictEqual(refused.pid, process.pid)
    }),
  )

  it.live(
    "P1, P3: loses nothing that a killed process had committed",
    () =>
      Effect.gen(function* () {
        const directory = yield* Processes.directory
        let committed = 0
        for (let kill = 0; kill < Counts.of({ usual: 1, full: 50 }); kill++) {
          if (kill > 0) yield* within(directory, (sql) => sql`DROP TABLE rows`)
          const child = yield* writing(directory)
          committed = 1
          while (committed < 10 + kill) {
            committed = Number((yield* child.line).slice("committed ".length))
          }
          yield* child.kill
          const rows = yield* within(
            directory,
            (sql) => sql<{ number: number; filler: string }>`
            SELECT number, filler FROM rows ORDER BY number`,
          )
          assert.isAtLeast(rows.length, committed)
          assert.deepStrictEqual(
            rows,
            rows.map((_, index) => ({
              number: index + 1,
              filler: index === rows.length - 1 ? "x".repeat(1000) : "y",
            })),
          )
        }
      }),
    600_000,
  )

  it.live("opens for one of two processes that start together", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      const starters = [yield* writer(directory), yield* writer(directory)]
      const said = yield* Effect.forEach(starters, ({ line }) => line, { concurrency: 2 })
      const winner = starters[said.indexOf("open")]
      assert.isDefined(winner)
      assert.lengthOf(
        said.filter((line) => line.includes(`in use by process ${winner.pid} `)),
        1,
      )
    }),
  )
})
