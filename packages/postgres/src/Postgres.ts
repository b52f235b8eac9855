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
import type { Transactions } from "@florin/core/ports/Transactions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import * as AppPool from "./AppPool.ts"
import * as Connection from "./Connection.ts"
import * as Embedded from "./Embedded.ts"
import * as Inspection from "./Inspection.ts"
import * as Migrations from "./Migrations.ts"
import * as Namespace from "./Namespace.ts"
import * as SignalsPostgres from "./SignalsPostgres.ts"
import * as StoragePostgres from "./StoragePostgres.ts"
import * as StorageTime from "./StorageTime.ts"
import * as TransactionsPostgres from "./TransactionsPostgres.ts"
import * as ViewTypes from "./ViewTypes.ts"

/** Migrates the schema before anything is read. */
const migrated = Layer.effectDiscard(Migrations.run())

/** A server's address, or a `Pool` of `pg` that the application has already. */
export type Config = AppPool.Config | Connection.Config

const connected = (
  config: Config,
): Layer.Layer<
  SqlClient | Connection.Sessions,
  Connection.DatabaseUnreachable | Namespace.NameUnusable
> => {
  if ("pool" in config) return AppPool.layer(config)
  if (Redacted.isRedacted(config.url)) return Connection.layer(config)
  // Untyped code may give the pool itself, or the address as mere text.
  throw new TypeError(
    "Postgres: give { pool } with a Pool of pg, or { url: Redacted.make(address) }, whose password no log then shows",
  )
}

/** Only migrates the schema of a database; returns the versions that it applied. */
export const migrate = (config: Config) => Effect.provide(Migrations.run(), connected(config))

/** The SQL that migrates a database from a version (0: an empty one) to the newest, in the schema of this name. */
export const printMigrations = (found: number, schema = "florin"): string =>
  Migrations.print(schema, found)

/** The libraries for which types of the views can be printed. */
export const typeFormats = ViewTypes.formats

/** The types of the views in the schema of this name, as the text of a file. */
export const printTypes = (
  format: ViewTypes.Format,
  schema = "florin",
): Effect.Effect<string, Namespace.NameUnusable> =>
  Effect.map(Namespace.requireUsable(schema), (name) => ViewTypes.print(format, name))

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

const services = Layer.merge(
  StoragePostgres.layer,
  Layer.provide(TransactionsPostgres.layer, Reactivity.layer),
)

/**
 * Storage and signals on a PostgreSQL server, and work in the application's own transactions there. The first process
 * that starts migrates the schema.
 *
 * @example Postgres.layer({ pool: new pg.Pool({ connectionString }) })
 */
export const layer = (
  config: Config,
): Layer.Layer<
  Signals | Storage | Transactions,
  Connection.DatabaseUnreachable | Layer.Error<typeof migrated> | Namespace.NameUnusable
> =>
  Layer.merge(services, SignalsPostgres.layer).pipe(
    Layer.provide(migrated),
    Layer.provide(connected(config)),
  )

/**
 * Storage and signals in a directory of this machine, or in memory without one. It is for development and small
 * installations, because it does not wait for the disk. One process has the directory at a time.
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
