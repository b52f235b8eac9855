import { assert, layer } from "@effect/vitest"
import { Outbox } from "@florin/core/ports/Outbox"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { database } from "../test-support/databases.ts"

const world = Fixtures.make("feed")

/** Announces a payment; answers its id. */
const announce = Effect.gen(function* () {
  const change = world.createPayment()
  yield* (yield* PaymentStore).createPayment(change, null, "{}", Fixtures.now)
  return change.payment.id
})

layer(Layer.provideMerge(StoragePostgres.layer, database()), { excludeTestServices: true })(
  "the event feed",
  (test) => {
    test.effect("is sorted by its events, whatever plan the database chooses", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // What autovacuum leaves of rows that are gone: a page, and statistics of none in it.
        yield* announce
        yield* sql`DELETE FROM florin.events`
        yield* sql.unsafe("VACUUM (ANALYZE, TRUNCATE false) events")
        const announced = yield* Effect.replicateEffect(announce, 5)
        // A later row may get the place of one that is gone, before the others.
        const [first] = announced
        yield* sql`UPDATE florin.events SET document = document WHERE florin.payment_of(id, state_version) = ${first ?? ""}`
        const feed = yield* (yield* Outbox).events(world.tenant, 0, 100)
        assert.deepStrictEqual(
          feed.map(({ event }) => "payment" in event && event.payment.id),
          announced,
        )
      }),
    )
  },
)
