/**
 * Storage and signals of a service on PostgreSQL: on a server, for any number of processes, or embedded in this one.
 *
 * @example
 * const database = Postgres.layer({ url: Redacted.make(process.env.DATABASE_URL) })
 * const florin = createFlorin({ payLinkHost, chains, pages, sealKey, vault, storage: database, signals: database })
 *
 * @module
 */
import { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Connection from "./Connection.ts"
import * as Embedded from "./Embedded.ts"
import * as Inspection from "./Inspection.ts"
import * as Migrations from "./Migrations.ts"
import * as SignalsPostgres from "./SignalsPostgres.ts"
import * as StoragePostgres from "./StoragePostgres.ts"
import * as StorageTime from "./StorageTime.ts"

/** Migrates the schema before anything is read. */
const migrated = Layer.effectDiscard(Migrations.run())

/** Only migrates the schema of a database; returns the versions that it applied. */
export const migrate = (config: Connection.Config) =>
  Effect.provide(Migrations.run(), Connection.layer(config))

/** Inspects a database before it is opened. */
export const { inspect } = Inspection

/**
 * For tests that set the time themselves: clocks are not compared with the database's.
 *
 * @example Layer.provide(Postgres.layer(config), Postgres.layerUncheckedTime)
 */
export const layerUncheckedTime: Layer.Layer<never> = StorageTime.layerUnchecked

/** The newest version of the schema that this release knows. */
export const newestSchema = Migrations.newest(Migrations.versions)

/** Storage and signals on a PostgreSQL server. The first process that starts migrates the schema. */
export const layer = (config: Connection.Config) =>
  Layer.merge(StoragePostgres.layer, SignalsPostgres.layer).pipe(
    Layer.provide(migrated),
    Layer.provide(Connection.layer(config)),
  )

/**
 * Storage and signals in a directory of this machine, or in memory without one. It is for development and small
 * installations, because it does not wait for the disk. One process has the directory at a time. A command attaches to
 * it (`attaches`); the process finds its changes without a signal, some moments later.
 */
export const layerEmbedded = (
  config: Embedded.Config = {},
): Layer.Layer<
  Storage | Signals,
  Layer.Error<ReturnType<typeof Embedded.layer>> | Layer.Error<typeof migrated>
> =>
  Layer.merge(StoragePostgres.layer, Signals.layerMemory).pipe(
    Layer.provide(migrated),
    Layer.provide(Embedded.layer(config)),
  )
