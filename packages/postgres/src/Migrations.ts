/**
 * Migrates a database to the schema that this release knows: forwards only, one version per transaction. The first
 * process to start does it.
 *
 * @module
 */
import type { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "./Connection.ts"
import * as Alerts from "./schema/Alerts.ts"
import * as Allowances from "./schema/Allowances.ts"
import * as AuditLog from "./schema/AuditLog.ts"
import * as Budgets from "./schema/Budgets.ts"
import * as CollectedKeys from "./schema/CollectedKeys.ts"
import * as Credit from "./schema/Credit.ts"
import * as DeliveryOrder from "./schema/DeliveryOrder.ts"
import * as DenyLists from "./schema/DenyLists.ts"
import * as Derived from "./schema/Derived.ts"
import * as Destinations from "./schema/Destinations.ts"
import * as Draws from "./schema/Draws.ts"
import * as Likenesses from "./schema/Likenesses.ts"
import * as OwedShares from "./schema/OwedShares.ts"
import * as OwnOutflows from "./schema/OwnOutflows.ts"
import * as PartnerLimits from "./schema/PartnerLimits.ts"
import * as Payouts from "./schema/Payouts.ts"
import * as Refunded from "./schema/Refunded.ts"
import * as Reserved from "./schema/Reserved.ts"
import * as Sessions from "./schema/Sessions.ts"
import * as Statements from "./schema/Statements.ts"
import * as Tables from "./schema/Tables.ts"
import * as Turns from "./schema/Turns.ts"
import * as Unclaimed from "./schema/Unclaimed.ts"
import * as Webhooks from "./schema/Webhooks.ts"

/** A newer release has migrated the database. Continuing with this one could lose data of the newer one. */
export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", {
  found: Schema.Number,
  known: Schema.Number,
  message: Schema.String,
}) {}

/** An unreleased version of Florin created the database. */
export class SchemaUnreleased extends Schema.TaggedError<SchemaUnreleased>()("SchemaUnreleased", {
  found: Schema.Number,
  message: Schema.String,
}) {}

/** The statements of each version, oldest first. A released version is never changed, only followed. */
export type Versions = ReadonlyArray<ReadonlyArray<string>>

export const versions: Versions = [
  [...Tables.statements, ...Derived.statements],
  Allowances.statements,
  Reserved.statements,
  OwnOutflows.statements,
  Sessions.statements,
  AuditLog.statements,
  Turns.statements,
  Budgets.statements,
  Credit.statements,
  Destinations.statements,
  PartnerLimits.statements,
  Likenesses.statements,
  Unclaimed.statements,
  Webhooks.statements,
  CollectedKeys.statements,
  Payouts.statements,
  Statements.statements,
  OwedShares.statements,
  Alerts.statements,
  Refunded.statements,
  DeliveryOrder.statements,
  Draws.statements,
  DenyLists.statements,
]

/** The number of the first version: earlier ones were never released, and cannot be upgraded. */
const firstVersion = 8

/** The newest version that a release with these versions knows. */
export const newest = (known: Versions): number => firstVersion + known.length - 1

/** Any number works, as long as every release of Florin uses the same. */
const lock = 0x666c6f72

/** The last applied version. It only reads if possible, for a server whose user may not change the schema. */
const current = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [table] = yield* sql<{ missing: boolean }>`
    SELECT to_regclass('schema_versions') IS NULL AS missing`
  if (table?.missing === true) {
    yield* sql`CREATE TABLE schema_versions (
      version integer PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`
  }
  const [row] = yield* sql<{ version: number }>`
    SELECT coalesce(max(version), 0) AS version FROM schema_versions`
  return row?.version ?? 0
})

/** Applies the next version, if one is missing, and returns it. A second process waits, and finds it applied. */
const step = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, known: Versions) {
  // A migration, and the wait for one, may take as long as necessary.
  yield* sql`SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`
  yield* sql`SELECT pg_advisory_xact_lock(${lock})`
  const found = yield* current(sql)
  if (found > newest(known)) {
    return yield* new SchemaTooNew({
      found,
      known: newest(known),
      message: `The database has schema ${found}, and this release supports up to ${newest(known)}: start the release that created it, or a newer one`,
    })
  }
  if (found > 0 && found < firstVersion) {
    return yield* new SchemaUnreleased({
      found,
      message: `The database has schema ${found} of a version before the first release, which cannot be upgraded. Nothing was changed. Start with an empty database or another data directory. If the old one still owes money, pay it out with the version that created it`,
    })
  }
  const version = found === 0 ? firstVersion : found + 1
  const next = known[version - firstVersion]
  if (next === undefined) return null
  for (const statement of next) yield* sql.unsafe(statement)
  yield* sql`INSERT INTO schema_versions (version) VALUES (${version})`
  return version
})

/**
 * Migrates the database to the last of the versions; does nothing if it is up to date. Returns the versions that it
 * applied itself.
 */
export const run = Effect.fn("Migrations.run")(function* (
  known: Versions = versions,
): Effect.fn.Return<
  ReadonlyArray<number>,
  SchemaTooNew | SchemaUnreleased | StorageUnavailable,
  SqlClient.SqlClient
> {
  const sql = yield* SqlClient.SqlClient
  // Not guarded: the wait for the lock lasts as long as the migration takes.
  const once = Connection.unavailable(sql.withTransaction(step(sql, known)))
  const applied: Array<number> = []
  for (;;) {
    const version = yield* once
    if (version === null) return applied
    applied.push(version)
  }
})
