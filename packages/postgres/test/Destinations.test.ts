import { assert, layer } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Fiber, Result, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Accounts from "../src/storage/Accounts.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import { anyTime, database } from "../test-support/databases.ts"

const { now } = Fixtures
let worlds = 0

/** Shares that wait for a destination, and how they are gathered into one outflow. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = Accounts.make(sql, anyTime(sql))
  const storage = {
    ...Decisions.make(sql, anyTime(sql)),
    ...Outflows.make(sql, anyTime(sql)),
  }
  const world = Fixtures.make(`d${++worlds}`)
  const paths = [world.path("settlementPending"), world.path("settlementPending")]
  for (const path of paths) {
    for (const write of path) yield* Fixtures.store(storage, write)
  }
  const payments: ReadonlyArray<Payment.Payment> = paths.map(Fixtures.paymentAfter)
  const [first] = payments
  const group = first === undefined ? null : Balance.groupOf(first)
  if (group === null) return assert.fail("no share waits")
  const { destination, token } = group
  const own = world.destination({ token, destination })
  const add = (added: SettlementDestination.SettlementDestination) =>
    accounts.addDestinations(world.merchantId, () => Result.succeed({ added: [added] }), now)
  const change = (next: SettlementDestination.SettlementDestination) =>
    accounts.modifyDestination(world.merchantId, own.id, () =>
      Result.succeed({ destination: next, event: null }),
    )
  const shown: Array<Balance.Lasts> = []
  const gather = storage.modify(
    {
      outflows: [],
      payments: payments.map(({ id }) => id),
      destinations: { token, merchants: [world.merchantId] },
    },
    ({ destinations: lasts, payments: current }) => {
      shown.push(lasts)
      const terms = { debts: new Map(), lasts }
      const write = Payouts.gather(current, group, terms, world.outflowId(), now)
      return Result.succeed({ result: write === null ? 0 : write.payments.length, write })
    },
    null,
  )
  const stored = Effect.forEach(payments, ({ id }) => storage.payment(id))
  return { sql, accounts, world, payments, own, add, change, gather, shown, stored }
})

const thief = { destination: Fixtures.account("thief"), destinationText: "thief" }

/** Gathers on a connection of its own, while a transaction changes a destination and is not committed yet. */
const beside = Effect.fnUntraced(function* <A, E, A2, E2>(
  sql: SqlClient.SqlClient,
  changing: Effect.Effect<A, E>,
  gather: Effect.Effect<A2, E2>,
) {
  const outside = Effect.runForkWith(yield* Effect.context())
  const gathering = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* changing
      const fiber = outside(gather)
      yield* sql`SELECT 1 FROM pg_locks AS lock
        WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(lock.pid))`.pipe(
        Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
        Connection.realTime,
      )
      return fiber
    }),
  )
  return yield* Fiber.join(gathering)
})

layer(database(), { excludeTestServices: true })(
  "settlement destinations in PostgreSQL",
  (test) => {
    test.effect("S11: a payout waits for a change that is being written, and decides again", () =>
      Effect.gen(function* () {
        const { add, change, gather, own, payments, shown, sql, stored } = yield* begin
        yield* add(own)
        const next = SettlementDestination.change(own, thief, { delayInMs: 60, now })
        assert.strictEqual(yield* beside(sql, change(next), gather), 0)
        assert.deepStrictEqual(shown, [[own], [next]])
        assert.deepStrictEqual(yield* stored, payments)
      }),
    )

    test.effect("S11: a payout waits for a registration after a deletion too", () =>
      Effect.gen(function* () {
        const { add, change, gather, own, payments, shown, sql, stored, world } = yield* begin
        yield* add(own)
        const gone = yield* change(SettlementDestination.remove(own, now))
        const { token } = own
        const again = { ...world.destination({ token, ...thief }), takesEffectAt: now + 60 }
        assert.strictEqual(yield* beside(sql, add(again), gather), 0)
        assert.deepStrictEqual(shown, [[gone], [again]])
        assert.deepStrictEqual(yield* stored, payments)
      }),
    )

    test.effect("S11: an unchanged destination is paid, once", () =>
      Effect.gen(function* () {
        const { add, gather, own, payments, shown } = yield* begin
        yield* add(own)
        assert.strictEqual(yield* gather, payments.length)
        assert.deepStrictEqual(shown, [[own]])
      }),
    )
  },
)
