import { assert, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import * as Migrations from "../src/Migrations.ts"
import * as Namespace from "../src/Namespace.ts"
import { database } from "../test-support/databases.ts"

interface Numbered {
  readonly number: string
}

const numbered = (name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Numbered>`SELECT florin.numbered(${name})::text AS number`,
  )

const namesOf = (name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Numbered>`SELECT number::text AS number FROM florin.names WHERE name = ${name}`,
  )

layer(database(), { excludeTestServices: true })("the number of a name", (it) => {
  it.effect(
    "follows from a secret of the database, so that nobody can search for two names with one number",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Migrations.run().pipe(
          Effect.provideService(SqlClient.SqlClient, Namespace.qualified(sql, "second")),
          Effect.provideService(Namespace.Name, "second"),
        )
        const [found] = yield* sql`SELECT florin.number_of('eip155:8453') AS one,
        second.number_of('eip155:8453') AS other, florin.number_in(sha256('eip155:8453')) AS plain`
        assert.lengthOf(new Set(Object.values(found ?? {})), 3)
      }),
  )

  it.effect(
    "is found by a prepared statement, too, that was planned before the name was stored",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`PREPARE early AS SELECT count(*)::integer AS count FROM florin.names
            WHERE number = florin.number_of('mrch_later')`
            const before = yield* sql`EXECUTE early`
            yield* numbered("mrch_later")
            assert.deepStrictEqual(
              [before, yield* sql`EXECUTE early`],
              [[{ count: 0 }], [{ count: 1 }]],
            )
            yield* sql`DEALLOCATE early`
          }),
        )
      }),
  )

  it.effect("is stored once if two transactions use it first at the same time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [isUsed, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* numbered("mrch_both")
            yield* Deferred.succeed(isUsed, undefined)
            yield* Deferred.await(mayEnd)
          }),
        ),
      )
      yield* Deferred.await(isUsed)
      const second = yield* Effect.forkChild(numbered("mrch_both"))
      yield* Effect.repeat(
        sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        { until: (waiting) => waiting.length > 0 },
      )
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Effect.all([Fiber.join(first), Fiber.join(second)])
      assert.lengthOf(yield* namesOf("mrch_both"), 1)
    }),
  )

  it.effect("is the same after the transaction that used it first was rolled back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rolledBack = yield* Effect.flip(
        sql.withTransaction(Effect.flatMap(numbered("mrch_again"), Effect.fail)),
      )
      assert.deepStrictEqual(yield* namesOf("mrch_again"), [])
      assert.deepStrictEqual<unknown>(yield* numbered("mrch_again"), rolledBack)
      assert.deepStrictEqual<unknown>(yield* namesOf("mrch_again"), rolledBack)
    }),
  )

  it.effect("is refused if it is the number of another name", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO florin.names (number, name) VALUES (florin.number_of('mrch_one'), 'mrch_other')`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(numbered("mrch_one"))))
      assert.deepStrictEqual(yield* namesOf("mrch_one"), [])
    }),
  )
})
