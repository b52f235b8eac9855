/**
 * Inspects a database before it is opened. It changes nothing, not even the schema.
 *
 * @module
 */
import type * as KeyProofs from "@florin/core/domain/ground/KeyProofs"
import { initial } from "@florin/core/ports/StateStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "./Connection.ts"
import * as Migrations from "./Migrations.ts"
import * as States from "./storage/States.ts"

interface Inspection {
  /** The version of its schema (0 for an empty database), and the version that this release works with. */
  readonly schema: { readonly found: number; readonly known: number }
  /** Wrong settings with which a power failure loses confirmed writes: `fsync = off`. */
  readonly forgetful: ReadonlyArray<string>
  /** What proves which keys the database was used with. */
  readonly keys: KeyProofs.KeyProofs
  /** The minimum difference between the clocks of this machine and the server. */
  readonly clockDiffersInMs: number
}

const forgetful = ["fsync", "full_page_writes", "synchronous_commit"]

export const inspect = (config: Connection.Config) =>
  Connection.guard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const version = yield* Migrations.current(sql)
      const off = yield* sql<{ name: string; setting: string }>`
        SELECT name, setting FROM pg_settings WHERE setting = 'off' AND ${sql.in("name", forgetful)}`
      const before = yield* Clock.currentTimeMillis
      const [{ now: there } = { now: before }] = yield* sql<{ now: number }>`
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now`
      const after = yield* Clock.currentTimeMillis
      const known = Migrations.newest(Migrations.versions)
      // Another schema may have no states.
      const keys = version === known ? yield* States.keys(sql) : initial.keys
      const inspection: Inspection = {
        schema: { found: version, known },
        keys,
        forgetful: off.map(({ name, setting }) => `${name} = ${setting}`),
        clockDiffersInMs: Math.max(0, Math.floor(Math.max(before - there, there - after))),
      }
      return inspection
    }),
  ).pipe(Effect.provide(Connection.layer(config)))
