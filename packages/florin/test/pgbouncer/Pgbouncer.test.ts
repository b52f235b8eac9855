/**
 * What an operator reads with the real PgBouncer between `florin` and its database.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as Pgbouncer from "../../../postgres/test-support/pgbouncer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

Pgbouncer.announce("commands were")

/** The environment of a service without chains, behind a PgBouncer. */
const behind = (mode: Pgbouncer.Settings["pool_mode"]) =>
  Effect.gen(function* () {
    const database = yield* Databases.address("empty")
    return Serving.variables(yield* Pgbouncer.make(database, { pool_mode: mode }), [])
  })

const serveOnce = async (variables: { readonly [name: string]: string }) => {
  const server = await Serving.serve(variables, "--port", "0")
  await Serving.until(async () =>
    (await (await fetch(`${server.url}/readyz`)).text()).includes('"storage":"ok"'),
  )
  await Serving.end(server, "SIGTERM")
}

describe.skipIf(!Pgbouncer.isInstalled)("florin behind PgBouncer", () => {
  it.live("in transaction mode prints the same words at every start, and changes nothing", () =>
    Effect.gen(function* () {
      const variables = yield* behind("transaction")
      const { host } = new URL(variables.DATABASE_URL)
      for (const words of [["migrate"], ["doctor"], ["serve"]]) {
        const { code, err, out } = yield* Effect.promise(() => Program.runIn(variables, ...words))
        const said = `${out}${err}`.replaceAll(/\s+/gu, " ")
        assert.strictEqual(code, 1, said)
        assert.include(
          said,
          `The connection pooler at ${host} runs the transactions of one client on several connections (pool_mode = transaction or statement in PgBouncer).`,
        )
        assert.include(said, "Set pool_mode = session for this database")
        assert.notInclude(said, "try again")
      }
    }).pipe(Effect.scoped),
  )

  it.live("in session mode migrates, checks and serves", () =>
    Effect.gen(function* () {
      const variables = yield* behind("session")
      const migrated = yield* Effect.promise(() => Program.runIn(variables, "migrate"))
      assert.include(migrated.out, "The database has schema", migrated.err)
      const checked = yield* Effect.promise(() => Program.runIn(variables, "doctor"))
      assert.include(checked.out, "✓ The database responds, and has the schema of this release.")
      yield* Effect.promise(() => serveOnce(variables))
    }).pipe(Effect.scoped),
  )
})
