import { assert, describe, layer } from "@effect/vitest"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Change from "@florin/core/domain/payment/Change"
import type { Outbox } from "@florin/core/ports/Outbox"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Stores from "@florin/testing/Stores"
import { Effect, Fiber, Result, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Accounts from "../src/storage/Accounts.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as Events from "../src/storage/Events.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import { anyTime, database } from "../test-support/databases.ts"

const { now } = Fixtures
let worlds = 0

/** A payment with two events in the outbox, and an endpoint that wants both. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const storage = {
    ...Accounts.make(sql, anyTime(sql)),
    ...Decisions.make(sql, anyTime(sql)),
    ...Events.make(sql, anyTime(sql)),
    modifyPayment: Stores.modifyPayment(Outflows.make(sql, anyTime(sql))),
  }
  const world = Fixtures.make(`f${++worlds}`)
  yield* Stores.putPartner(storage, world.partner())
  const endpoint = world.endpoint()
  yield* storage.putEndpoint(endpoint)
  const created = world.createPayment()
  const { id } = created.payment
  yield* storage.createPayment(created, null, "{}", now)
  yield* storage.modifyPayment(id, (current) =>
    Result.succeed({
      result: null,
      change: Change.make(current, now, { event: "payment.settled" }),
    }),
  )
  const eventIds = (yield* storage.eventsOf(id)).map((event) => event.id)
  const delivered = Effect.map(storage.deliveries(endpoint.id, 10), (deliveries) =>
    deliveries.map(({ event }) => event.id).toReversed(),
  )
  return { sql, storage, eventIds, delivered }
})

/** Fans out while a transaction does something to the outbox, once the one waits for the other. */
const beside = Effect.fnUntraced(function* <A>(
  sql: SqlClient.SqlClient,
  storage: Pick<Outbox["Service"], "fanOut">,
  locking: Effect.Effect<unknown, unknown>,
  meanwhile: (waiting: number) => Effect.Effect<A, unknown>,
) {
  // A connection of its own: what is forked within a transaction is part of it.
  const outside = Effect.runForkWith(yield* Effect.context())
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* locking
      const fanning = outside(storage.fanOut(10, Webhook.deliveryOf))
      const [waiting] = yield* sql<{ pid: number }>`SELECT pid FROM pg_locks AS lock
        WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(lock.pid))`.pipe(
        Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
        Connection.realTime,
      )
      return { fanning, meanwhile: yield* meanwhile(waiting?.pid ?? 0) }
    }),
  )
})

layer(database(), { excludeTestServices: true })("the fan-out of events in PostgreSQL", (test) => {
  describe("an event that another process is fanning out", () => {
    test.effect("is waited for, so that no later event of its payment is sent first", () =>
      Effect.gen(function* () {
        const { delivered, eventIds, sql, storage } = yield* begin
        const first = sql`SELECT 1 FROM florin.outbox WHERE event_id = ${eventIds[0]} FOR UPDATE`
        const { fanning, meanwhile } = yield* beside(sql, storage, first, () => delivered)
        assert.deepStrictEqual(meanwhile, [])
        assert.strictEqual(yield* Fiber.join(fanning), 2)
        assert.deepStrictEqual(yield* delivered, eventIds)
      }),
    )

    test.effect("is not fanned out again", () =>
      Effect.gen(function* () {
        const { delivered, eventIds, sql, storage } = yield* begin
        const first = sql`DELETE FROM florin.outbox WHERE event_id = ${eventIds[0]}`
        const { fanning } = yield* beside(sql, storage, first, () => Effect.void)
        assert.strictEqual(yield* Fiber.join(fanning), 1)
        assert.deepStrictEqual(yield* delivered, eventIds.slice(1))
      }),
    )
  })

  test.effect("A7: a process that is lost during the fan-out leaves every event to the next", () =>
    Effect.gen(function* () {
      const { delivered, eventIds, sql, storage } = yield* begin
      const last = sql`SELECT 1 FROM florin.outbox WHERE event_id = ${eventIds[1]} FOR UPDATE`
      const { fanning } = yield* beside(
        sql,
        storage,
        last,
        (pid) => sql`SELECT pg_terminate_backend(${pid})`,
      )
      const failure = yield* Effect.flip(Fiber.join(fanning))
      assert.strictEqual(failure._tag, "StorageUnavailable")
      assert.deepStrictEqual(yield* delivered, [])
      assert.strictEqual(yield* storage.fanOut(10, Webhook.deliveryOf), 2)
      assert.deepStrictEqual(yield* delivered, eventIds)
    }),
  )
})
