/**
 * What one payment costs the database, from its creation until its share is paid out, as the server itself counts it.
 * Nothing that runs next to the test changes these numbers.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as Connection from "../../../postgres/src/Connection.ts"
import * as Migrations from "../../../postgres/src/Migrations.ts"
import * as StoragePostgres from "../../../postgres/src/StoragePostgres.ts"
import * as StorageTime from "../../../postgres/src/StorageTime.ts"
import * as Costs from "../../../postgres/test-support/costs.ts"
import { assets, register } from "../operations/settlements.ts"
import * as Scene from "../scene.ts"

const database = Layer.effectDiscard(Migrations.run()).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(Costs.server(), ({ url }) => Connection.layer({ url: Redacted.make(url) })),
    ),
  ),
  Layer.orDie,
  Layer.merge(StorageTime.layerUnchecked),
)
const layer = Layer.merge(
  Scene.layer({ beforeStorage: Layer.provide(StoragePostgres.layer, database) }),
  database,
)

const payments = 100

/**
 * What one payment may cost at most. Raise a limit only for a reason. Bytes of the log differ by 250 from run to run, as
 * ids are random and so is which page of an index splits.
 */
const most = {
  statements: 18.5,
  commits: 5.4,
  walBytes: 19_200,
  storedBytes: 9_800,
}

/** How many rows of each table one payment may write. Payments of one payout share some of them. */
const mostRows: { readonly [what: string]: number } = {
  "api_keys update": 0.1,
  "audit_log insert": 1,
  "claims insert": 2.2,
  "due_work delete": 3.2,
  "due_work insert": 3.2,
  "due_work update": 4,
  "entries insert": 1,
  "entries update": 2,
  "events insert": 4,
  "lane_transactions insert": 1.2,
  "lanes insert": 0.2,
  "lanes update": 1.2,
  "ledger_balances insert": 0.3,
  "ledger_balances update": 2.2,
  "ledger_transactions insert": 2,
  "merchant_movements insert": 2,
  "outbox insert": 4,
  "outflows insert": 0.2,
  "outflows update": 0.4,
  "payment_references insert": 1,
  "payments insert": 1,
  "payments update": 3,
  "payout_merchants insert": 0.2,
  "resting_transfers insert": 1.2,
  "stats_changes delete": 5,
  "stats_changes insert": 3,
  "stats_customers insert": 0.2,
  "stats_customers update": 0.2,
  "stats_payers insert": 0.1,
  "stats_payers update": 0.1,
  "stats_totals insert": 0.2,
  "stats_totals update": 0.4,
}

/**
 * The server counts rows of a transaction that was rolled back too, and one that collided is repeated: some rows for all
 * payments, where a row more for each payment, or for each payout of fifty, is what must be found.
 */
const repeated = 0.019

/** Tables that have few rows however many payments there are, so that reading all of them is right. */
const small = new Set(["lanes", "stats_changes"])

/** Pays many at a time, and settles all of them. */
const pay = Effect.fnUntraced(function* (
  { key, merchantId }: { readonly key: string; readonly merchantId: string },
  walletKey: string,
) {
  for (let index = 0; index < payments; index += 1) {
    const id = yield* Scene.createPayment(key, merchantId)
    yield* Scene.confirm(walletKey, id)
  }
  for (let round = 0; round < 15; round += 1) {
    yield* Scene.work
    yield* (yield* SimulatedChain).settle(8453)
    yield* TestClock.adjust("5 seconds")
  }
})

/** Each of some counts for one payment, those beyond `limit` only. */
const beyond = (
  counts: Readonly<Record<string, number>>,
  limit: (name: string) => number,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(counts)
      .map(([name, count]): [string, number] => [name, count / payments])
      .filter(([name, each]) => each > limit(name)),
  )

const sum = (counts: ReadonlyArray<number>): number =>
  counts.reduce((total, count) => total + count, 0)

describe("a payment", () => {
  it.effect(
    "costs the database at most the recorded statements, rows and bytes",
    () =>
      Effect.gen(function* () {
        const { own, walletKey } = yield* Scene.make
        yield* register(own.key, own.merchantId, [assets.usdcOnBase])
        const empty = yield* Costs.sizes
        // The first ones are planned anew each time, and read tables of one page.
        yield* pay(own, walletKey)
        const { commits, scanned, statements, walBytes, written } = yield* Costs.of(
          pay(own, walletKey),
        )
        const sql = yield* SqlClient.SqlClient
        const unsettled = yield* sql`SELECT FROM florin.payments LEFT JOIN florin.entries USING (id)
          WHERE entries.document #> '{state,entry,settled}' IS NULL`
        assert.lengthOf(unsettled, 0)
        yield* Costs.pack
        const stored = Costs.growth(empty, yield* Costs.sizes)
        const costs = {
          statements: sum(statements.map(({ calls }) => calls)),
          commits,
          walBytes,
          storedBytes: sum(Object.values(stored)) / 2,
        }
        const isMost = (name: string): name is keyof typeof most => Object.hasOwn(most, name)
        const more = {
          costs: beyond(costs, (name) => (isMost(name) ? most[name] : 0)),
          rows: beyond(written, (name) => (mostRows[name] ?? 0) + repeated),
          scanned: beyond(scanned, (name) => (small.has(name) ? Infinity : 0)),
        }
        assert.deepStrictEqual(
          more,
          { costs: {}, rows: {}, scanned: {} },
          `more than before, for each payment: ${JSON.stringify(more)}`,
        )
      }).pipe(Effect.provide(layer)),
    600_000,
  )
})
