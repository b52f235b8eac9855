/**
 * PostgreSQL inside this process (PGlite), in memory or in a directory: nothing to install, nothing to set up. It is fit
 * for development and small installations: it does not wait for the disk, so what a fall of the machine's power takes
 * with it is lost. A killed process loses nothing that was committed.
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
  /** Where the data is kept, made if need be. Without it everything is forgotten at the end. */
  readonly dataDir?: string | undefined
  /** What another process that wants the same directory is told, as `florin serve`. */
  readonly usedBy?: string | undefined
}

/** The embedded database did not start. */
export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  message: Schema.String,
}) {}

/** Loaded by its own name, so that it stays beside the files that it reads when a program is put into one file. */
const open = async (directory: string | undefined) => {
  const Pglite = await import("@florin/postgres/Pglite")
  return Pglite.open(directory)
}

const failed = (where: string) => (cause: unknown) =>
  new EmbeddedFailed({
    message: `The embedded database ${where} did not start (${cause instanceof Error ? cause.message : String(cause)}): was the directory made by another release of it?`,
  })

const make = Effect.fn("Embedded.make")(function* ({ dataDir, usedBy }: Config) {
  const directory = dataDir === undefined ? undefined : resolve(dataDir)
  if (directory !== undefined) yield* DirectoryLock.acquire(directory, usedBy)
  const notStarted = failed(directory === undefined ? "in memory" : `in ${directory}`)
  const pglite = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(directory), catch: notStarted }),
    // What was committed is in the directory already, so a failed goodbye costs the next start some recovery at most.
    (database) => Effect.ignore(Effect.tryPromise(() => database.close())),
  )
  const bridge = yield* Bridge.make(pglite)
  return yield* Effect.mapError(
    PgClient.make({
      stream: bridge.connect,
      ssl: false,
      username: "postgres",
      maxConnections: 4,
    }),
    notStarted,
  )
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
