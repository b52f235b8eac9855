import { assert, describe, layer } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as PaymentStats from "@florin/core/domain/list/PaymentStats"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import type { Tenant } from "@florin/core/ports/AccountStore"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Struct from "effect/Struct"
import * as Connection from "../src/Connection.ts"
import { standing } from "../src/schema/Payments.ts"
import * as Conditions from "../src/storage/Conditions.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import * as Series from "../src/storage/Series.ts"
import * as Stats from "../src/storage/Stats.ts"
import { anyTime, database, embedded } from "../test-support/databases.ts"
import { Asked, pathOf, queryOf, Seed, timeOf } from "./questions.ts"

const { now } = Fixtures
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const runs = Counts.of({ usual: 8, full: 2000 })
const changes = Counts.of({ usual: 30, full: 1000 })

const partsOf = (sql: SqlClient.SqlClient) => ({
  ...Decisions.make(sql, anyTime(sql)),
  ...Outflows.make(sql, anyTime(sql)),
  ...Stats.make(sql),
  ...Series.make(sql),
})
type Parts = ReturnType<typeof partsOf>

/** Writes the payments of a write, without what they need of others. */
const write = (storage: Parts, { payments }: Change.Write) =>
  Fixtures.store(storage, {
    payments: payments.map(({ payment }) => ({ payment, claims: [], ledger: [], due: {} })),
    outflows: [],
  })

interface Group {
  readonly amount_group: string | null
  readonly transactions: bigint
  readonly revenue: string | null
  readonly refunded: string
  readonly customers: bigint
}

/** Statistics by the conditions alone. */
const plainStats = Effect.fnUntraced(function* (
  tenant: Tenant,
  filter: PaymentFilter.Filter,
  at: number,
) {
  const sql = yield* SqlClient.SqlClient
  const shortened = Conditions.shorten(filter)
  if (shortened === null) return PaymentStats.none
  const where = sql.and([
    Conditions.isOf(sql, tenant),
    ...Conditions.of(shortened, { sql, tenant, now: at }).map((each) => each.where),
  ])
  const groups = yield* sql<Group>`SELECT amount_group, count(*) AS transactions,
      sum(amount) FILTER (WHERE ${Conditions.isStored(sql, ["succeeded"])}) AS revenue,
      coalesce(sum(refunded), 0) AS refunded, count(DISTINCT customer) AS customers
    FROM florin.payments LEFT JOIN (
      SELECT payment_id, sum(amount) AS refunded FROM florin.refunds GROUP BY payment_id
    ) AS asked ON payment_id = id WHERE ${where} GROUP BY GROUPING SETS ((amount_group), ()) ORDER BY amount_group`
  const brought: Array<PaymentStats.Revenue> = []
  let transactions = 0
  let customers = 0
  for (const { amount_group, revenue, refunded, ...counts } of groups) {
    if (amount_group === null) customers = Number(counts.customers)
    else {
      const unit = PaymentSort.unitOfGroup(amount_group)
      if (unit === undefined) return assert.fail("a payment is in a unit that does not read")
      if (revenue !== null) {
        brought.push({ unit, quantity: BigInt(revenue), refunded: BigInt(refunded) })
      }
      transactions += Number(counts.transactions)
    }
  }
  const stats: PaymentStats.Stats = { revenue: brought, transactions, customers }
  return stats
})

const Step = Schema.Struct({
  /** How many payments go how far on, all at once. */
  payments: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 }))).check(
    Schema.isMaxLength(6),
  ),
  /** How many changes are folded then. */
  folded: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8 })),
})

const dayInMs = 86_400_000

/** Days of a zone whose days begin at a quarter past the hour in UTC, around the payments. */
const edges = PaymentSeries.edgesOf(
  "day",
  DateTime.zoneMakeNamedUnsafe("Asia/Kathmandu"),
  now - 2 * dayInMs,
  now + 5 * dayInMs,
)

/** The totals of a series, as `PaymentStats` has them. */
const totalsOf = ({ buckets }: PaymentSeries.Series): Omit<PaymentStats.Stats, "customers"> => {
  const revenue = new Map<string, PaymentStats.Revenue>()
  for (const each of buckets.flatMap((bucket) => bucket.revenue)) {
    const group = PaymentSort.groupOf(each.unit)
    const { quantity, refunded } = revenue.get(group) ?? { quantity: 0n, refunded: 0n }
    revenue.set(group, {
      unit: each.unit,
      quantity: quantity + each.quantity,
      refunded: refunded + each.refunded,
    })
  }
  return {
    revenue: [...revenue]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([, each]) => each),
    transactions: buckets.reduce((sum, { payments }) => sum + payments, 0),
  }
}

let worlds = 0

/** Payments that go their way step by step, changes that are folded in between, and the same questions after each. */
const property = Effect.fnUntraced(function* (
  seeds: ReadonlyArray<typeof Seed.Type>,
  steps: ReadonlyArray<typeof Step.Type>,
  questions: ReadonlyArray<typeof Asked.Type>,
) {
  const sql = yield* SqlClient.SqlClient
  const storage = partsOf(sql)
  const world = Fixtures.make(`s${++worlds}`)
  const ways = seeds.map((seed) => ({ path: pathOf(world, seed), written: 0 }))
  for (const { payments: chosen, folded } of steps) {
    yield* Effect.forEach(
      new Set(chosen),
      Effect.fnUntraced(function* (index) {
        const way = ways[index]
        const change = way?.path[way.written]
        if (way === undefined || change === undefined) return
        yield* write(storage, change)
        way.written += 1
      }),
      { concurrency: "unbounded" },
    )
    yield* sql`SELECT florin.stats_fold(${folded})`
    const payments = ways.flatMap(({ path, written }): ReadonlyArray<Payment.Payment> =>
      written === 0 ? [] : [Fixtures.paymentAfter(path.slice(0, written))],
    )
    for (const asked of questions) {
      const { filter } = queryOf(asked, payments)
      const at = timeOf(asked)
      const expected = PaymentStats.of(payments, filter, at)
      assert.deepStrictEqual(yield* plainStats(world.tenant, filter, at), expected)
      // Remembered the second time, where it was computed.
      for (const _ of [1, 2]) {
        assert.deepStrictEqual(yield* storage.paymentStats(world.tenant, filter, at), expected)
      }
      const series = yield* storage.paymentSeries(world.tenant, filter, edges ?? [], at)
      assert.deepStrictEqual(series, PaymentSeries.of(payments, filter, edges ?? [], at))
      assert.deepStrictEqual(totalsOf(series), Struct.omit(expected, ["customers"]))
    }
  }
})

const filterOf = (members: Partial<PaymentFilter.Filter>): PaymentFilter.Filter => ({
  ...PaymentFilter.unfiltered,
  ...members,
})

/** Of each kind of which something is kept or remembered. */
const kinds: ReadonlyArray<Partial<PaymentFilter.Filter>> = [
  {},
  { statuses: ["succeeded"] },
  { statuses: ["expired"] },
  { statuses: ["processing", "succeeded"] },
  { tokenSymbols: PaymentFilter.symbolsOf(["USDC"], BuiltIn.catalog) },
  { createdFrom: 0, createdBefore: now + (dayInMs - (now % dayInMs)) },
  { createdFrom: now, createdBefore: now + 1 },
  { reference: "order" },
]

const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return { sql, storage: partsOf(sql), world: Fixtures.make(`t${++worlds}`) }
})

/** How many changes are noted and not folded yet. */
const unfolded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT count(*)::integer AS count FROM florin.stats_changes`
  return row?.count ?? 0
})

/** Until a fold in the background has left no more changes than this. */
const untilFolded = (most: number) =>
  unfolded.pipe(
    Effect.repeat({ until: (count) => count <= most, schedule: Schedule.spaced("5 millis") }),
    Connection.realTime,
  )

/** Writes whole paths, a few at once. */
const writeAll = (storage: Parts, paths: ReadonlyArray<ReadonlyArray<Change.Write>>) =>
  Effect.forEach(paths, (path) => Effect.forEach(path, (change) => write(storage, change)), {
    concurrency: 6,
    discard: true,
  })

/** How many of the statements of an effect compute what is not kept. */
const computing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let count = 0
    const counting: Statement.Transformer = (statement) =>
      Effect.sync(() => {
        if (statement.compile()[0].includes("count(DISTINCT customer)")) count += 1
        return statement
      })
    return effect.pipe(
      Effect.provideService(Statement.CurrentTransformer, counting),
      Effect.map(() => count),
    )
  })

/** The embedded database gets the statements that PostgreSQL gets. */
const eachDatabase = { PostgreSQL: database(), ...(Counts.full && { PGlite: embedded }) }

for (const [name, where] of Object.entries(eachDatabase)) {
  layer(where, { excludeTestServices: true, timeout })(`Stats on ${name}`, (it) => {
    it.effect.prop(
      "equal those of the payments at every moment, with folded and remembered sums",
      [
        Arbitrary.array(Arbitrary.schema(Seed), { minLength: 12, maxLength: 12 }),
        Arbitrary.array(Arbitrary.schema(Step), { minLength: 3, maxLength: 10 }),
        Arbitrary.array(Arbitrary.schema(Asked), { minLength: 6, maxLength: 6 }),
      ],
      ([seeds, steps, questions]) => property(seeds, steps, questions),
      { arbitrary: { runs }, timeout },
    )
  })
}

layer(database(), { excludeTestServices: true, timeout })("Stats", (it) => {
  describe("at one moment", () => {
    it.effect("equal the plain query while others write and fold", () =>
      Effect.gen(function* () {
        const { sql, storage, world } = yield* begin
        const seedOf = (index: number): typeof Seed.Type => ({
          stage: index % 3 === 0 ? "failed" : "settled",
          merchant: index % 4,
          unit: index % 5,
          value: index % 3,
          paidIn: index % 6,
          payer: index % 4,
          at: index % 6,
          lifeInS: 0,
          reference: [],
        })
        const writing = writeAll(
          storage,
          Array.from({ length: 120 }, (_, index) => pathOf(world, seedOf(index))),
        )
        const folding = Effect.forever(sql`SELECT florin.stats_fold(7)`)
        const folders = yield* Effect.forkChild(Effect.all([folding, folding], { concurrency: 2 }))
        const writers = yield* Effect.forkChild(writing)
        const snapshot = Effect.forEach(kinds, (members) =>
          Effect.gen(function* () {
            const filter = filterOf(members)
            assert.deepStrictEqual(
              yield* storage.paymentStats(world.tenant, filter, now),
              yield* plainStats(world.tenant, filter, now),
            )
          }),
        ).pipe(
          sql.withTransaction,
          Effect.provideService(
            SqlClient.BeginTransaction,
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
          ),
        )
        let moments = 0
        while (moments <= 3 || writers.pollUnsafe() === undefined) {
          yield* snapshot
          moments += 1
        }
        yield* Fiber.join(writers)
        yield* snapshot
        yield* Fiber.interrupt(folders)
      }),
    )

    it.effect("lose nothing if a fold is aborted", () =>
      Effect.gen(function* () {
        const { sql, storage, world } = yield* begin
        yield* writeAll(storage, [world.path("settled")])
        const expected = yield* plainStats(world.tenant, PaymentFilter.unfiltered, now)
        const noted = yield* unfolded
        // The last that a fold writes is locked: it waits there with everything else done.
        const [locked, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const locking = yield* Effect.forkChild(
          sql.withTransaction(
            sql`LOCK TABLE florin.stats_customers IN SHARE MODE`.pipe(
              Effect.andThen(Deferred.succeed(locked, undefined)),
              Effect.andThen(Deferred.await(free)),
            ),
          ),
        )
        yield* Deferred.await(locked)
        const folding = yield* Effect.forkChild(Effect.flip(sql`SELECT florin.stats_fold(NULL)`))
        yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%stats_fold%'`.pipe(
          Effect.repeat({
            until: (rows) => rows.length > 0,
            schedule: Schedule.spaced("5 millis"),
          }),
          Connection.realTime,
        )
        yield* Fiber.join(folding)
        assert.strictEqual(yield* unfolded, noted)
        yield* Deferred.succeed(free, undefined)
        yield* Fiber.join(locking)
        const asked = storage.paymentStats(world.tenant, PaymentFilter.unfiltered, now)
        assert.deepStrictEqual(yield* asked, expected)
        yield* sql`SELECT florin.stats_fold(NULL)`
        assert.strictEqual(yield* unfolded, 0)
        assert.deepStrictEqual(yield* asked, expected)
      }),
    )
  })

  describe("stored statistics", () => {
    it.effect("P6: follow a payment that any release writes", () =>
      Effect.gen(function* () {
        const { sql, storage, world } = yield* begin
        yield* writeAll(storage, [world.path("created"), world.path("created")])
        yield* sql`UPDATE florin.payments SET standing = ${standing("succeeded")}, customer = florin.packed('0x1'),
            chain = florin.numbered('eip155:1'), asset = florin.numbered('0x2')
          WHERE ${Conditions.isOf(sql, world.tenant)}`
        const stats = yield* storage.paymentStats(
          world.tenant,
          filterOf({ statuses: ["succeeded"] }),
          now,
        )
        assert.deepStrictEqual(stats, {
          revenue: [{ unit: Amount.fiat("USD"), quantity: 2000n, refunded: 0n }],
          transactions: 2,
          customers: 1,
        })
      }),
    )

    it.effect("P6: follow payers and tokens that come, change and go, folded or not", () =>
      Effect.gen(function* () {
        const { sql, storage, world } = yield* begin
        yield* writeAll(
          storage,
          Array.from({ length: 4 }, () => world.path("created")),
        )
        let drawn = 7
        const draw = (count: number) => {
          drawn = (drawn * 48_271) % 2_147_483_647
          return drawn % count
        }
        const chains = [null, "eip155:1", "eip155:8453"]
        const assets = [null, "0x01", "0x02"]
        const payers = [null, "0x0a", "0x0b"]
        const one = (all: ReadonlyArray<string | null>) => all[draw(all.length)] ?? null
        for (let step = 0; step < changes; step++) {
          yield* sql`UPDATE florin.payments SET standing = ${1 + draw(PaymentState.statuses.length)}, customer = florin.packed(${one(payers)}),
              chain = florin.numbered(${one(chains)}), asset = florin.numbered(${one(assets)})
            WHERE id IN (SELECT id FROM florin.payments WHERE ${Conditions.isOf(sql, world.tenant)}
              ORDER BY id OFFSET ${draw(4)} LIMIT ${1 + draw(2)})`
          yield* sql`SELECT florin.stats_fold(${draw(4)})`
          for (const statuses of [null, ...PaymentState.statuses.map((each) => [each])]) {
            for (const chainId of [null, Eip155.chainId(1)]) {
              const filter = filterOf({ statuses, chainIds: chainId && [chainId] })
              assert.deepStrictEqual(
                yield* storage.paymentStats(world.tenant, filter, now),
                yield* plainStats(world.tenant, filter, now),
              )
            }
          }
        }
      }),
    )

    it.effect("count customers who are added and removed, folded or not", () =>
      Effect.gen(function* () {
        const { sql, storage, world } = yield* begin
        const account = Fixtures.account("a payer")
        const paths = [
          world.path("settled", {}, { account }),
          world.path("failed", {}, { account }),
        ]
        for (const path of paths) {
          for (const change of path) {
            yield* write(storage, change)
            for (const most of [0, null]) {
              yield* sql`SELECT florin.stats_fold(${most})`
              for (const status of PaymentState.statuses) {
                const filter = filterOf({ statuses: [status] })
                assert.deepStrictEqual(
                  yield* storage.paymentStats(world.tenant, filter, now),
                  yield* plainStats(world.tenant, filter, now),
                )
              }
            }
          }
        }
      }),
    )

    it.effect("are folded now and then by writers", () =>
      Effect.gen(function* () {
        const { storage, world } = yield* begin
        yield* writeAll(
          storage,
          Array.from({ length: 400 }, () => world.path("created")),
        )
        yield* untilFolded(300)
      }),
    )

    it.effect("are folded by a reader if there are many changes", () =>
      Effect.gen(function* () {
        const { sql, storage, world } = yield* begin
        yield* writeAll(storage, [world.path("settled")])
        yield* sql.unsafe(`DO $$ BEGIN
          FOR n IN 1..1100 LOOP
            UPDATE florin.payments SET customer = florin.packed('0x' || n)
              WHERE tenant = florin.number_of('${world.tenant.partnerId}/${world.tenant.mode}');
          END LOOP;
        END $$`)
        const expected = yield* plainStats(world.tenant, PaymentFilter.unfiltered, now)
        const asked = storage.paymentStats(world.tenant, PaymentFilter.unfiltered, now)
        assert.deepStrictEqual(yield* asked, expected)
        yield* untilFolded(0)
        assert.deepStrictEqual(yield* asked, expected)
      }),
    )
  })

  describe("computed statistics", () => {
    it.effect("are remembered until something of the same merchants, tokens and days changes", () =>
      Effect.gen(function* () {
        const { storage, world } = yield* begin
        const [mine, other] = [world.merchant().id, world.merchant().id]
        const day = Math.floor(now / dayInMs) * dayInMs
        const created = (merchantId: typeof mine, at: number) =>
          writeAll(storage, [world.path("created", { merchantId, now: at })])
        yield* created(mine, now)
        const filter = filterOf({
          merchantIds: [mine],
          createdFrom: day,
          createdBefore: day + dayInMs,
        })
        const asked = computing(storage.paymentStats(world.tenant, filter, now))
        assert.deepStrictEqual([yield* asked, yield* asked], [1, 0])
        yield* created(other, now)
        yield* created(mine, day + dayInMs)
        assert.strictEqual(yield* asked, 0)
        yield* created(mine, now)
        assert.deepStrictEqual([yield* asked, yield* asked], [1, 0])
      }),
    )

    it.effect("are not needed for what is stored", () =>
      Effect.gen(function* () {
        const { storage, world } = yield* begin
        yield* writeAll(storage, [world.path("settled")])
        const { token } = world
        const kept: ReadonlyArray<Partial<PaymentFilter.Filter>> = [
          {},
          { merchantIds: [world.merchantId] },
          { statuses: ["expired"] },
          { statuses: PaymentState.statuses },
          { tokens: [token] },
          { chainIds: [token.chainId] },
          { merchantIds: [world.merchantId], statuses: ["succeeded"], chainIds: [token.chainId] },
        ]
        for (const members of kept) {
          const stats = storage.paymentStats(world.tenant, filterOf(members), now)
          assert.strictEqual(yield* computing(stats), 0, JSON.stringify(members))
        }
      }),
    )
  })
})
