/**
 * P5 and P6: pages, searches and statistics of a tenant with so many payments, each beside the plain query; and what it
 * costs to write, beside a database of the second schema, by turns. Only ratios of one run count.
 *
 * @example
 * node bench/lists.bench.ts
 * PAYMENTS=1000000 SAMPLES=200 node bench/lists.bench.ts
 * DATABASE_URL=postgres://…/seeded node bench/lists.bench.ts
 *
 * @module
 */
import process from "node:process"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import type * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import type * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Conditions from "../src/storage/Conditions.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as Lists from "../src/storage/Lists.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import * as Stats from "../src/storage/Stats.ts"
import * as StorageTime from "../src/StorageTime.ts"
import * as Server from "../test-support/server.ts"
import * as Seed from "./seed.ts"

const payments = Number(process.env["PAYMENTS"] ?? 50_000)
const samples = Number(process.env["SAMPLES"] ?? 50)
const plainSamples = 3
const writes = 100
const turns = 12
/** The plain statistics of a common search read all payments, which a service would not wait for. */
const waitInMs = 600_000

const { endAt, firstAt, merchant, tenant, tokens } = Seed
const dayInMs = 86_400_000
const now = endAt

/** The same numbers in every run. */
let drawn = 1
const random = (below: number): number => {
  drawn = (drawn * 48_271) % 2_147_483_647
  return drawn % below
}
const token = () => tokens.slice(random(tokens.length)).slice(0, 1)
const someone = () => merchant(random(40))
const window = (lengthInDays: number) => {
  const from = firstAt + random(730 - lengthInDays) * dayInMs
  return { createdFrom: from, createdBefore: from + lengthInDays * dayInMs }
}

type Draw = () => Partial<PaymentFilter.Filter>

const pages: Readonly<Record<string, Draw>> = {
  all: () => ({}),
  "30 days": () => window(30),
  merchant: () => ({ merchantIds: [someone()] }),
  "3 merchants": () => ({ merchantIds: [someone(), someone(), someone()] }),
  succeeded: () => ({ statuses: ["succeeded"] }),
  failed: () => ({ statuses: ["failed"] }),
  expired: () => ({ statuses: ["expired"] }),
  processing: () => ({ statuses: ["processing"] }),
  token: () => ({ tokens: token() }),
  symbol: () => ({ tokenSymbols: PaymentFilter.symbolsOf(["EURC"], BuiltIn.catalog) }),
  network: () => ({ chainIds: [Eip155.chainId(8453)] }),
  "merchant, failed": () => ({ merchantIds: [someone()], statuses: ["failed"] }),
  "merchant, processing": () => ({ merchantIds: [someone()], statuses: ["processing"] }),
  "merchant, token": () => ({ merchantIds: [someone()], tokens: token() }),
  "merchant, token, failed": () => ({
    merchantIds: [someone()],
    tokens: token(),
    statuses: ["failed"],
  }),
  "token, failed": () => ({ tokens: token(), statuses: ["failed"] }),
  "token, processing": () => ({ tokens: token(), statuses: ["processing"] }),
  "merchant, 30 days": () => ({ merchantIds: [someone()], ...window(30) }),
  "failed, 30 days": () => ({ statuses: ["failed"], ...window(30) }),
}

const searches: Readonly<Record<string, Draw>> = {
  "one of a kind": () => ({ reference: `order ${random(payments / 5) * 5}` }),
  "3 common characters": () => ({ reference: "ord" }),
  "3 characters": () => ({ reference: random(4096).toString(16).padStart(3, "0") }),
  "punctuation only": () => ({ reference: "+-+" }),
  "a month of long ago": () => ({ reference: "2024/10" }),
  nothing: () => ({ reference: "nowhere" }),
  "common, merchant": () => ({ reference: "ord", merchantIds: [someone()] }),
  "common, processing": () => ({ reference: "ord", statuses: ["processing"] }),
  "3 characters, failed": () => ({
    reference: random(4096).toString(16).padStart(3, "0"),
    statuses: ["failed"],
  }),
}

const kept: Readonly<Record<string, Draw>> = {
  all: () => ({}),
  merchant: () => ({ merchantIds: [merchant(random(3))] }),
  succeeded: () => ({ statuses: ["succeeded"] }),
  expired: () => ({ statuses: ["expired"] }),
  token: () => ({ tokens: token() }),
  network: () => ({ chainIds: [Eip155.chainId(8453)] }),
  "merchant, token, succeeded": () => ({
    merchantIds: [merchant(0)],
    tokens: token(),
    statuses: ["succeeded"],
  }),
}

const computed: Readonly<Record<string, Draw>> = {
  "3 merchants": () => ({ merchantIds: [merchant(0), merchant(1), merchant(2)] }),
  symbol: () => ({ tokenSymbols: PaymentFilter.symbolsOf(["USDC"], BuiltIn.catalog) }),
  "90 whole days": () => window(90),
  "all whole days": () => ({ createdFrom: firstAt, createdBefore: endAt }),
  "cut days": () => ({ createdFrom: firstAt + 1000, createdBefore: endAt - 1000 }),
  "merchant, 90 whole days": () => ({ merchantIds: [merchant(0)], ...window(90) }),
  "search, one of a kind": () => ({ reference: `order ${random(payments / 5) * 5}` }),
  "search, common": () => ({ reference: "ord" }),
}

const sorts: ReadonlyArray<PaymentSort.Sort> = [
  { by: "date", direction: "desc" },
  { by: "date", direction: "asc" },
  { by: "amount", direction: "desc" },
]

/** A place in the middle of what the filter leaves. */
const deep = (
  sort: PaymentSort.Sort,
  { createdFrom, createdBefore }: PaymentFilter.Filter,
): PaymentSort.Position => ({
  group: sort.by === "date" ? "" : "fiat/USD",
  value: sort.by === "date" ? ((createdFrom ?? firstAt) + (createdBefore ?? endAt)) / 2 : 500_000n,
  id: PaymentId.PaymentId.make("pay_seeded"),
})

const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * part)] ?? Number.NaN

const print = (name: string, cells: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const line = [name.padEnd(48), ...cells.map((cell) => cell.padStart(11))]
    process.stdout.write(`${line.join("")}\n`)
  })

const measured = Effect.fnUntraced(function* <E, R>(
  count: number,
  run: () => Effect.Effect<unknown, E, R>,
) {
  const all: Array<number> = []
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now()
    yield* run()
    all.push(performance.now() - startedAt)
  }
  return all
})

const told = (all: ReadonlyArray<number>, plain: ReadonlyArray<number>) => [
  ...[0.5, 0.95, 0.99].map((part) => percentile(all, part).toFixed(1)),
  percentile(plain, 0.5).toFixed(1),
]

const filterOf = (members: Partial<PaymentFilter.Filter>): PaymentFilter.Filter => ({
  ...PaymentFilter.unfiltered,
  ...members,
})

const where = (sql: SqlClient.SqlClient, filter: PaymentFilter.Filter) => {
  const shortened = Conditions.shorten(filter)
  if (shortened === null) return sql`false`
  const conditions = Conditions.of(shortened, { sql, tenant, now })
  return sql.and([Conditions.isOf(sql, tenant), ...conditions.map((each) => each.where)])
}

const plainPage = (
  sql: SqlClient.SqlClient,
  { filter, sort, after }: PaymentQuery.PaymentQuery,
) => {
  const isByDate = sort.by === "date"
  const isDescending = sort.direction === "desc"
  const columns = sql.literal(isByDate ? "created_at, id" : "amount_group, amount, id")
  const place =
    after === null
      ? sql`true`
      : sql`(${columns}) ${sql.literal(isDescending ? "<" : ">")} ${
          isByDate
            ? sql`(${after.value}::bigint, ${after.id})`
            : sql`(${after.group}, ${after.value.toString()}::numeric, ${after.id})`
        }`
  const [created, grouped] = isDescending
    ? ["created_at DESC, id DESC", "amount_group DESC, amount DESC, id DESC"]
    : ["created_at, id", "amount_group, amount, id"]
  return sql`SELECT document FROM florin.payments WHERE ${where(sql, filter)} AND ${place}
    ORDER BY ${sql.literal(isByDate ? created : grouped)} LIMIT 51`.unprepared
}

const plainStats = (sql: SqlClient.SqlClient, filter: PaymentFilter.Filter) =>
  sql`SELECT amount_group, count(*), sum(amount) FILTER (WHERE ${Conditions.isStored(sql, ["succeeded"])}), count(DISTINCT customer)
    FROM florin.payments WHERE ${where(sql, filter)} GROUP BY GROUPING SETS ((amount_group), ())`
    .unprepared

const listPages = Effect.fnUntraced(function* (kinds: Readonly<Record<string, Draw>>) {
  const sql = yield* SqlClient.SqlClient
  const lists = Lists.make(sql)
  const every: Array<number> = []
  for (const [name, draw] of Object.entries(kinds)) {
    for (const sort of sorts) {
      for (const isFirst of [true, false]) {
        const query = () => {
          const filter = filterOf(draw())
          return { filter, sort, limit: 50, after: isFirst ? null : deep(sort, filter) }
        }
        const all = yield* measured(samples, () => lists.payments(tenant, query(), now))
        const plain = yield* measured(plainSamples, () => plainPage(sql, query()))
        every.push(...all)
        const place = `${sort.by} ${sort.direction}, ${isFirst ? "first" : "deep"}`
        yield* print(`${name}: ${place}`, told(all, plain))
      }
    }
  }
  yield* print("all of these", told(every, []).slice(0, 3))
})

const listStats = Effect.fnUntraced(function* (
  kinds: Readonly<Record<string, Draw>>,
  count: number,
) {
  const sql = yield* SqlClient.SqlClient
  for (const [name, draw] of Object.entries(kinds)) {
    // Each asks for the first time, and then again.
    const again: Array<number> = []
    const all = yield* measured(count, () =>
      Stats.make(sql).paymentStats(tenant, filterOf(draw()), now),
    )
    for (let index = 0; index < count; index++) {
      const stats = Stats.make(sql)
      const filter = filterOf(draw())
      yield* stats.paymentStats(tenant, filter, now)
      again.push(...(yield* measured(1, () => stats.paymentStats(tenant, filter, now))))
    }
    const plain = yield* measured(plainSamples, () => plainStats(sql, filterOf(draw())))
    yield* print(name, [...told(all, plain), percentile(again, 0.99).toFixed(1)])
  }
})

/** Creates and changes payments, a few at once, and tells the milliseconds that each write took. */
const writeSome = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, name: string) {
  const storage = {
    ...Decisions.make(sql, StorageTime.make(sql, Infinity)),
    ...Outflows.make(sql, StorageTime.make(sql, Infinity)),
  }
  const world = Fixtures.make(name)
  const startedAt = performance.now()
  let count = 0
  const write = (next: Change.Write) => {
    count += 1
    return Fixtures.store(storage, {
      payments: next.payments.map(({ due, payment }) => ({ payment, due, claims: [], ledger: [] })),
      outflows: [],
    })
  }
  const writePath = (path: ReadonlyArray<Change.Write>) => Effect.forEach(path, write)
  yield* Effect.forEach(
    Array.from({ length: writes }),
    () => writePath(world.path("settled", { referenceId: `order ${random(1_000_000)}` })),
    { concurrency: 8, discard: true },
  )
  return (performance.now() - startedAt) / count
})

const compareWrites = Effect.fnUntraced(function* (url: string) {
  const admin = yield* SqlClient.SqlClient
  const name = `florin_bench_${process.pid}`
  yield* admin`CREATE DATABASE ${admin.literal(name)}`
  const other = new URL(url)
  other.pathname = `/${name}`
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.run()
    // What follows payments is written by triggers.
    yield* sql`ALTER TABLE florin.payments DISABLE TRIGGER USER`
    const [before, after] = [new Array<number>(), new Array<number>()]
    for (let turn = 0; turn <= turns; turn++) {
      const [old, current] = [
        yield* writeSome(sql, `old${process.pid}x${turn}`),
        yield* writeSome(admin, `new${process.pid}x${turn}`),
      ]
      // The first turn warms up.
      if (turn > 0) {
        before.push(old)
        after.push(current)
      }
    }
    const ratio = percentile(
      after.map((each, index) => each / (before[index] ?? Number.NaN)),
      0.5,
    )
    yield* print("a write, 8 at once: now, without triggers, ratio", [
      ...[after, before].map((each) => percentile(each, 0.5).toFixed(2)),
      ratio.toFixed(2),
    ])
  }).pipe(
    Effect.provide(Layer.fresh(Connection.layer({ url: Redacted.make(other.href) }, waitInMs))),
  )
  yield* admin`DROP DATABASE ${admin.literal(name)}`
})

const bench = Effect.fnUntraced(function* (url: string) {
  const sql = yield* SqlClient.SqlClient
  const [there] = yield* sql`SELECT to_regclass('florin.payments') AS there`
  const startedAt = performance.now()
  if (there?.["there"] === null) yield* Seed.seed(payments)
  const [{ count = 0 } = {}] = yield* sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM florin.payments WHERE ${Conditions.isOf(sql, tenant)}`
  process.stdout.write(
    `${count} payments of the tenant, made in ${((performance.now() - startedAt) / 1000).toFixed(0)} s; ${samples} samples each\n\n`,
  )
  yield* print("pages, ms", ["p50", "p95", "p99", "plain p50"])
  yield* listPages(pages)
  yield* print("\nsearches, ms", ["p50", "p95", "p99", "plain p50"])
  yield* listPages(searches)
  yield* print("\nstatistics that are kept, ms", ["p50", "p95", "p99", "plain p50", "again p99"])
  yield* listStats(kept, samples)
  yield* print("\nthat are computed, ms", ["p50", "p95", "p99", "plain p50", "again p99"])
  yield* listStats(computed, Math.ceil(samples / 20))
  yield* print("\nwrites, ms", [])
  yield* compareWrites(url)
})

/** A server with memory for its indexes, as one with this many payments has. */
const ownServer = Effect.gen(function* () {
  const server = yield* Server.make
  const client = Connection.layer({ url: Redacted.make(server.url) })
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER SYSTEM SET shared_buffers = '2GB'`
  }).pipe(Effect.provide(Layer.fresh(client)))
  yield* server.stop("fast")
  yield* server.start
  return server.url
})

await Effect.runPromise(
  Effect.gen(function* () {
    const url = process.env["DATABASE_URL"] ?? (yield* ownServer)
    yield* bench(url).pipe(Effect.provide(Connection.layer({ url: Redacted.make(url) }, waitInMs)))
  }).pipe(Effect.scoped),
)
