import { assert, describe, layer } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import type * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import type { Tenant } from "@florin/core/ports/AccountStore"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Struct from "effect/Struct"
import * as Conditions from "../src/storage/Conditions.ts"
import * as Lists from "../src/storage/Lists.ts"
import * as PaymentRow from "../src/storage/PaymentRow.ts"
import * as Stats from "../src/storage/Stats.ts"
import { database } from "../test-support/databases.ts"
import * as Plans from "../test-support/plans.ts"
import { sorts, tokens } from "./questions.ts"

const { now } = Fixtures
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const generatedRows = 50_000

// ---------------------------------------------------------------------------------------------------------------
// Plans

const tenant: Tenant = { partnerId: PartnerId.PartnerId.make("prtn_many"), mode: "live" }
const merchantOf = (index: number) => MerchantId.MerchantId.make(`mrch_many${index}`)

/** Payments of a big tenant and of smaller ones, most of them succeeded. But for its id they share one document, and are made once. */
const generate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [one] =
    yield* sql`SELECT 1 FROM florin.payments WHERE ${Conditions.isOf(sql, tenant)} LIMIT 1`
  if (one !== undefined) return
  const document = PaymentRow.document.encode(
    Fixtures.paymentAfter(Fixtures.make("many").path("created")),
  )
  const addresses = tokens.map((token) => token.address)
  const chainIds = tokens.map((token) => token.chainId)
  yield* sql`INSERT INTO florin.payments (id, tenant, merchant, revision, created_at, expires_at, standing,
      reference, amount_group, amount, chain, asset, customer, updated_at, state_version, document)
    SELECT 'pay_many' || lpad(n::text, 8, '0'),
      florin.numbered(CASE WHEN n % 11 = 0 THEN 'prtn_other' || n % 100 ELSE ${tenant.partnerId}::text END || '/' || ${tenant.mode}),
      florin.numbered('mrch_many' || n % 37), 1, ${now}::bigint + n * 1000, ${now / 1000}::bigint + n + 900,
      array_position(${PaymentState.statuses}::text[], CASE WHEN n % 1000 = 1 THEN 'processing' WHEN n % 200 = 2 THEN 'requires_action'
        WHEN n % 50 = 3 THEN 'failed' WHEN n % 20 = 4 THEN 'expired' WHEN n % 500 = 6 THEN 'cancelled'
        ELSE 'succeeded' END),
      'order ' || n % 1000 || '-' || n || '/2026', CASE WHEN n % 3 = 0 THEN 'fiat/EUR' ELSE 'fiat/USD' END,
      n::bigint * 7919 % 100000 + 1,
      florin.numbered((${chainIds}::text[])[1 + n % ${tokens.length}]),
      florin.numbered((${addresses}::text[])[1 + n % ${tokens.length}]),
      florin.packed('payer' || n % 5000), ${now}::bigint + n * 1000, 0, jsonb_set(${document}::jsonb, '{id}', to_jsonb('pay_many' || lpad(n::text, 8, '0')))
    FROM generate_series(1, ${generatedRows}::integer) AS n`
  yield* sql`VACUUM ANALYZE florin.payments`
})

/** What is read of payments in the statement that a page takes: a part that is left out is not read. */
const scansOf = Effect.fnUntraced(function* (query: PaymentQuery.PaymentQuery) {
  const sql = yield* SqlClient.SqlClient
  const at = now + generatedRows * 1000
  const { roots } = yield* Plans.explained(Lists.make(sql).payments(tenant, query, at))
  const [root, ...others] = roots
  assert.deepStrictEqual(others, [], "statements beyond one for a page")
  // Two filters may name tokens that have nothing in common: then there is nothing to ask.
  if (root === undefined) return []
  return Plans.nodes(root).filter(
    (node) => node["Relation Name"] === "payments" && (node["Actual Loops"] ?? 0) > 0,
  )
})

/** How many rows of payments were looked at, the ones left out too. */
const rowsRead = (scans: ReadonlyArray<Plans.Node>): number =>
  scans.reduce(
    (sum, scan) =>
      sum +
      ((scan["Actual Rows"] ?? 0) +
        (scan["Rows Removed by Filter"] ?? 0) +
        (scan["Rows Removed by Index Recheck"] ?? 0)) *
        (scan["Actual Loops"] ?? 1),
    0,
  )

/** The ids of a page and of one payment more, by the conditions alone. */
const plainPage = Effect.fnUntraced(function* (query: PaymentQuery.PaymentQuery) {
  const sql = yield* SqlClient.SqlClient
  const { filter, sort, after } = query
  const shortened = Conditions.shorten(filter)
  if (shortened === null) return []
  const direction = sql.literal(sort.direction)
  const [columns, place] =
    sort.by === "date"
      ? [["created_at", "id"], sql`${after?.value ?? 0}::bigint, ${after?.id ?? ""}`]
      : [
          ["amount_group", "amount", "id"],
          sql`${after?.group ?? ""}, ${(after?.value ?? 0).toString()}::numeric, ${after?.id ?? ""}`,
        ]
  const at = now + generatedRows * 1000
  const where = sql.and([
    Conditions.isOf(sql, tenant),
    ...Conditions.of(shortened, { sql, tenant, now: at }).map((each) => each.where),
    ...(after === null
      ? []
      : [
          sql`(${sql.literal(columns.join())}) ${sql.literal(sort.direction === "asc" ? ">" : "<")} (${place})`,
        ]),
  ])
  const order = sql.csv(columns.map((column) => sql`${sql.literal(column)} ${direction}`))
  const rows = yield* sql<{ readonly id: string }>`
    SELECT id FROM florin.payments WHERE ${where} ORDER BY ${order} LIMIT ${query.limit + 1}`
    .unprepared
  return rows.map(({ id }) => id)
})

/** How many blocks were looked at, of indexes too. */
const blocksRead = (scans: ReadonlyArray<Plans.Node>): number =>
  scans.reduce(
    (sum, scan) => sum + (scan["Shared Hit Blocks"] ?? 0) + (scan["Shared Read Blocks"] ?? 0),
    0,
  )

/** Values of each filter. */
const values: {
  readonly [K in keyof PaymentFilter.Values]: ReadonlyArray<PaymentFilter.Values[K]>
} = {
  createdFrom: [now + 10_000_000],
  createdBefore: [now + 40_000_000],
  tokenSymbols: [PaymentFilter.symbolsOf(["USDC"], BuiltIn.catalog)],
  tokens: [tokens.slice(0, 1), tokens.slice(0, 3)],
  chainIds: [[Eip155.chainId(8453)], [Eip155.chainId(1), Eip155.chainId(8453), Fixtures.chainId]],
  statuses: [["succeeded"], ["expired"], ["requires_action", "processing"], PaymentState.statuses],
  reference: ["order", "-4999/", "77-", "/2026", "+-+"],
  merchantIds: [[merchantOf(1)], [1, 2, 3, 400].map(merchantOf)],
  currencies: [["EUR"], ["USD", "EUR"]],
}

const single: ReadonlyArray<Partial<PaymentFilter.Filter>> = [
  { createdFrom: now + 10_000_000, createdBefore: now + 40_000_000 },
  ...Struct.keys(values).flatMap((key) => values[key].map((value) => ({ [key]: value }))),
]

const queryFor = (
  filter: Partial<PaymentFilter.Filter>,
  sort: PaymentSort.Sort,
  after: PaymentSort.Position | null,
): PaymentQuery.PaymentQuery => ({
  filter: { ...PaymentFilter.unfiltered, ...filter },
  sort,
  limit: 50,
  after,
})

/** A place half way through the list. */
const halfWay = (sort: PaymentSort.Sort): PaymentSort.Position => ({
  group: sort.by === "date" ? "" : "fiat/USD",
  value: sort.by === "date" ? now + generatedRows * 500 : 25_000n,
  id: PaymentId.PaymentId.make("pay_many"),
})

/** Some of every two filters, and the full run takes all: each takes some milliseconds of the database. */
const pairs = Counts.some(
  single.flatMap((left, index) =>
    single.slice(index + 1).map((right) => Object.assign({}, left, right)),
  ),
  20,
)

/** Every filter and two of them, in every order, from the beginning and from half way. */
const manyLists = (): ReadonlyArray<PaymentQuery.PaymentQuery> => [
  // One of these is as long as what is found in the beginning of the list.
  ...Array.from({ length: 20 }, (_, limit) => ({
    ...queryFor({ reference: "order 7-" }, { by: "date", direction: "desc" }, null),
    limit: limit + 1,
  })),
  // Nothing has the last one, and only by amount an index knows that.
  ...[{}, ...single, { currencies: ["JPY"] as const }].flatMap((filter) =>
    sorts.flatMap((sort) => [queryFor(filter, sort, null), queryFor(filter, sort, halfWay(sort))]),
  ),
  ...pairs.flatMap((pair) =>
    // Backwards an index is read as forwards.
    sorts.filter(({ direction }) => direction === "desc").map((sort) => queryFor(pair, sort, null)),
  ),
]

layer(database(), { excludeTestServices: true, timeout })("Lists", (it) => {
  describe("a filter that only has a condition", () => {
    it.effect("uses no other filter's index, and no stored statistics", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const unknown: Conditions.Condition = { where: sql`false` }
        const kept = []
        for (const members of [{}, ...single]) {
          const filter = Conditions.shorten({ ...PaymentFilter.unfiltered, ...members })
          if (filter === null) return assert.fail("it lets something through")
          const known = Conditions.of(filter, { sql, tenant, now })
          for (const conditions of [
            [...known, unknown],
            [unknown, ...known],
          ]) {
            for (const by of PaymentSort.orders) assert.isNull(Lists.indexFor(conditions, by))
            assert.isFalse(Stats.hasSums({ filter, conditions }))
            assert.isFalse(Stats.hasCustomers({ filter, conditions }))
          }
          kept.push(Stats.hasSums({ filter, conditions: known }))
        }
        assert.includeMembers(kept, [true, false])
      }),
    )
  })

  describe("plans", () => {
    it.effect(
      "no list reads all payments, for any filters and order",
      () =>
        Effect.gen(function* () {
          yield* generate
          for (const query of manyLists()) {
            const scans = yield* scansOf(query)
            assert.deepStrictEqual(
              scans.filter((scan) => scan["Node Type"].includes("Seq Scan")),
              [],
              JSON.stringify([query.filter, query.sort]),
            )
          }
        }),
      timeout,
    )

    it.effect(
      "a page of many payments starts with the payments that pass",
      () =>
        Effect.gen(function* () {
          yield* generate
          const lists = Lists.make(yield* SqlClient.SqlClient)
          for (const query of manyLists()) {
            const expected = yield* plainPage(query)
            const page = yield* lists.payments(tenant, query, now + generatedRows * 1000)
            assert.deepStrictEqual(
              { ids: page.items.map(({ id }) => String(id)), hasMore: page.hasMore },
              { ids: expected.slice(0, query.limit), hasMore: expected.length > query.limit },
              JSON.stringify([query.filter, query.sort, query.after?.id]),
            )
          }
        }),
      timeout,
    )

    it.effect("a page of a time range is read from the end of the previous page", () =>
      Effect.gen(function* () {
        yield* generate
        const filter = { createdFrom: now + 1_000_000, createdBefore: now + 49_000_000 }
        for (const direction of ["asc", "desc"] as const) {
          const sort = { by: "date", direction } as const
          const [first = 0, later = 0] = yield* Effect.forEach([null, halfWay(sort)], (after) =>
            Effect.map(scansOf(queryFor(filter, sort, after)), blocksRead),
          )
          assert.isAbove(first, 0)
          assert.isAtMost(later, first * 1.5)
        }
      }),
    )

    it.effect("a page of currencies by amount starts with each currency", () =>
      Effect.gen(function* () {
        yield* generate
        for (const currencies of values.currencies) {
          for (const sort of sorts.filter(({ by }) => by === "amount")) {
            const read = rowsRead(yield* scansOf(queryFor({ currencies }, sort, null)))
            // A page and one more of each, and their documents.
            assert.isAtMost(read, 51 * (currencies.length + 1))
            assert.isAtLeast(read, 2 * 51)
          }
        }
      }),
    )

    it.effect(
      "a page costs the same anywhere in the list, by date with one filter and by amount without",
      () =>
        Effect.gen(function* () {
          yield* generate
          const byDate = sorts.filter((sort) => sort.by === "date")
          const lists = [
            ...sorts.map((sort) => ({ filter: {}, sort })),
            ...single
              .filter((filter) => !("reference" in filter))
              .flatMap((filter) => byDate.map((sort) => ({ filter, sort }))),
          ]
          for (const { filter, sort } of lists) {
            for (const after of [null, halfWay(sort)]) {
              const read = rowsRead(yield* scansOf(queryFor(filter, sort, after)))
              assert.isAbove(read, 0, JSON.stringify([filter, sort, after?.id]))
              // A page and one more, of each value that the filter names.
              assert.isAtMost(read, 51 * 10, JSON.stringify([filter, sort, after?.id]))
            }
          }
        }),
      timeout,
    )
  })
})
