import { assert, describe, layer } from "@effect/vitest"
import * as Asset from "@florin/core/domain/Asset"
import * as Caip from "@florin/core/domain/Caip"
import * as Merchant from "@florin/core/domain/Merchant"
import type * as Payment from "@florin/core/domain/Payment"
import * as PaymentId from "@florin/core/domain/PaymentId"
import * as PaymentQuery from "@florin/core/domain/PaymentQuery"
import * as PaymentState from "@florin/core/domain/PaymentState"
import type { Tenant } from "@florin/core/ports/Storage"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Decisions from "../src/storage/Decisions.ts"
import * as Lists from "../src/storage/Lists.ts"
import * as PaymentRow from "../src/storage/PaymentRow.ts"
import { database } from "./databases.ts"

const { now } = Fixtures
const timeout = Counts.of({ usual: 120_000, full: 3_600_000 })
const runs = Counts.of({ usual: 25, full: 2000 })
const queriesPerList = 12
const generatedRows = 50_000

const sorts: ReadonlyArray<PaymentQuery.Sort> = [
  { by: "date", direction: "desc" },
  { by: "date", direction: "asc" },
  { by: "amount", direction: "desc" },
  { by: "amount", direction: "asc" },
]

/** Every contract of two symbols. */
const tokens = Asset.all
  .filter(({ symbol }) => symbol === "USDC" || symbol === "EURC")
  .map(({ token }) => token)
/** Some of them, and one that no table knows. */
const paidIn = [...tokens.slice(0, 5), Fixtures.token("unlisted")]
const units = [
  "iso4217/USD",
  "iso4217/JPY",
  ...tokens.slice(0, 3).map((token) => `caip19/${Caip.formatToken(token)}`),
]
const merchants = ["mrch_a", "mrch_b", "mrch_B", "mrch_c"].map((id) => Merchant.MerchantId.make(id))
const values = ["1", "2", "10", "340282366920938463463374607431768211456"]
/** What a pattern language would take for its own, and letters that fold in some languages only. */
const letters = ["a", "B", "%", "_", "\\", " ", "/", "'", "ü", "İ", "K"]

const upTo = (last: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: last }))
const indexOf = (list: ReadonlyArray<unknown>) => upTo(list.length - 1)
const some = <S extends Schema.Top>(item: S) => Schema.Array(item).check(Schema.isMaxLength(4))
const letter = Schema.Literals(letters)

const Seed = Schema.Struct({
  stage: Schema.Literals(Fixtures.stages),
  merchant: indexOf(merchants),
  unit: indexOf(units),
  value: indexOf(values),
  paidIn: indexOf(paidIn),
  payer: upTo(3),
  at: upTo(5),
  lifeInS: upTo(5),
  reference: Schema.Array(letter).check(Schema.isMaxLength(8)),
})

const members = [
  "createdFrom",
  "createdBefore",
  "tokenSymbols",
  "tokens",
  "chainIds",
  "statuses",
  "reference",
  "merchantIds",
] as const

const Asked = Schema.Struct({
  /** What the query filters by: a few members only, as with more there is hardly ever anything left. */
  by: Schema.Array(Schema.Literals(members)).check(Schema.isMaxLength(3)),
  createdFrom: upTo(6),
  createdBefore: upTo(6),
  tokenSymbols: some(Schema.Literals(["USDC", "EURC", "USDT"])),
  tokens: some(indexOf(paidIn)),
  chainIds: some(indexOf(paidIn)),
  statuses: some(Schema.Literals(PaymentState.statuses)),
  reference: Schema.Array(letter).check(Schema.isMinLength(1), Schema.isMaxLength(4)),
  merchantIds: some(indexOf(merchants)),
  sort: indexOf(sorts),
  limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })),
  /** The payment that the page follows; beyond the last one, it follows none. */
  after: upTo(59),
  /** Seconds after the first payment was created: the times of payments end around it. */
  at: upTo(70),
})

const pick = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index % list.length]
  if (found === undefined) throw new Error("there is nothing to pick from")
  return found
}

const grown = (world: Fixtures.Fixtures, seed: typeof Seed.Type): Payment.Payment => {
  const at = now + seed.at * 1000
  const token = pick(paidIn, seed.paidIn)
  return Fixtures.reached(
    world.path(
      seed.stage,
      {
        merchantId: pick(merchants, seed.merchant),
        amount: { unit: pick(units, seed.unit), value: pick(values, seed.value) },
        referenceId: `x${seed.reference.join("")}`,
        now: at,
        expiresAt: at / 1000 + 60 + seed.lifeInS,
      },
      { token, account: Fixtures.account(`payer ${seed.payer}`, token.chainId) },
    ),
  )
}

const queryOf = (
  asked: typeof Asked.Type,
  payments: ReadonlyArray<Payment.Payment>,
): PaymentQuery.PaymentQuery => {
  const sort = pick(sorts, asked.sort)
  const last = payments[asked.after]
  const filter: PaymentQuery.Filter = {
    createdFrom: now + asked.createdFrom * 1000,
    createdBefore: now + asked.createdBefore * 1000,
    tokenSymbols: asked.tokenSymbols,
    tokens: asked.tokens.map((index) => pick(paidIn, index)),
    chainIds: asked.chainIds.map((index) => pick(paidIn, index).chainId),
    statuses: asked.statuses,
    reference: PaymentQuery.foldAscii(asked.reference.join("")),
    merchantIds: asked.merchantIds.map((index) => pick(merchants, index)),
  }
  const open = members.filter((member) => !asked.by.includes(member))
  return {
    filter: { ...filter, ...Object.fromEntries(open.map((member) => [member, null])) },
    sort,
    limit: asked.limit,
    after: last === undefined ? null : PaymentQuery.position(last, sort),
  }
}

let worlds = 0

const property = Effect.fnUntraced(function* (
  seeds: ReadonlyArray<typeof Seed.Type>,
  questions: ReadonlyArray<typeof Asked.Type>,
) {
  const sql = yield* SqlClient.SqlClient
  const storage = { ...Decisions.make(sql), ...Lists.make(sql) }
  const world = Fixtures.make(`l${++worlds}`)
  const payments = seeds.map((seed) => grown(world, seed))
  yield* Effect.forEach(
    payments,
    (payment) =>
      storage.createPayment({ payment, claims: [], ledger: [], due: {} }, null, "{}", now),
    { concurrency: 4 },
  )
  for (const asked of questions) {
    const query = queryOf(asked, payments)
    const at = now + asked.at * 1000
    const expected = PaymentQuery.page(payments, query, at)
    assert.deepStrictEqual(yield* storage.payments(world.tenant, query, at), {
      items: expected.items,
      hasMore: expected.next !== null,
    })
    assert.deepStrictEqual(
      yield* storage.paymentStats(world.tenant, query.filter, at),
      PaymentQuery.stats(payments, query.filter, at),
    )
  }
})

// ---------------------------------------------------------------------------------------------------------------
// Plans

const tenant: Tenant = { partnerId: Merchant.PartnerId.make("prtn_many"), mode: "live" }
const merchantOf = (index: number) => Merchant.MerchantId.make(`mrch_many${index}`)

/** Payments of a big tenant and of smaller ones, most of them succeeded. They share one document, and are made once. */
const generate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [one] = yield* sql`SELECT 1 FROM payments WHERE partner_id = ${tenant.partnerId} LIMIT 1`
  if (one !== undefined) return
  const document = PaymentRow.document.encode(
    Fixtures.reached(Fixtures.make("many").path("created")),
  )
  const addresses = tokens.map((token) => token.address)
  const chainIds = tokens.map((token) => token.chainId.toString())
  yield* sql`INSERT INTO payments (id, partner_id, mode, merchant_id, revision, created_at, expires_at, status,
      reference, amount_group, amount, chain_id, token, payer, is_stuck, document)
    SELECT 'pay_many' || lpad(n::text, 8, '0'),
      CASE WHEN n % 11 = 0 THEN 'prtn_other' || n % 100 ELSE ${tenant.partnerId}::text END, ${tenant.mode},
      'mrch_many' || n % 37, 1, ${now}::bigint + n * 1000, ${now / 1000}::bigint + n + 900,
      CASE WHEN n % 1000 = 1 THEN 'processing' WHEN n % 200 = 2 THEN 'requires_action'
        WHEN n % 50 = 3 THEN 'failed' WHEN n % 20 = 4 THEN 'expired' WHEN n % 500 = 6 THEN 'cancelled'
        ELSE 'succeeded' END,
      'order ' || n % 1000 || '-' || n || '/2026', CASE WHEN n % 3 = 0 THEN 'fiat/EUR' ELSE 'fiat/USD' END,
      n::bigint * 7919 % 100000 + 1,
      (${chainIds}::text[]::bigint[])[1 + n % ${tokens.length}], (${addresses}::text[])[1 + n % ${tokens.length}],
      'payer' || n % 5000, false, ${document}::jsonb
    FROM generate_series(1, ${generatedRows}::integer) AS n`
  yield* sql`VACUUM ANALYZE payments`
})

/** Part of a plan, as EXPLAIN tells it. */
interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}
const Node = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": Schema.optionalKey(Schema.String),
  "Actual Rows": Schema.optionalKey(Schema.Number),
  "Actual Loops": Schema.optionalKey(Schema.Number),
  "Rows Removed by Filter": Schema.optionalKey(Schema.Number),
  "Rows Removed by Index Recheck": Schema.optionalKey(Schema.Number),
  Plans: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Node> => Node))),
})
const decodePlan = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ "QUERY PLAN": Schema.Tuple([Schema.Struct({ Plan: Node })]) })]),
)

const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodes)]

/** What is read of payments in the statement that a page takes. */
const scansOf = Effect.fnUntraced(function* (
  query: PaymentQuery.PaymentQuery,
  options: "" | "ANALYZE, TIMING OFF, ",
) {
  const sql = yield* SqlClient.SqlClient
  const sent: Array<readonly [text: string, parameters: ReadonlyArray<unknown>]> = []
  const listening: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      sent.push(statement.compile())
      return statement
    })
  const at = now + generatedRows * 1000
  yield* Lists.make(sql)
    .payments(tenant, query, at)
    .pipe(Effect.provideService(Statement.CurrentTransformer, listening))
  const [statement, ...others] = sent
  assert.deepStrictEqual(others, [], "statements beyond one for a page")
  // Two filters may name tokens that have nothing in common: then there is nothing to ask.
  if (statement === undefined) return []
  const [text, parameters] = statement
  const explained = yield* sql.unsafe(`EXPLAIN (${options}FORMAT JSON) ${text}`, parameters)
  const [
    {
      "QUERY PLAN": [{ Plan: root }],
    },
  ] = yield* decodePlan(explained)
  return nodes(root).filter((node) => node["Relation Name"] === "payments")
})

/** How many rows of payments were looked at, the ones left out too. */
const rowsRead = (scans: ReadonlyArray<Node>): number =>
  scans.reduce(
    (sum, scan) =>
      sum +
      ((scan["Actual Rows"] ?? 0) +
        (scan["Rows Removed by Filter"] ?? 0) +
        (scan["Rows Removed by Index Recheck"] ?? 0)) *
        (scan["Actual Loops"] ?? 1),
    0,
  )

const single: ReadonlyArray<Partial<PaymentQuery.Filter>> = [
  { createdFrom: now + 10_000_000, createdBefore: now + 40_000_000 },
  { tokenSymbols: ["USDC"] },
  { tokens: tokens.slice(0, 1) },
  { tokens: tokens.slice(0, 3) },
  { chainIds: [Caip.ChainId.make(8453)] },
  { chainIds: [Caip.ChainId.make(1), Caip.ChainId.make(8453), Fixtures.chainId] },
  { statuses: ["succeeded"] },
  { statuses: ["expired"] },
  { statuses: ["requires_action", "processing"] },
  { statuses: PaymentState.statuses },
  { reference: "order" },
  { reference: "-4999/" },
  { reference: "/2026" },
  { reference: "+-+" },
  { merchantIds: [merchantOf(1)] },
  { merchantIds: [1, 2, 3, 400].map(merchantOf) },
]

const queryFor = (
  filter: Partial<PaymentQuery.Filter>,
  sort: PaymentQuery.Sort,
  after: PaymentQuery.Position | null,
): PaymentQuery.PaymentQuery => ({
  filter: { ...PaymentQuery.unfiltered, ...filter },
  sort,
  limit: 50,
  after,
})

/** A place half way through the list. */
const halfWay = (sort: PaymentQuery.Sort): PaymentQuery.Position => ({
  group: sort.by === "date" ? "" : "fiat/USD",
  value: sort.by === "date" ? now + generatedRows * 500 : 25_000n,
  id: PaymentId.PaymentId.make("pay_many"),
})

layer(database(), { excludeTestServices: true, timeout })("Lists", (it) => {
  describe("pages and statistics", () => {
    it.effect.prop(
      "are what the domain makes of the same payments",
      [
        Arbitrary.array(Arbitrary.schema(Seed), { minLength: 5, maxLength: 40 }),
        Arbitrary.array(Arbitrary.schema(Asked), {
          minLength: queriesPerList,
          maxLength: queriesPerList,
        }),
      ],
      ([seeds, questions]) => property(seeds, questions),
      { arbitrary: { runs }, timeout },
    )
  })

  describe("plans", () => {
    it.effect(
      "no list reads all payments, whatever its filters and its order",
      () =>
        Effect.gen(function* () {
          yield* generate
          const lists = [
            ...[{}, ...single].flatMap((filter) =>
              sorts.flatMap((sort) => [
                queryFor(filter, sort, null),
                queryFor(filter, sort, halfWay(sort)),
              ]),
            ),
            ...single.flatMap((left, index) =>
              single.slice(index + 1).flatMap((right) =>
                // Backwards an index is read as forwards.
                sorts
                  .filter(({ direction }) => direction === "desc")
                  .map((sort) => queryFor(Object.assign({}, left, right), sort, null)),
              ),
            ),
          ]
          for (const query of lists) {
            const scans = yield* scansOf(query, "")
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
      "a page costs the same wherever it is, by date with any one filter and by amount with none",
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
              const read = rowsRead(
                yield* scansOf(queryFor(filter, sort, after), "ANALYZE, TIMING OFF, "),
              )
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
