/**
 * How little the database reads to claim work, however much is due.
 *
 * @module
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Claims from "../src/storage/Claims.ts"
import * as DueWork from "../src/storage/DueWork.ts"
import * as Events from "../src/storage/Events.ts"
import { anyTime, database } from "../test-support/databases.ts"

const { now } = Fixtures
const much = 100_000

const options = {
  limit: 64,
  leaseInMs: 30_000,
  now,
  turns: { ofGroup: 24, ofQueue: 16, last: "", groups: [], queues: [] },
}

/** How many entries of a table's indexes were read, and how often all of the table was, until now. */
const reads = (sql: SqlClient.SqlClient, table: string) =>
  Effect.map(
    sql<{ entries: bigint; scans: bigint }>`SELECT
        (SELECT sum(pg_stat_get_xact_tuples_fetched(indexrelid) + pg_stat_get_xact_tuples_returned(indexrelid))
          FROM pg_index WHERE indrelid = ${`florin.${table}`}::regclass)::bigint AS entries,
        pg_stat_get_xact_tuples_returned(${`florin.${table}`}::regclass)::bigint AS scans`,
    ([row]) => row ?? assert.fail("there are statistics"),
  )

describe("Claims", () => {
  layer(database())((it) => {
    it.effect.each([{ queues: 1 }, { queues: 50 }])(
      "S9: claiming work reads few rows while 100,000 items are due in $queues queues",
      ({ queues }) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`TRUNCATE florin.due_work`
          yield* sql`INSERT INTO florin.due_work (subject_id, kind, due_at, lease_until, fence, failures, chain_id, partner_id)
            SELECT 'pay_' || n, 'collect', ${now} - n, 0, 0, 0, 'eip155:1', 'prtn_' || n % ${queues}::integer
            FROM generate_series(1, ${much}::integer) AS n`
          yield* sql`INSERT INTO florin.due_work (subject_id, kind, due_at, lease_until, fence, failures, chain_id, partner_id)
            VALUES ('pay_last', 'collect', ${now}, 0, 0, 0, 'eip155:1', 'prtn_last')`
          yield* sql`ANALYZE florin.due_work`
          yield* sql.withTransaction(
            Effect.gen(function* () {
              const before = yield* reads(sql, "due_work")
              yield* Effect.exit(DueWork.make(sql, anyTime(sql)).claimDue("collect", options))
              const after = yield* reads(sql, "due_work")
              assert.strictEqual(after.scans, before.scans)
              assert.isAbove(Number(after.entries - before.entries), 256)
              assert.isBelow(Number(after.entries - before.entries), 2500)
              // The last one's turn comes with the first claim, though it is due for the shortest time.
              const [last] = yield* sql<{
                lease_until: bigint
              }>`SELECT lease_until FROM florin.due_work
                WHERE subject_id = 'pay_last'`
              if (queues === 1) assert.isAbove(Number(last?.lease_until), now)
            }),
          )
        }),
    )

    it.effect("S17: a transaction's claims are found among 100,000", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO florin.claims (key, subject_id)
          SELECT florin.claim_key('transfer:eip155:1:0x' || n || ':' || 7), 'pay_' || n
          FROM generate_series(1, ${much}::integer) AS n`
        yield* sql`ANALYZE florin.claims`
        yield* sql.withTransaction(
          Effect.gen(function* () {
            const before = yield* reads(sql, "claims")
            const told = yield* Claims.make(sql).claimsOf(Eip155.chainId(1), "0x500")
            assert.deepStrictEqual(told, [
              { txHash: "0x500", logIndex: 7, paymentId: PaymentId.PaymentId.make("pay_500") },
            ])
            const after = yield* reads(sql, "claims")
            assert.strictEqual(after.scans, before.scans)
            assert.isBelow(Number(after.entries - before.entries), 10)
          }),
        )
      }),
    )

    it.effect("S10: claiming deliveries reads few rows while 100,000 are due to one endpoint", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO florin.deliveries (id, partner_id, endpoint_id, event_id, due_at, lease_until, fence, document)
          SELECT 'dlv_' || n, 'prtn_a', 'whk_a', 'evt', ${now} - n, 0, 0, '{}'
          FROM generate_series(1, ${much}::integer) AS n`
        yield* sql`INSERT INTO florin.deliveries (id, partner_id, endpoint_id, event_id, due_at, lease_until, fence, document)
          VALUES ('dlv_last', 'prtn_b', 'whk_b', 'evt', ${now}, 0, 0, '{}')`
        yield* sql`ANALYZE florin.deliveries`
        yield* sql.withTransaction(
          Effect.gen(function* () {
            const before = yield* reads(sql, "deliveries")
            assert.deepStrictEqual(
              yield* Events.make(sql, anyTime(sql)).claimDeliveries(options),
              [],
            )
            const after = yield* reads(sql, "deliveries")
            assert.strictEqual(after.scans, before.scans)
            assert.isAbove(Number(after.entries - before.entries), 256)
            assert.isBelow(Number(after.entries - before.entries), 2000)
            const [last] = yield* sql<{
              lease_until: bigint
            }>`SELECT lease_until FROM florin.deliveries WHERE id = 'dlv_last'`
            assert.isAbove(Number(last?.lease_until), now)
          }),
        )
      }),
    )
  })
})
