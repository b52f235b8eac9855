import { assert, layer } from "@effect/vitest"
import { DueWork } from "@florin/core/ports/DueWork"
import * as Counts from "@florin/testing/Counts"
import * as StorageSuite from "@florin/testing/StorageSuite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { appPool, database, databaseIn } from "../test-support/databases.ts"

layer(Layer.provide(StoragePostgres.layer, database()), { excludeTestServices: true })(
  "the storage's time",
  (it) => {
    it.effect("is the database's time, to the millisecond", () =>
      Effect.gen(function* () {
        const { time } = yield* DueWork
        const before = Date.now()
        const there = yield* time
        // One machine, one clock; both are cut to whole milliseconds.
        assert.isAtLeast(there, before - 1)
        assert.isAtMost(there, Date.now() + 1)
      }),
    )
  },
)

// Other suites run in the schema `florin`. This name is a word of SQL.
StorageSuite.suite("PostgreSQL", Layer.provide(StoragePostgres.layer, databaseIn("order")))

// The same server and the same statements by another driver, which any theme may find out.
StorageSuite.suite(
  "a pool of the application",
  Layer.provide(StoragePostgres.layer, appPool()),
  Counts.some(StorageSuite.themes, 3),
)
