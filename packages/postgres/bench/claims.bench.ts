/**
 * Claims of due work: in turns, and by time alone as before turns, by turns on the same rows. Only ratios of one run count.
 *
 * @example
 * node bench/claims.bench.ts
 * DATABASE_URL=postgres://… node bench/claims.bench.ts
 *
 * @module
 */
import process from "node:process"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import { standing } from "../src/schema/Payments.ts"
import type * as Document from "../src/storage/Document.ts"
import * as DueWork from "../src/storage/DueWork.ts"
import * as PaymentRow from "../src/storage/PaymentRow.ts"
import * as StorageTime from "../src/StorageTime.ts"
import * as Server from "../test-support/server.ts"

const { now } = Fixtures
const turns = 41
const limit = 64
const leaseInMs = 30_000

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

/** So many queues, and so much due and not yet due in each. */
const scenes = [
  { what: "nothing is due", queues: 100, due: 0, later: 100 },
  { what: "little is due", queues: 20, due: 1, later: 100 },
  { what: "one partner has 100,000", queues: 1, due: 100_000, later: 0 },
  { what: "100 partners have 1,000", queues: 100, due: 1000, later: 0 },
  { what: "1,000 partners have 100", queues: 1000, due: 100, later: 0 },
] as const

const byTime = (sql: SqlClient.SqlClient) =>
  sql<Document.Row>`WITH next AS (
      SELECT subject_id, kind, due_at AS at FROM florin.due_work
      WHERE kind = ${"collect"} AND due_at <= ${now} AND lease_until <= ${now}
      ORDER BY due_at, subject_id
      LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE florin.due_work AS work SET lease_until = ${now + leaseInMs}, fence = nextval('florin.fences')
      FROM next WHERE work.subject_id = next.subject_id AND work.kind = next.kind
      RETURNING work.subject_id, work.fence, work.failures, next.at
    )
    SELECT (SELECT document FROM florin.payments WHERE id = claimed.subject_id) AS document, fence, failures
    FROM claimed ORDER BY at, subject_id`.pipe(
    Effect.flatMap((rows) =>
      Effect.forEach(rows, ({ document }) => PaymentRow.document.decode(document)),
    ),
  )

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const work = DueWork.make(sql, StorageTime.make(sql, Infinity))
  const inTurns = work.claimDue("collect", {
    limit,
    leaseInMs,
    now,
    turns: { ofGroup: 24, ofQueue: 16, last: "", groups: [], queues: [] },
  })
  const document = PaymentRow.document.encode(Fixtures.make("c").createPayment().payment)
  yield* sql`INSERT INTO florin.payments (id, tenant, merchant, revision, created_at, expires_at, standing,
      reference, amount_group, amount, updated_at, state_version, document)
    SELECT 'pay_' || n, florin.numbered('prtn_c/test'), florin.numbered('mrch_c'), 1, 0, 0, ${standing("processing")}, '', '', 1, 0, 0, ${document}::jsonb
    FROM generate_series(1, 100000) AS n`
  for (const { due, later, queues, what } of scenes) {
    yield* sql`TRUNCATE florin.due_work`
    yield* sql`INSERT INTO florin.due_work (subject_id, kind, due_at, lease_until, fence, failures, chain_id, partner_id)
      SELECT 'pay_' || row_number() OVER (), 'collect', CASE WHEN n <= ${due} THEN ${now} - n ELSE ${now} + n END,
        0, 0, 0, 'eip155:' || (queue % 10), 'prtn_' || queue
      FROM generate_series(1, ${queues}::integer) AS queue, generate_series(1, ${due + later}::integer) AS n`
    yield* sql`VACUUM ANALYZE florin.due_work`
    const took = { turns: new Array<number>(), time: new Array<number>() }
    const claimed = { turns: 0, time: 0 }
    for (let turn = 0; turn < turns; turn++) {
      for (const [name, claim] of [
        ["turns", inTurns],
        ["time", byTime(sql)],
      ] as const) {
        const startedAt = performance.now()
        claimed[name] += (yield* claim).length
        took[name].push(performance.now() - startedAt)
      }
    }
    const [ours, before] = [median(took.turns), median(took.time)]
    process.stdout.write(
      `${what}: in turns ${ours.toFixed(2)} ms (${claimed.turns} claimed), by time alone ${before.toFixed(2)} ms (${claimed.time}), ratio ${(ours / before).toFixed(2)}\n`,
    )
  }
})

await Effect.runPromise(
  Effect.gen(function* () {
    const url = process.env["DATABASE_URL"] ?? (yield* Server.make).url
    const client = Connection.layer({ url: Redacted.make(url) })
    const migrated = Layer.provideMerge(Layer.effectDiscard(Migrations.run()), client)
    yield* Effect.provide(bench, migrated)
  }).pipe(Effect.scoped),
)
