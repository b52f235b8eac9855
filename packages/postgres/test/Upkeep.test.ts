import { assert, describe, it, layer } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Refund from "@florin/core/domain/payment/Refund"
import { Outbox } from "@florin/core/ports/Outbox"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import * as StorageTime from "../src/StorageTime.ts"
import { address, database } from "../test-support/databases.ts"
import * as Plans from "../test-support/plans.ts"

const { now } = Fixtures
const world = Fixtures.make("upkeep")

/** The plan of the one statement that an operation sends, where the table is too long to be read as a whole. */
const planOf = Effect.fnUntraced(function* <A, E, R>(operation: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const { sent } = yield* Plans.listened(Effect.exit(operation))
  const [[text, parameters] = assert.fail("nothing was sent"), ...more] = sent
  assert.deepStrictEqual(more, [])
  const lines = yield* sql.withTransaction(
    Effect.andThen(
      sql`SELECT set_config('enable_seqscan', 'off', true)`,
      sql.unsafe(`EXPLAIN ${text}`, parameters),
    ),
  )
  return JSON.stringify(lines)
})

const paid = Effect.gen(function* () {
  const change = world.createPayment()
  yield* (yield* PaymentStore).createPayment(change, null, "{}", now)
  return change.payment.id
})

layer(Layer.provideMerge(StoragePostgres.layer, database()), { excludeTestServices: true })(
  "Upkeep",
  (test) => {
    describe("expired data", () => {
      test.effect("is found by an index on its time", () =>
        Effect.gen(function* () {
          const answers = yield* ResponseStore
          const payments = yield* PaymentStore
          assert.include(yield* planOf(answers.deleteResponses(now, 10)), "answers_by_time")
          assert.include(yield* planOf(payments.deleteCollected(now, 10)), "collected_by_end")
        }),
      )
    })

    describe("webhooks", () => {
      test.effect("are claimed without reading the events and payments of others", () =>
        Effect.gen(function* () {
          const { claimDeliveries } = yield* Outbox
          const plan = yield* planOf(claimDeliveries({ now, limit: 10, leaseInMs: 1000 }))
          assert.include(plan, "Index Cond: (id = claimed.event_id)")
        }),
      )
    })

    describe("the order of a payment's webhooks", () => {
      test.effect(
        "is read from keys alone, so that it costs the same however many events there are",
        () =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const [claim] = yield* sql<{ readonly body: string }>`SELECT prosrc AS body FROM pg_proc
            WHERE oid = 'florin.deliveries_in_turn'::regproc`
            const isNext = /NOT EXISTS \([\s\S]*?'\[\]'\s*\)/u.exec(claim?.body ?? "")?.[0]
            const plan = yield* planOf(
              sql`SELECT id FROM florin.deliveries WHERE due_at IS NOT NULL AND ${sql.literal(isNext ?? "nothing")}`,
            )
            assert.notMatch(plan, /Index Cond: \(\(id >= /u)
            assert.match(plan, /Index Cond: \(id = ANY \(ARRAY\(/u)
          }),
      )
    })

    describe("the events of a payment", () => {
      test.effect("are found by their ids, however many there are", () =>
        Effect.gen(function* () {
          const { eventsOf } = yield* Outbox
          const id = yield* paid
          // With constant ends the planner knows that they are few: it takes a range that it cannot see for a ninth.
          const end = `'${id.replace("pay_", "evt_")}:'`
          assert.include(yield* planOf(eventsOf(id)), `(id < ${end}`)
        }),
      )
    })

    describe("a share that waits", () => {
      const group = {
        ...world.tenant,
        token: world.token,
        from: world.payTo,
        destination: world.destinationAccount,
      }

      test.effect("is listed and summed without reading its payment", () =>
        Effect.gen(function* () {
          const outflows = yield* OutflowStore
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO florin.entries (id, tenant, merchant, created_at, chain, asset, revision, is_stuck,
              is_owed, payout_group, payout_quantity, net_quantity, succeeded_at, updated_at, state_version, document)
            SELECT 'pay_waits' || n, 1, florin.numbered('mrch_1'), n, 1, 1, 1, false, false,
              florin.numbered(${Balance.groupKey(group)}), 1, 1, n, n, 0, '{}' FROM generate_series(1, 1000) AS n`
          yield* sql`VACUUM ANALYZE florin.entries`
          const indexOnly = "Index Only Scan using entries_to_pay_out"
          assert.include(
            yield* planOf(outflows.waitingShares({ _tag: "Group", group, now }, 200)),
            indexOnly,
          )
          assert.include(yield* planOf(outflows.pendingQuantity(group, now)), indexOnly)
          assert.include(yield* planOf(outflows.openOutflows("test")), "outflows_open")
        }),
      )
    })

    describe("a refund", () => {
      test.effect("is found by its id", () =>
        Effect.gen(function* () {
          const payments = yield* PaymentStore
          const sql = yield* SqlClient.SqlClient
          // Among a few, the index of a tenant's refunds would do as well.
          yield* sql`INSERT INTO florin.refunds (id, payment_id, partner_id, mode, merchant_id, chain_id, token,
              created_at, requested_at, amount)
            SELECT 'rfnd_' || n, ${yield* paid}, ${world.tenant.partnerId}, ${world.tenant.mode}, 'mrch_1', '', '',
              n, n, 1 FROM generate_series(1, 100) AS n`
          yield* sql`ANALYZE florin.refunds`
          const id = Refund.RefundId.make("rfnd_1")
          const plan = yield* planOf(payments.payment({ tenant: world.tenant, refundId: id }))
          assert.include(plan, "refunds_pkey")
        }),
      )
    })
  },
)

describe("two processes", () => {
  it.live("do not wait for each other during upkeep, and delete nothing twice", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* address("migrated"))
      const connect = Layer.build(
        StoragePostgres.layer.pipe(
          Layer.provideMerge(Connection.layer({ url })),
          Layer.provide(StorageTime.layerUnchecked),
          Layer.fresh,
        ),
      )
      const [first, second] = [yield* connect, yield* connect]
      const sql = Context.get(first, SqlClient.SqlClient)
      const responses = Context.get(second, ResponseStore)
      const payments = Context.get(second, PaymentStore)
      const once = world.once()
      yield* responses.respondOnce(once, 0, Effect.succeed("an answer"))
      const id = yield* Effect.provide(paid, second)
      yield* payments.putCollected(id, world.collected({ deleteAt: 0 }))
      const deleted = Effect.all([
        responses.deleteResponses(now, 10),
        payments.deleteCollected(now, 10),
      ])
      const meanwhile = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`UPDATE florin.answers SET answered_at = ${now}`
          yield* sql`UPDATE florin.collected SET delete_at = ${now + 1}`
          return yield* deleted
        }),
      )
      assert.deepStrictEqual(meanwhile, [0, 0])
      assert.deepStrictEqual(yield* deleted, [0, 0])
      assert.strictEqual(yield* responses.storedResponse(once, now), "an answer")
      assert.strictEqual((yield* payments.collected(id)).length, 1)
    }),
  )
})
