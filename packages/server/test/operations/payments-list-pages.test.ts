import { assert, describe, layer } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import { Effect, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Scene from "../scene.ts"
import * as TestStorage from "../storage.ts"
import * as Catalogue from "./catalogue.ts"
import * as Payments from "./payments.ts"

const { all, cursorOf, expected, get, idsOf, play, Stock, stocked } = Payments

type Query = Payments.Query

/** Every page of a list, one after another. */
const pages = Effect.fnUntraced(function* (
  request: (query: Query) => Scene.Sent,
  query: Query,
  limit: number,
  between: Effect.Effect<void, never, Scene.Ports> = Effect.void,
) {
  const bodies: Array<Scene.Json> = []
  let cursor: string | null = null
  do {
    const more: Query = cursor === null ? [] : [["cursor", cursor]]
    const { body } = yield* get(request([...query, ["limit", String(limit)], ...more]))
    bodies.push(body)
    cursor = cursorOf(body)
    yield* between
    if (bodies.length > 500) return assert.fail("the pages have no end")
  } while (cursor !== null)
  return bodies
})

// Filters against the model.

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** A list that may be asked for. */
const Drawn = Schema.Struct({
  /** The filters that count, by their place in {@link filters}: many at once let nothing through. */
  used: Schema.Array(upTo(9)).check(Schema.isMaxLength(5)),
  sort: upTo(4),
  limit: upTo(20),
  from: upTo(62),
  before: upTo(62),
  symbols: upTo(7),
  asset: upTo(4),
  chains: upTo(7),
  statuses: upTo(31),
  reference: upTo(11),
  merchants: upTo(7),
  only: upTo(3),
  currencies: upTo(7),
})

const filters = [
  "from",
  "before",
  "symbols",
  "asset",
  "chains",
  "statuses",
  "reference",
  "merchants",
  "only",
  "currencies",
] as const

type Chosen = Readonly<Record<(typeof filters)[number] | "sort", number>>

const unfiltered: Chosen = {
  from: 0,
  before: 0,
  symbols: 0,
  asset: 0,
  chains: 0,
  statuses: 0,
  reference: 0,
  merchants: 0,
  only: 0,
  currencies: 0,
  sort: 0,
}

const chosenOf = (drawn: typeof Drawn.Type): Chosen => {
  const used = new Set(drawn.used.map((at) => filters[at]))
  const chosen = filters.filter((name) => used.has(name)).map((name) => [name, drawn[name]])
  return { ...unfiltered, ...Object.fromEntries(chosen), sort: drawn.sort }
}

const symbols = ["USDC", "EURC", "USDT"]
const chainIds = [8453, 56, 137]
const statuses = ["requires_action", "processing", "succeeded", "failed", "expired"]
const currencies = ["USD", "EUR", "JPY"]
const parts = [
  "order",
  "ORDER-1",
  "a.b",
  "axb",
  "1/a",
  "a+b,c:d",
  " of ",
  "100",
  "zzz",
  "mat",
  "ER 1",
]
const sorts = [
  {},
  { sortBy: "date", sortDir: "asc" },
  { sortBy: "amount" },
  { sortBy: "amount", sortDir: "asc" },
  { sortDir: "desc" },
] as const

/** Those whose bit is set; none for 0. */
const byBits = <A>(values: ReadonlyArray<A>, bits: number): ReadonlyArray<A> | undefined =>
  bits === 0 ? undefined : values.filter((_, at) => ((bits >> at) & 1) === 1)

const present = <A extends object>(members: A) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const wantedOf = (chosen: Chosen, merchantIds: ReadonlyArray<string>): Catalogue.Wanted => ({
  ...present({
    // On, before and after the moments at which payments were made.
    from:
      chosen.from === 0 ? undefined : Catalogue.createdAt(chosen.from) + ((chosen.from % 3) - 1),
    before:
      chosen.before === 0
        ? undefined
        : Catalogue.createdAt(chosen.before) + ((chosen.before % 3) - 1),
    symbols: byBits(symbols, chosen.symbols),
    asset: chosen.asset === 0 ? undefined : Catalogue.tokens[chosen.asset - 1],
    chainIds: byBits(chainIds, chosen.chains),
    statuses: byBits(statuses, chosen.statuses),
    reference: chosen.reference === 0 ? undefined : parts[chosen.reference - 1],
    merchantIds: byBits(merchantIds, chosen.merchants),
    only: chosen.only === 0 ? undefined : merchantIds[chosen.only - 1],
    currencies: byBits(currencies, chosen.currencies),
  }),
  ...sorts[chosen.sort],
})

const drawn = (minLength: number, maxLength: number) =>
  Arbitrary.array(Arbitrary.schema(Drawn), { minLength, maxLength })

layer(Stock.layer)("lists that do not change", (test) => {
  describe("the filters of a list of payments", () => {
    test.effect.prop(
      "return what a plain model returns, page by page, with the statistics of the whole list",
      [drawn(30, 60)],
      ([list]) =>
        Effect.gen(function* () {
          const { known, merchantIds, world } = yield* Stock
          const { key } = world.own
          for (const each of list) {
            const wanted = wantedOf(chosenOf(each), merchantIds)
            const { only: merchantId } = wanted
            const headers = merchantId === undefined ? {} : { "Merchant-Id": merchantId }
            const limit = each.limit + 1
            const bodies = yield* pages(
              (query) => ({ ...all(key, query), headers }),
              Catalogue.query(wanted),
              limit,
            )
            const chosen = Catalogue.select(known, wanted)
            const message = JSON.stringify(wanted)
            assert.deepStrictEqual(bodies.flatMap(idsOf), expected(chosen), message)
            assert.lengthOf(bodies, Math.max(1, Math.ceil(chosen.length / limit)), message)
            for (const body of bodies) {
              assert.deepStrictEqual(Scene.at(body, "stats"), Catalogue.stats(chosen), message)
            }
          }
        }),
      {
        arbitrary: { runs: Counts.of({ usual: TestStorage.isDatabase ? 3 : 12, full: 200 }) },
        timeout: 600_000,
      },
    )
  })

  describe("the cursor of a list of payments", () => {
    const refuses = Effect.fnUntraced(function* (sent: Scene.Sent) {
      assert.deepStrictEqual(Scene.fieldsOf(yield* Scene.send(sent)), ["cursor"], sent.path)
    })

    const first = Effect.fnUntraced(function* (key: string, query: Query = []) {
      const { body } = yield* get(all(key, [...query, ["limit", "3"]]))
      return Scene.text(body, "nextCursor")
    })

    test.effect(
      "is refused by a list with another filter, or if it is of a list of merchants",
      () =>
        Effect.gen(function* () {
          const { world } = yield* Stock
          const { key } = world.own
          const merchants = yield* get({ path: "/v1/merchants?limit=1", key })
          yield* refuses(all(key, [["cursor", Scene.text(merchants.body, "nextCursor")]]))
          const filtered: Query = [["status", "succeeded"]]
          const cursor = yield* first(key, filtered)
          yield* get(all(key, [...filtered, ["cursor", cursor]]))
          yield* refuses(all(key, [["cursor", cursor]]))
        }),
    )
  })
})

// Pages.

describe("the pages of a list of payments", () => {
  play("have 50 items by default, and 1 to 200 with a limit", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      for (let count = 0; count < 201; count += 1) yield* Scene.createPayment(key, merchantId)
      for (const [query, size] of [
        [[], 50],
        [[["limit", "1"]], 1],
        [[["limit", "49"]], 49],
        [[["limit", "199"]], 199],
        [[["limit", "200"]], 200],
      ] as const) {
        const { body } = yield* get(all(key, query))
        assert.lengthOf(idsOf(body), size)
        assert.isNotNull(cursorOf(body))
        assert.strictEqual(Scene.at(body, "stats", "totalTransactions"), 201)
        assert.deepStrictEqual(Object.keys(Object(body)).toSorted(), [
          "data",
          "nextCursor",
          "stats",
        ])
      }
      const first = yield* get(all(key, [["limit", "200"]]))
      const rest = yield* get(all(key, [["cursor", Scene.text(first.body, "nextCursor")]]))
      assert.lengthOf(idsOf(rest.body), 1)
      assert.isNull(cursorOf(rest.body))
    }),
  )

  play(
    "show every payment that matches the filter all the time, while others stop matching",
    (world) =>
      Effect.gen(function* () {
        const { known } = yield* stocked(world)
        const { key } = world.own
        const open = known.filter(({ status }) => status === "requires_action")
        let turn = 0
        const left = new Set<string>()
        const disturb = Effect.gen(function* () {
          const leaving = open[turn]
          turn += 2
          if (leaving === undefined) return
          left.add(leaving.id)
          yield* Scene.send({ method: "POST", path: `/v1/payments/${leaving.id}/cancel`, key })
        })
        const query: Query = [["status", "requires_action"]]
        const bodies = yield* pages((each) => all(key, each), query, 2, disturb)
        const shown = bodies.flatMap(idsOf)
        assert.isAbove(left.size, 1)
        assert.strictEqual(new Set(shown).size, shown.length)
        const stayed = Catalogue.select(open, {}).filter(({ id }) => !left.has(id))
        assert.deepStrictEqual(
          shown.filter((id) => !left.has(id)),
          expected(stayed),
        )
      }),
  )
})

// Stats.

describe("the stats of a list of payments", () => {
  play("add up succeeded payments by currency, exactly to the minor unit", (world) =>
    Effect.gen(function* () {
      const { key, merchantId, partner } = world.own
      const [base, bsc, eurc] = Catalogue.tokens
      const owner = { partnerId: partner.id, mode: "test" } as const
      const units = [
        [["USD", 2], 10n],
        [["USD", 2], 20n],
        [["USD", 2], 9_007_199_254_740_93n],
        [["EUR", 2], 1n],
        [base, 1_500_000n],
        [bsc, 1n],
        [eurc, 999_999n],
      ] as const
      for (const [unit, value] of units) {
        for (const stage of ["owed", "confirmed", "failed", "refunded"] as const) {
          if (stage === "refunded" && unit !== eurc) continue
          yield* Catalogue.put(owner, {
            stage,
            merchantId,
            referenceId: "ORDER",
            unit,
            value,
            createdAt: Scene.now,
            paidIn: base,
            payer: "payer",
          })
        }
      }
      const { body, text } = yield* get(all(key, [["limit", "1"]]))
      assert.deepStrictEqual(Scene.at(body, "stats", "totalTransactions"), 22)
      assert.deepStrictEqual(Scene.at(body, "stats", "totalCustomers"), 1)
      const revenue = JSON.stringify([
        { amount: 0.01, currency: "EUR" },
        { amount: 1.999998, currency: "EURC" },
        { amount: 9_007_199_254_741.23, currency: "USD" },
        { amount: 1.5, currency: "USDC" },
      ])
      assert.include(text, `"totalRevenue":${revenue}`)
    }),
  )
})
