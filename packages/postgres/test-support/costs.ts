/**
 * What a piece of work costs a database, as its server counts it. The server must be one's own: others would be counted
 * too.
 *
 * @module
 */
import { tmpdir } from "node:os"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "./server.ts"

/** A server that counts, and does nothing in the background that it would count. */
export const server = (others: Readonly<Record<string, string>> = {}) =>
  Server.makeIn(tmpdir(), {
    shared_preload_libraries: "pg_stat_statements",
    autovacuum: "off",
    ...others,
  })

/** How often a statement was sent, without its values. */
interface Statement {
  readonly text: string
  readonly calls: number
  readonly inMs: number
}

type Named = Readonly<Record<string, number>>

interface Costs {
  readonly statements: ReadonlyArray<Statement>
  /** Transactions that wrote. */
  readonly commits: number
  readonly walBytes: number
  /** The part of it that each table and each index takes. */
  readonly wal: Named
  /** Rows that were read without an index, by their tables. */
  readonly scanned: Named
  /** Rows that were written, by their tables and how. */
  readonly written: Named
}

interface Counted {
  readonly name: string
  readonly scanned: string
  readonly insert: string
  readonly update: string
  readonly delete: string
}

/** Each back end of the pool reports what it has counted: by itself it may wait for ten seconds. */
const report = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    Array.from({ length: 40 }),
    () => sql`SELECT pg_stat_force_next_flush(), pg_sleep(0.02)`,
    { concurrency: "unbounded", discard: true },
  )

const count = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [now] = yield* sql<{ readonly transactions: string; readonly wal: string }>`
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS transactions,
      (pg_current_wal_insert_lsn() - '0/0')::text AS wal`
  yield* report(sql)
  const tables =
    yield* sql<Counted>`SELECT relname AS name, seq_tup_read::text AS scanned, n_tup_ins::text AS insert,
      n_tup_upd::text AS update, n_tup_del::text AS delete
    FROM pg_stat_user_tables WHERE schemaname = 'florin' ORDER BY relname`
  const named = (pairs: ReadonlyArray<readonly [string, string]>): Named =>
    Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)]))
  return {
    transactions: Number(now?.transactions),
    wal: Number(now?.wal),
    scanned: named(tables.map(({ name, scanned }) => [name, scanned])),
    written: named(
      tables.flatMap((each) => [
        [`${each.name} insert`, each.insert],
        [`${each.name} update`, each.update],
        [`${each.name} delete`, each.delete],
      ]),
    ),
  }
})

/** The bytes of each table, with its indexes. */
export const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly bytes: string }>`
    SELECT relname AS name, pg_total_relation_size(relid)::text AS bytes
    FROM pg_stat_user_tables WHERE schemaname = 'florin'`
  return Object.fromEntries(rows.map(({ bytes, name }) => [name, Number(bytes)]))
})

/** Leaves no gaps in the tables. */
export const pack = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'florin'`
  for (const { name } of tables) yield* sql`VACUUM FULL florin.${sql(name)}`
})

export const growth = (before: Named, after: Named): Named =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, value]): [string, number] => [name, value - (before[name] ?? 0)])
      .filter(([, grown]) => grown !== 0),
  )

/** The write-ahead log between two places of it, by the table or index that it changes. */
const logged = (sql: SqlClient.SqlClient, from: number, until: number) =>
  Effect.map(
    sql<{ readonly name: string; readonly bytes: string }>`
    SELECT coalesce(relation.relname, 'others') AS name,
      sum(record.block_data_length + record.block_fpi_length
        + (record.record_length - record.block_all_length) / record.blocks)::bigint::text AS bytes
    FROM (
      SELECT *, count(*) OVER own AS blocks,
        sum(block_data_length + block_fpi_length) OVER own AS block_all_length
      FROM public.pg_get_wal_block_info('0/0'::pg_lsn + ${from}::numeric, '0/0'::pg_lsn + ${until}::numeric)
      WINDOW own AS (PARTITION BY start_lsn)
    ) AS record LEFT JOIN pg_class AS relation ON pg_relation_filenode(relation.oid) = record.relfilenode
    GROUP BY 1`,
    (rows): Named => Object.fromEntries(rows.map(({ bytes, name }) => [name, Number(bytes)])),
  )

/** What a piece of work cost. */
export const of = Effect.fnUntraced(function* <E, R>(work: Effect.Effect<void, E, R>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public`
  yield* sql`CREATE EXTENSION IF NOT EXISTS pg_walinspect SCHEMA public`
  const before = yield* count(sql)
  yield* sql`SELECT public.pg_stat_statements_reset()`
  yield* work
  const statements = yield* sql<{
    readonly text: string
    readonly calls: string
    readonly ms: number
  }>`SELECT query AS text, calls::text AS calls, total_exec_time AS ms FROM public.pg_stat_statements
    WHERE query NOT LIKE '%pg_stat_statements%' ORDER BY calls::bigint DESC`
  const after = yield* count(sql)
  const costs: Costs = {
    statements: statements.map(({ calls, ms, text }) => ({ text, calls: Number(calls), inMs: ms })),
    commits: after.transactions - before.transactions,
    walBytes: after.wal - before.wal,
    wal: yield* logged(sql, before.wal, after.wal),
    scanned: growth(before.scanned, after.scanned),
    written: growth(before.written, after.written),
  }
  return costs
})
