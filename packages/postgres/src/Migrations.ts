/**
 * Migrates a database to the schema that this release knows: forwards only, one version per transaction. The first
 * process to start does it.
 *
 * @module
 */
import { createHash } from "node:crypto"
import type { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Connection from "./Connection.ts"
import * as Namespace from "./Namespace.ts"
import * as Accounts from "./schema/Accounts.ts"
import * as Claims from "./schema/Claims.ts"
import * as DueWork from "./schema/DueWork.ts"
import * as Events from "./schema/Events.ts"
import * as Lanes from "./schema/Lanes.ts"
import * as Ledger from "./schema/Ledger.ts"
import * as Names from "./schema/Names.ts"
import * as Operator from "./schema/Operator.ts"
import * as Outflows from "./schema/Outflows.ts"
import * as Payments from "./schema/Payments.ts"
import * as Statistics from "./schema/Statistics.ts"
import * as Views from "./schema/Views.ts"
import * as Locks from "./storage/Locks.ts"

/** A newer release has migrated the database. Continuing with this one could lose data of the newer one. */
export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", {
  found: Schema.Number,
  known: Schema.Number,
  message: Schema.String,
}) {}

/** The tables are not ours to continue: an unreleased version of Florin created them, or somebody else. */
export class SchemaForeign extends Schema.TaggedError<SchemaForeign>()("SchemaForeign", {
  message: Schema.String,
}) {}

/** The statements of each version, oldest first. A released version is never changed, only followed. */
export type Versions = ReadonlyArray<ReadonlyArray<string>>

export const versions: Versions = [
  [
    ...Names.statements,
    ...Accounts.statements,
    ...Payments.statements,
    ...Statistics.statements,
    ...Outflows.statements,
    ...Claims.statements,
    ...DueWork.statements,
    ...Lanes.statements,
    ...Ledger.statements,
    ...Events.statements,
    ...Operator.statements,
    ...Views.statements,
  ],
]

/** The newest version that a release with these versions knows. */
export const newest = (known: Versions): number => known.length

/** Identifies the statements of a version. Until the first release, the first version changes, and has no follower. */
const digestOf = (statements: ReadonlyArray<string>): string =>
  createHash("sha256").update(statements.join(";\n")).digest("hex").slice(0, 32)

const unreleased = new SchemaForeign({
  message:
    "The database has the tables of a version before the first release, which cannot be upgraded. Nothing was changed. Pay out what it still owes and export what you need with the version that created it, then start with a new database or another data directory",
})

/**
 * The last applied version; 0 if the schema has no tables yet. Fails if it has tables of somebody else, or those of a
 * version before the first release.
 */
export const current = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  known: Versions = versions,
): Effect.fn.Return<number, SchemaForeign | SqlError> {
  const name = yield* Namespace.Name
  const [found] = yield* sql<{ ours: boolean; older: boolean; others: boolean }>`
    SELECT to_regclass('florin.schema_versions') IS NOT NULL AS ours,
      (SELECT count(*) = 2 FROM pg_tables
        WHERE schemaname = 'public' AND tablename IN ('schema_versions', 'lane_transactions')) AS older,
      EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(${name})) AS others`
  if (found?.ours === true) {
    // The first tables of it had no digest.
    const applied = yield* sql<{ version: number; digest: string | null }>`
      SELECT version, to_jsonb(applied) ->> 'digest' AS digest FROM florin.schema_versions AS applied ORDER BY version`
    const isOther = applied.some(({ digest, version }) => {
      const statements = known[version - 1]
      return statements !== undefined && digestOf(statements) !== digest
    })
    return isOther ? yield* unreleased : (applied.at(-1)?.version ?? 0)
  }
  if (found?.older === true) return yield* unreleased
  if (found?.others === true) {
    return yield* new SchemaForeign({
      message: `The schema ${name} of the database has tables that are not Florin's. Nothing was changed. Name another schema, which is then created`,
    })
  }
  return 0
})

const versionsTable = `CREATE TABLE IF NOT EXISTS florin.schema_versions (
  version integer PRIMARY KEY,
  digest text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)`

/** The SQL of the versions after `found`, as a script for people who apply it themselves. */
export const print = (name: string, found: number, known: Versions = versions): string => {
  const first = [`CREATE SCHEMA IF NOT EXISTS "${name}"`, versionsTable]
  const steps = known.slice(found).map((statements, index) => {
    const version = found + index + 1
    const added = `INSERT INTO florin.schema_versions (version, digest) VALUES (${version}, '${digestOf(statements)}')`
    const all = [...(version === 1 ? first : []), ...statements, added]
    return ["BEGIN", ...all, "COMMIT"].map((each) => `${Namespace.qualify(name)(each)};\n`).join("")
  })
  return steps.join("\n")
}

/** Applies the next version, if one is missing, and returns it. A second process waits, and finds it applied. */
const step = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, known: Versions) {
  const name = yield* Namespace.Name
  // A migration, and the wait for one, may take as long as necessary.
  yield* sql`SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`
  yield* Locks.take(sql, "schema")
  const found = yield* current(sql, known)
  if (found > newest(known)) {
    return yield* new SchemaTooNew({
      found,
      known: newest(known),
      message: `The database has schema version ${found}, and this release supports up to ${newest(known)}: start the release that created it, or a newer one`,
    })
  }
  const next = known[found]
  if (next === undefined) return null
  if (found === 0) {
    // It may be there already, for a user who may not create one.
    const [there] = yield* sql`SELECT FROM pg_namespace WHERE nspname = ${name}`
    if (there === undefined) yield* sql`CREATE SCHEMA ${sql(name)}`
    yield* sql.unsafe(Namespace.qualify(name)(versionsTable))
  }
  for (const statement of next) yield* sql.unsafe(Namespace.qualify(name)(statement))
  yield* sql`INSERT INTO florin.schema_versions (version, digest) VALUES (${found + 1}, ${digestOf(next)})`
  return found + 1
})

/**
 * Migrates the database to the last of the versions; does nothing if it is up to date. Returns the versions that it
 * applied itself.
 */
export const run = Effect.fn("Migrations.run")(function* (
  known: Versions = versions,
): Effect.fn.Return<
  ReadonlyArray<number>,
  SchemaTooNew | SchemaForeign | StorageUnavailable,
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
