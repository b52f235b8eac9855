import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { DueWork } from "@florin/core/ports/DueWork"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import { Signals } from "@florin/core/ports/Signals"
import * as Fixtures from "@florin/testing/Fixtures"
import * as SignalsSuite from "@florin/testing/SignalsSuite"
import * as Stores from "@florin/testing/Stores"
import { Context, Effect, Layer, Queue, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Postgres from "../src/Postgres.ts"
import * as Locks from "../src/storage/Locks.ts"
import * as Databases from "../test-support/databases.ts"
import * as Older from "./older.ts"

const { now } = Fixtures

/** Two services in one database, each in its own schema, next to a shop's tables. */
const begin = Effect.gen(function* () {
  const url = Redacted.make(yield* Databases.address("empty"))
  const outside = yield* Layer.build(Connection.layer({ url }))
  const admin = Context.get(outside, SqlClient.SqlClient)
  yield* Effect.provideService(Databases.addShop, SqlClient.SqlClient, admin)
  const service = Effect.fnUntraced(function* (schema: string) {
    const config = { url, schema }
    const context = yield* Layer.build(
      Layer.fresh(
        Layer.merge(Connection.layer(config), Postgres.layer(config)).pipe(
          Layer.provide(Postgres.layerUncheckedTime),
        ),
      ),
    )
    const sql = Context.get(context, SqlClient.SqlClient)
    return { sql, in: Effect.provide(context), signals: Context.get(context, Signals) }
  })
  const { listen } = yield* Context.get(outside, Connection.Sessions)
  return { admin, listen, one: yield* service("florin"), other: yield* service("order") }
})

/** The advisory locks that anybody in this database holds or waits for. */
const advisoryLocks = (sql: SqlClient.SqlClient) =>
  sql<{ readonly key: string; readonly granted: boolean }>`
    SELECT classid || ' ' || objid AS key, granted FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY key`

const count = (sql: SqlClient.SqlClient, table: "answers" | "due_work" | "stats_changes") =>
  Effect.map(
    sql<{ readonly count: number }>`SELECT count(*)::integer AS count FROM florin.${sql(table)}`,
    ([row]) => row?.count,
  )

const world = Fixtures.make("schemas")

/** The same records in each service, with the same ids and keys. */
const write = Effect.gen(function* () {
  const payments = yield* PaymentStore
  const accounts = yield* AccountStore
  yield* Stores.putPartner(accounts, world.partner())
  const merchant = world.merchant({ id: world.merchantId })
  yield* accounts.addMerchant(merchant)
  const [created = assert.fail()] = Fixtures.make("schemas").path("created")
  const [change = assert.fail()] = created.payments
  yield* payments.createPayment(change, Fixtures.make("schemas").once(), "an answer", now)
  return change.payment.id
})

describe("a database schema", () => {
  it.live("leaves a shop's tables of the same names unchanged", () =>
    Effect.gen(function* () {
      const { admin, one } = yield* begin
      const shop = Effect.provideService(Older.contents, SqlClient.SqlClient, admin)
      const before = yield* shop
      assert.sameMembers(
        before.map(([name]) => name),
        Databases.shopTables,
      )
      const id = yield* one.in(write)
      assert.strictEqual(
        (yield* one.in(Effect.flatMap(PaymentStore, ({ payment }) => payment(id)))).id,
        id,
      )
      assert.deepStrictEqual(yield* shop, before)
    }),
  )

  it.live("has its own records, due work and upkeep", () =>
    Effect.gen(function* () {
      const { one, other } = yield* begin
      yield* one.in(write)
      assert.strictEqual(yield* count(one.sql, "due_work"), 1)
      assert.strictEqual(yield* count(other.sql, "due_work"), 0)
      yield* other.in(write)
      const claim = Effect.flatMap(DueWork, (work) =>
        work.claimDue("expire", {
          limit: 10,
          leaseInMs: 30_000,
          now: Number.MAX_SAFE_INTEGER - 100_000,
          turns: { ofGroup: 24, ofQueue: 16, last: "", groups: [], queues: [] },
        }),
      )
      assert.lengthOf(yield* one.in(claim), 1)
      assert.lengthOf(yield* one.in(claim), 0)
      assert.lengthOf(yield* other.in(claim), 1)
      const upkeep = Effect.flatMap(ResponseStore, (responses) =>
        responses.deleteResponses(now + 10 * 86_400_000, 100),
      )
      assert.strictEqual(yield* one.in(upkeep), 1)
      assert.strictEqual(yield* count(other.sql, "answers"), 1)
      yield* one.sql`SELECT florin.stats_fold(NULL)`
      assert.strictEqual(yield* count(one.sql, "stats_changes"), 0)
      assert.strictEqual(yield* count(other.sql, "stats_changes"), 1)
    }),
  )

  it.live("has its own locks, which nothing in another schema waits for", () =>
    Effect.gen(function* () {
      const { admin, one, other } = yield* begin
      const names = ["schema", "stats", "feed/p/test", "destinations/m", "likeness/paypal"]
      const work = (sql: SqlClient.SqlClient) =>
        Effect.gen(function* () {
          for (const name of names) yield* Locks.take(sql, name)
          // Functions take locks, too: the one of this account's money, and the one of a budget.
          yield* sql`SELECT florin.is_covered('p', 'payer', 'chain', 'token', '[]', '[]', 1, 1),
            florin.charge_failures('[{"subject": "ip 1", "byInMs": 1, "mostInMs": 10}]', 0)`
        })
      yield* one.sql.withTransaction(
        Effect.gen(function* () {
          yield* work(one.sql)
          const own = yield* advisoryLocks(admin)
          assert.lengthOf(own, names.length + 2)
          yield* other.sql.withTransaction(
            Effect.gen(function* () {
              yield* work(other.sql)
              const all = yield* advisoryLocks(admin)
              assert.strictEqual(new Set(all.map(({ key }) => key)).size, 2 * own.length)
              assert.lengthOf(
                all.filter(({ granted }) => !granted),
                0,
              )
            }),
          )
          // A fold in one schema is no reason to leave out the one in another. A migration does not wait for another.
          yield* other.in(write)
          yield* other.sql`SELECT florin.stats_fold(NULL)`
          assert.strictEqual(yield* count(other.sql, "stats_changes"), 0)
          assert.deepStrictEqual(yield* other.in(Migrations.run()), [])
        }),
      )
    }),
  )

  it.live("has its own signals, which wake nothing in another schema", () =>
    Effect.gen(function* () {
      const { listen, one, other } = yield* begin
      const heard = yield* Effect.forEach(["florin", "order"], (schema) =>
        listen(`${schema}_payment_changed`),
      )
      const [ofOne = assert.fail(), ofOther = assert.fail()] = heard
      const [id, later] = [PaymentId.PaymentId.make("pay_1"), PaymentId.PaymentId.make("pay_2")]
      const waiting = yield* other.signals.watch(id)
      yield* one.signals.changed(id)
      assert.include((yield* Queue.take(ofOne)).payload, id)
      // What is sent later on the other channel arrives first.
      yield* other.signals.changed(later)
      assert.notInclude((yield* Queue.take(ofOther)).payload, id)
      assert.strictEqual(yield* Queue.size(ofOther), 0)
      assert.isTrue(yield* SignalsSuite.isWaiting(waiting))
    }),
  )

  it.live("cannot have a name that is reserved, too long, or would need quotes", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Databases.address("empty"))
      const reserved = ["", "public", "pg_florin", "information_schema"]
      for (const schema of [...reserved, "Shop", "1st", 'a"b', "a.b", "x".repeat(41)]) {
        const error = yield* Effect.flip(Postgres.migrate({ url, schema }))
        assert.strictEqual(error._tag, "NameUnusable", schema)
      }
    }),
  )

  it.live("can have a name of 40 letters", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Databases.address("empty"))
      const config = { url, schema: "x".repeat(40) }
      assert.deepStrictEqual(yield* Postgres.migrate(config), [Postgres.newestSchema])
      const { schema } = yield* Postgres.inspect(config)
      assert.deepStrictEqual(schema, { found: Postgres.newestSchema, known: Postgres.newestSchema })
    }),
  )
})
