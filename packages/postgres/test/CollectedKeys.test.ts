import { assert, layer } from "@effect/vitest"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Collected from "../src/storage/Collected.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import { anyTime, database } from "../test-support/databases.ts"

let worlds = 0

/** A payment for which something is kept, with its key. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const world = Fixtures.make(`k${++worlds}`)
  const store = { ...Decisions.make(sql, anyTime(sql)), ...Collected.make(sql, anyTime(sql)) }
  const change = world.createPayment()
  yield* store.createPayment(change, null, "{}", Fixtures.now)
  const { id } = change.payment
  yield* store.putCollected(id, world.collected({ key: Uint8Array.of(1, 2, 3) }))
  const keys = sql`SELECT 1 FROM florin.collected_keys WHERE payment_id = ${id}`
  return { id, keys, sql, store }
})

layer(database())("the keys of collected data", (it) => {
  it.effect("are deleted with their data, on erasure or in time", () =>
    Effect.gen(function* () {
      const erased = yield* begin
      assert.lengthOf(yield* erased.keys, 1)
      yield* erased.store.eraseCollected(erased.id, null)
      assert.lengthOf(yield* erased.keys, 0)
      const deleted = yield* begin
      yield* deleted.store.deleteCollected(Fixtures.now + 2000, 10)
      assert.lengthOf(yield* deleted.keys, 0)
    }),
  )

  it.effect("make the data unreadable if they are missing from a backup", () =>
    Effect.gen(function* () {
      const { id, sql, store } = yield* begin
      // As after a restore of a dump without them.
      yield* sql`DELETE FROM florin.collected_keys WHERE payment_id = ${id}`
      assert.deepStrictEqual(yield* store.collected(id), [])
    }),
  )
})
