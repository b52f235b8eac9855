/**
 * PostgreSQL inside this process (PGlite), in memory or in a directory, without installation or setup. It is suited to
 * development and small installations: it does not wait for the disk, so a power failure can lose recent commits. A
 * killed process loses nothing that was committed.
 *
 * @module
 */
import { resolve } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Bridge from "./Bridge.ts"
import * as DirectoryLock from "./DirectoryLock.ts"

export interface Config {
  /** The data directory, created if necessary. Without it, all data is lost at the end. */
  readonly dataDir?: string | undefined
  /** The name that another process sees if it wants the same directory, such as `florin serve`. */
  readonly usedBy?: string | undefined
}

/** The embedded database did not start. */
export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  message: Schema.String,
}) {}

/** Loaded by its own name, so that it stays next to the files that it reads when a program is bundled. */
const start = async (directory: string | undefined) => {
  const Pglite = await import("@florin/postgres/Pglite")
  return Pglite.open(directory)
}

const failed = (where: string) => (cause: unknown) =>
  new EmbeddedFailed({
    message: `The embedded database ${where} did not start (${cause instanceof Error ? cause.message : String(cause)}): check whether another release created the directory`,
  })

const open = Effect.fnUntraced(function* (directory: string | undefined) {
  const notStarted = failed(directory === undefined ? "in memory" : `in ${directory}`)
  const pglite = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => start(directory), catch: notStarted }),
    // Committed data is already in the directory, so if closing fails, the next start at most needs some recovery.
    (database) => Effect.ignore(Effect.tryPromise(() => database.close())),
  )
  const stream = yield* Bridge.make(pglite)
  const client = { stream, ssl: false, username: "postgres", maxConnections: 1 }
  return yield* Effect.mapError(PgClient.make(client), notStarted)
})

const make = Effect.fn("Embedded.make")(function* ({ dataDir, usedBy }: Config) {
  if (dataDir === undefined) return yield* open(undefined)
  const directory = resolve(dataDir)
  yield* DirectoryLock.acquire(directory, usedBy)
  return yield* open(directory)
})

/**
 * The client of an embedded database. Its transactions run one at a time.
 *
 * @example Embedded.layer({ dataDir: "./data", usedBy: "florin serve" })
 */
export const layer = (
  config: Config = {},
): Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient,
  DirectoryLock.DirectoryInUse | DirectoryLock.DirectoryUnusable | EmbeddedFailed
> => PgClient.layerFrom(make(config))
