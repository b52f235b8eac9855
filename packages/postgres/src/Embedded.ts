/**
 * PostgreSQL inside this process (PGlite), in memory or in a directory, without installation or setup. It is suited to
 * development and small installations: it does not wait for the disk, so a power failure can lose recent commits. A
 * killed process loses nothing that was committed.
 *
 * @module
 */
import { resolve } from "node:path"
import type { Duplex } from "node:stream"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import * as Bridge from "./Bridge.ts"
import * as ControlSocket from "./ControlSocket.ts"
import * as DirectoryLock from "./DirectoryLock.ts"
import * as Migrations from "./Migrations.ts"

export interface Config {
  /** The data directory, created if necessary. Without it, all data is lost at the end. */
  readonly dataDir?: string | undefined
  /** The name that another process sees if it wants the same directory, such as `florin serve`. */
  readonly usedBy?: string | undefined
  /** Uses the database of the process that has the directory, if there is one; else this process opens it. */
  readonly attaches?: boolean | undefined
}

/** The embedded database did not start. */
export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  message: Schema.String,
}) {}

/** Loaded by its own name, so that it stays next to the files that it reads when a program is bundled. */
const open = async (directory: string | undefined) => {
  const Pglite = await import("@florin/postgres/Pglite")
  return Pglite.open(directory)
}

const failed = (where: string) => (cause: unknown) =>
  new EmbeddedFailed({
    message: `The embedded database ${where} did not start (${cause instanceof Error ? cause.message : String(cause)}): check whether another release created the directory`,
  })

const client = (stream: () => Duplex) =>
  PgClient.make({ stream, ssl: false, username: "postgres", maxConnections: 4 })

/** The database that this process opens itself. */
const owned = Effect.fnUntraced(function* (directory: string | undefined) {
  const notStarted = failed(directory === undefined ? "in memory" : `in ${directory}`)
  const pglite = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(directory), catch: notStarted }),
    // Committed data is already in the directory, so if closing fails, the next start at most needs some recovery.
    (database) => Effect.ignore(Effect.tryPromise(() => database.close())),
  )
  const bridge = yield* Bridge.make(pglite)
  const sql = yield* Effect.mapError(client(bridge.connect), notStarted)
  if (directory !== undefined) yield* ControlSocket.serve(directory, bridge)
  return sql
})

/** The database of another process. Only that process migrates the schema; it knows no newer one. */
const attached = Effect.fnUntraced(
  function* (directory: string, inUse: DirectoryLock.DirectoryInUse) {
    const sql = yield* client(() => ControlSocket.connect(directory))
    const [row] = yield* sql<{ version: number }>`
    SELECT max(version) AS version FROM florin.schema_versions`
    const known = Migrations.newest(Migrations.versions)
    if (row?.version === known) return sql
    return yield* new EmbeddedFailed({
      message: `${inUse.message}. It works with schema ${row?.version}, this release with ${known}: run a release that matches it`,
    })
  },
  (attaching, _, inUse) => Effect.catchIf(attaching, SqlError.isSqlError, () => Effect.fail(inUse)),
)

const make = Effect.fn("Embedded.make")(function* ({ attaches = false, dataDir, usedBy }: Config) {
  if (dataDir === undefined) return yield* owned(undefined)
  const directory = resolve(dataDir)
  const lock = yield* Effect.result(DirectoryLock.acquire(directory, usedBy))
  if (lock._tag === "Success") return yield* owned(directory)
  const { failure } = lock
  return attaches && failure._tag === "DirectoryInUse"
    ? yield* attached(directory, failure)
    : yield* failure
})

/**
 * The client of an embedded database. Its transactions run one at a time, and so do those of other processes that attach.
 *
 * @example Embedded.layer({ dataDir: "./data", usedBy: "florin serve" })
 */
export const layer = (
  config: Config = {},
): Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient,
  DirectoryLock.DirectoryInUse | DirectoryLock.DirectoryUnusable | EmbeddedFailed
> => PgClient.layerFrom(make(config))
