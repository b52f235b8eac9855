import { assert, layer } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import { isClockOff } from "@florin/core/ports/StorageError"
import * as ClockSuite from "@florin/testing/ClockSuite"
import * as Counts from "@florin/testing/Counts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import * as StorageTime from "../src/StorageTime.ts"
import { database, embedded } from "../test-support/databases.ts"

/** The storage of a process whose clock counts. */
const storage = Layer.provide(
  StoragePostgres.layer,
  Layer.succeed(StorageTime.DriftMaxInMs, Limits.clockDriftMaxInMs),
)

ClockSuite.suite("PostgreSQL", database(), storage)
// The embedded database gets the statements that PostgreSQL gets.
if (Counts.full) ClockSuite.suite("PGlite", embedded, storage)

layer(database("migrated", { maxConnections: 1 }), { excludeTestServices: true })(
  "the comparison of clocks",
  (it) => {
    /** Longer than a clock may be off. */
    const sleep = (sql: SqlClient.SqlClient) => sql`SELECT pg_sleep(1.5)`
    const begin = Effect.map(SqlClient.SqlClient, (sql) => ({
      sql,
      time: StorageTime.make(sql, Limits.clockDriftMaxInMs),
    }))

    it.effect("S8: ignores a time that waited longer than a second for a connection", () =>
      Effect.gen(function* () {
        const { sql, time } = yield* begin
        const waits = Effect.flatMap(Clock.currentTimeMillis, (now) =>
          time.guard(sql`SELECT ${time.checked(now)} AS now`),
        )
        const [, passed] = yield* Effect.all([sleep(sql), waits], { concurrency: 2 })
        assert.lengthOf(passed, 1)
        yield* time.requireRight
      }),
    )

    it.effect("S8: uses the time of each statement in a long transaction, not of its start", () =>
      Effect.gen(function* () {
        const { sql, time } = yield* begin
        const inTransaction = (byInMs: number) =>
          time.guard(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sleep(sql)
                const now = (yield* Clock.currentTimeMillis) + byInMs
                return yield* sql`SELECT ${time.checked(now)} AS now`
              }),
            ),
          )
        assert.lengthOf(yield* inTransaction(0), 1)
        const refused = yield* Effect.flip(inTransaction(10_000))
        // Our clock is right: it was the time alone that was not.
        assert.isFalse(isClockOff(refused))
      }),
    )
  },
)
