/**
 * What one payment writes, from its creation until its share is paid out: rows of each table, as the database counts
 * them. Nothing that runs next to the test changes these numbers.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as StoragePostgres from "../../../postgres/src/StoragePostgres.ts"
import * as Databases from "../../../postgres/test-support/databases.ts"
import { assets, register } from "../operations/settlements.ts"
import * as Scene from "../scene.ts"

const database = Databases.database()
const layer = Layer.merge(
  Scene.layer({ beforeStorage: Layer.provide(StoragePostgres.layer, database) }),
  database,
)

const payments = 20

/** How many rows of each table one payment may write. Payments of one payout share some of them. */
const most: { readonly [what: string]: number } = {
  "api_keys update": 0.1,
  "audit_log insert": 1,
  "claims insert": 2.2,
  "due_work delete": 3.2,
  "due_work insert": 3.2,
  "due_work update": 4.5,
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
  "stats_changes insert": 5,
}

/** Triggers on every table, which count the rows that are written. */
const countRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE public.written (relation text, operation text)`
  yield* sql.unsafe(`CREATE FUNCTION public.count_row() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO public.written VALUES (TG_TABLE_NAME, lower(TG_OP));
      RETURN NULL;
    END$$`)
  const tables = yield* sql<{ readonly name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'florin'`
  for (const { name } of tables) {
    yield* sql`CREATE TRIGGER counted AFTER INSERT OR UPDATE OR DELETE ON florin.${sql(name)}
      FOR EACH ROW EXECUTE FUNCTION public.count_row()`
  }
})

describe("a payment", () => {
  it.effect(
    "writes no more rows than these",
    () =>
      Effect.gen(function* () {
        const { own, walletKey } = yield* Scene.make
        yield* register(own.key, own.merchantId, [assets.usdcOnBase])
        yield* countRows
        for (let index = 0; index < payments; index += 1) {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          yield* Scene.confirm(walletKey, id)
        }
        const sql = yield* SqlClient.SqlClient
        const isOpen = sql`SELECT FROM florin.payments LEFT JOIN florin.entries USING (id)
        WHERE entries.document #> '{state,entry,settled}' IS NULL`
        for (let round = 0; round < 40 && (yield* isOpen).length > 0; round += 1) {
          yield* Scene.work
          yield* (yield* SimulatedChain).settle(8453)
          yield* TestClock.adjust("5 seconds")
        }
        assert.lengthOf(yield* isOpen, 0)
        const rows = yield* sql<{ readonly what: string; readonly count: number }>`
        SELECT relation || ' ' || operation AS what, count(*)::integer AS count FROM public.written
        GROUP BY relation, operation ORDER BY 1`
        const each = Object.fromEntries(rows.map(({ count, what }) => [what, count / payments]))
        const beyond = Object.entries(each).filter(([what, count]) => count > (most[what] ?? 0))
        assert.deepStrictEqual(
          beyond,
          [],
          "more rows than before: raise the limit only for a reason",
        )
      }).pipe(Effect.provide(layer)),
    120_000,
  )
})
