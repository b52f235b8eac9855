import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@florin/core/domain/Amount"
import * as Caip from "@florin/core/domain/Caip"
import type * as Change from "@florin/core/domain/Change"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import type * as Payment from "@florin/core/domain/Payment"
import * as PaymentFilter from "@florin/core/domain/PaymentFilter"
import * as PaymentQuery from "@florin/core/domain/PaymentQuery"
import * as PaymentSort from "@florin/core/domain/PaymentSort"
import * as PaymentStats from "@florin/core/domain/PaymentStats"
import * as Seal from "@florin/core/domain/Seal"
import type { Tenant } from "@florin/core/ports/AccountStore"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Fiber, Layer, Redacted, Result, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as Lists from "../src/storage/Lists.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import * as PaymentRow from "../src/storage/PaymentRow.ts"
import * as Records from "../src/storage/Records.ts"
import * as Stats from "../src/storage/Stats.ts"
import * as Databases from "./databases.ts"
import * as Processes from "./processes.ts"

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' ORDER BY table_name`
  return rows.map(({ name }) => name)
})

const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ version: number; at: string }>`
    SELECT version, applied_at::text AS at FROM schema_versions ORDER BY version`
})

const appliedVersions = Effect.map(applied, (rows) => rows.map(({ version }) => version))

const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT id, note FROM notes ORDER BY id`
})

const first = ["CREATE TABLE ids (id integer)", "INSERT INTO ids VALUES (7)"]
const second = [
  "ALTER TABLE ids RENAME TO notes",
  "ALTER TABLE notes ADD COLUMN note text NOT NULL DEFAULT 'old'",
]
const broken = ["CREATE TABLE half (id integer)", "INSERT INTO nowhere VALUES (1)"]

/** Until another connection runs the statement, or waits with it. */
const untilRunning = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND state = 'active' AND query LIKE ${`%${statement}%`}`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
    Connection.realTime,
  )
})

/** Until a process that migrates waits for a lock of this kind. */
const untilWaitingFor = Effect.fnUntraced(function* (kind: "relation" | "advisory") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT 1 FROM pg_locks AS lock JOIN pg_database AS here ON here.oid = lock.database
    WHERE here.datname = current_database() AND NOT granted AND locktype = ${kind}`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
    Connection.realTime,
  )
})

/** The first version: what was made before it cannot be upgraded. */
const oldest = 6
const known = Migrations.versions.map((_, index) => oldest + index)

/** A process of its own that migrates, and how it ends when nobody ends it. */
const migrating = (url: string) => Processes.run(new URL("./migrate.ts", import.meta.url), url)
const ended = [0, null]

describe("Migrations", () => {
  it.effect("bring an empty database to the schema of this release", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* tables, [])
      assert.deepStrictEqual(yield* Migrations.run(), known)
      assert.includeMembers(yield* tables, ["api_keys", "merchants", "partners", "payments"])
      assert.deepStrictEqual(yield* appliedVersions, known)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("do nothing to a database that has them", () =>
    Effect.gen(function* () {
      yield* Migrations.run()
      const before = { tables: yield* tables, applied: yield* applied }
      assert.deepStrictEqual(yield* Migrations.run(), [])
      assert.deepStrictEqual({ tables: yield* tables, applied: yield* applied }, before)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("only read when there is nothing to do", () =>
    Effect.gen(function* () {
      yield* Migrations.run()
      yield* Effect.provideService(Migrations.run(), SqlClient.BeginTransaction, "BEGIN READ ONLY")
      const error = yield* Migrations.run([...Migrations.versions, second]).pipe(
        Effect.provideService(SqlClient.BeginTransaction, "BEGIN READ ONLY"),
        Effect.flip,
      )
      assert.instanceOf(error, StorageUnavailable)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("are applied in order, each to the data that the one before it left", () =>
    Effect.gen(function* () {
      yield* Migrations.run([first])
      assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
      yield* Migrations.run([first, second])
      assert.deepStrictEqual(yield* notes, [{ id: 7, note: "old" }])
      assert.deepStrictEqual(yield* appliedVersions, [6, 7])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("refuse a database that a newer release has been at, and leave it as it is", () =>
    Effect.gen(function* () {
      yield* Migrations.run([first, second])
      const error = yield* Effect.flip(Migrations.run([first]))
      assert.deepStrictEqual(
        error,
        new Migrations.SchemaTooNew({
          found: 7,
          known: 6,
          message:
            "The database is at schema 7, this release knows 6: start the release that made it, or a newer one",
        }),
      )
      assert.deepStrictEqual(yield* notes, [{ id: 7, note: "old" }])
      assert.deepStrictEqual(yield* appliedVersions, [6, 7])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect.each([1, 2, 3, 4, 5])(
    "refuse a database of a version before the first release, and leave it as it is: schema %s",
    (version) =>
      Effect.gen(function* () {
        yield* Migrations.run([first])
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE schema_versions SET version = ${version}`
        for (const versions of [[first], [first, second], Migrations.versions]) {
          const error = yield* Effect.flip(Migrations.run(versions))
          assert.deepInclude(error, { _tag: "SchemaUnreleased", found: version })
          assert.include(error.message, "start with an empty database or another data directory")
        }
        assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
        assert.deepStrictEqual(yield* appliedVersions, [version])
      }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("that fail leave nothing of themselves, and all of those before them", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Migrations.run([first, broken]))
      assert.instanceOf(error, StorageUnavailable)
      assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
      assert.deepStrictEqual(yield* appliedVersions, [6])
      yield* Migrations.run([first, second])
      assert.deepStrictEqual(yield* appliedVersions, [6, 7])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("take as long as they take", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Databases.address("empty"))
      const name = new URL(Redacted.value(url)).pathname.slice(1)
      const pool = Connection.layer({ url })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(`ALTER DATABASE ${name} SET statement_timeout = '1s'`)
        yield* sql.unsafe(`ALTER DATABASE ${name} SET lock_timeout = '1s'`)
      }).pipe(Effect.provide(pool))
      yield* Effect.gen(function* () {
        const slow = Migrations.run([["SELECT pg_sleep(1.5)"]])
        yield* Effect.all([slow, slow], { concurrency: 2 })
        assert.deepStrictEqual(yield* appliedVersions, [6])
      }).pipe(Effect.provide(Layer.fresh(pool)))
    }),
  )

  it.effect("of a process that is lost are taken up by the one that waits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const lost = yield* Effect.forkChild(
        Effect.flip(Migrations.run([["CREATE TABLE half (id integer)", "SELECT pg_sleep(600)"]])),
      )
      yield* untilRunning("pg_sleep")
      const waiting = yield* Effect.forkChild(Migrations.run([first]))
      yield* untilRunning("pg_advisory_xact_lock")
      yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`
      assert.instanceOf(yield* Fiber.join(lost), StorageUnavailable)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("of many processes that start at once are applied once", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      yield* Effect.gen(function* () {
        const all = yield* Effect.all([migrating(url), migrating(url), migrating(url)])
        const ends = yield* Effect.forEach(all, ({ finish }) => finish)
        assert.deepStrictEqual(ends, [ended, ended, ended])
        assert.deepStrictEqual(yield* appliedVersions, known)
      }).pipe(Effect.provide(Connection.layer({ url: Redacted.make(url) })))
    }),
  )

  it.effect("of many connections at once are applied once", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 10 }, () => Migrations.run([first, second]))
      yield* Effect.all(all, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* notes, [{ id: 7, note: "old" }])
      assert.deepStrictEqual(yield* appliedVersions, [6, 7])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("of a process that is killed over them are taken up by the one that waits", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Migrations.run([])
        const waiting = yield* sql.withTransaction(
          Effect.gen(function* () {
            // A step does all that it does, and cannot say so.
            yield* sql`LOCK TABLE schema_versions IN SHARE MODE`
            const killed = yield* migrating(url)
            yield* untilWaitingFor("relation")
            const next = yield* migrating(url)
            yield* untilWaitingFor("advisory")
            yield* killed.kill
            return next
          }),
        )
        assert.deepStrictEqual(yield* waiting.finish, ended)
        assert.deepStrictEqual(yield* appliedVersions, known)
      }).pipe(Effect.provide(Connection.layer({ url: Redacted.make(url) })))
    }),
  )
})

const { now } = Fixtures

/** Columns of payments as schema 6 has them. */
const fixed = {
  id: "text",
  partner_id: "text",
  mode: "text",
  merchant_id: "text",
  created_at: "bigint",
  expires_at: "bigint",
  reference: "text",
  amount_group: "text",
  amount: "numeric",
  is_stuck: "boolean",
}
const changing = {
  revision: "integer",
  status: "text",
  chain_id: "bigint",
  token: "text",
  payer: "text",
  payout_group: "text",
  payout_quantity: "numeric",
  document: "jsonb",
}
const columns = { ...fixed, ...changing }

const assetOf = (symbol: string, chainId: number) =>
  BuiltIn.catalog.assets.find(
    ({ symbol: its, token }) => its === symbol && Number(token.chainId) === chainId,
  ) ?? assert.fail(`there is no ${symbol} on ${chainId}`)

/** Two of one symbol on two chains, of other decimals, and two of one chain: by symbol they sort otherwise. */
const tokens = [
  assetOf("USDC", 8453),
  assetOf("USDC", 56),
  assetOf("EURC", 8453),
  assetOf("USDT", 137),
].map(({ token }) => token)
const units = [
  ...tokens.map((token) => `caip19/${Caip.formatToken(token)}`),
  "iso4217/USD",
  "iso4217/EUR",
]
const quantities = ["7", "1000000", "340282366920938463463374607431768211456"]

/** The group of a unit in schema 6: that of a token has its symbol. */
const groupBefore = (unit: Amount.Unit): string => {
  if (unit._tag === "Fiat") return `fiat/${unit.currency}`
  const { address, chainId } = unit.token
  const symbol = BuiltIn.catalog.find(unit.token)?.symbol ?? assert.fail("an unknown token")
  return `token/${symbol}/${chainId.toString().padStart(16, "0")}/${address}`
}

/** Payments as the release of schema 6 writes them: triggers keep references and statistics. */
const writeBefore = Effect.fnUntraced(function* (payments: ReadonlyArray<Payment.Payment>) {
  const sql = yield* SqlClient.SqlClient
  const rows = payments.map((payment) => ({
    ...PaymentRow.table.row(payment),
    amount_group: groupBefore(payment.amount.unit),
  }))
  const names = sql.literal(Object.keys(columns).join(", "))
  const changed = Object.keys(changing).map((name) => `${name} = excluded.${name}`)
  yield* sql`INSERT INTO payments (${names}) SELECT ${names} FROM ${Records.from(sql, rows, columns)}
    ON CONFLICT (id) DO UPDATE SET ${sql.literal(changed.join(", "))}`
})

/** How many rows have the group of schema 6, by the table that they are in. */
const groupedBefore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ readonly name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'amount_group' ORDER BY table_name`
  return yield* Effect.forEach(found, ({ name }) =>
    Effect.map(
      sql<{ readonly count: number }>`SELECT count(*)::integer AS count
        FROM ${sql(name)} WHERE amount_group LIKE 'token/US%' OR amount_group LIKE 'token/EU%'`,
      ([row]) => [name, row?.count ?? 0] as const,
    ),
  )
})

const filters: ReadonlyArray<Partial<PaymentFilter.Filter>> = [
  {},
  { tokens: tokens.slice(0, 1) },
  { tokenSymbols: PaymentFilter.symbolsOf(["USDC"], BuiltIn.catalog) },
  { chainIds: tokens.slice(0, 1).map(({ chainId }) => chainId) },
  { currencies: ["USD"] },
  { statuses: ["succeeded"] },
  { reference: "order 1" },
  { reference: "order", statuses: ["succeeded", "requires_action"] },
  { createdFrom: 0, createdBefore: Math.ceil(now / 86_400_000) * 86_400_000 },
  { createdFrom: now, createdBefore: now + 40_000_001 },
]

const sealKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32)]))

describe("the upgrade from schema 6 to 7", () => {
  /** Lists page by page, cursors and statistics are those of the payments. */
  const answersAs = Effect.fnUntraced(function* (
    tenant: Tenant,
    payments: ReadonlyArray<Payment.Payment>,
  ) {
    const sql = yield* SqlClient.SqlClient
    const storage = { ...Lists.make(sql), ...Stats.make(sql) }
    for (const members of filters) {
      const filter = { ...PaymentFilter.unfiltered, ...members }
      assert.deepStrictEqual(
        yield* storage.paymentStats(tenant, filter, now),
        PaymentStats.of(payments, filter, now),
      )
      for (const direction of PaymentSort.directions) {
        const list = { filter, sort: { by: "amount", direction } } as const
        let after: PaymentSort.Position | null = null
        do {
          const query = { ...list, limit: 5, after }
          const { items, next } = PaymentQuery.page(payments, query, now)
          assert.deepStrictEqual(yield* storage.payments(tenant, query, now), {
            items,
            hasMore: next !== null,
          })
          after =
            next === null
              ? null
              : Result.getOrThrow(
                  PaymentQuery.decodeCursor(
                    sealKey,
                    "",
                    list,
                    PaymentQuery.encodeCursor(sealKey, "", list, next),
                  ),
                )
        } while (after !== null)
      }
    }
  })

  it.effect("renames what amounts in tokens sort by, and counts nothing twice", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = Fixtures.make("older")
      const storage = { ...Decisions.make(sql), ...Outflows.make(sql) }
      const paths = units.flatMap((unit, row) =>
        quantities.flatMap((value, column) =>
          (["created", "confirmed", "settled", "failed"] as const).map((stage, index) => {
            const token = tokens[(row + column) % tokens.length] ?? assert.fail()
            return world.path(
              stage,
              {
                amount: { unit, value },
                referenceId: `order ${column}`,
                now: now - 80_000_000 + (row + index) * 40_000_000,
              },
              { token, account: Fixtures.account(`payer ${(row + index) % 4}`, token.chainId) },
            )
          }),
        ),
      )
      const writesAfter = Effect.fnUntraced(function* (writes: ReadonlyArray<Change.Write>) {
        for (const { payments } of writes) {
          yield* Fixtures.store(storage, {
            payments: payments.map(({ payment }) => ({ payment, claims: [], ledger: [], due: {} })),
            outflows: [],
          })
        }
      })
      const before = paths.filter((_, index) => index % 5 !== 0)
      const meanwhile = before.filter((_, index) => index % 3 === 0)
      const past = before.filter((path) => !meanwhile.includes(path))

      assert.deepStrictEqual(yield* Migrations.run(Migrations.versions.slice(0, 1)), [6])
      yield* writeBefore(before.map((path) => Fixtures.reached(path.slice(0, 1))))
      yield* sql`SELECT stats_fold(40)`
      yield* writeBefore(past.map(Fixtures.reached))
      for (const [name, count] of yield* groupedBefore) assert.isAbove(count, 0, name)

      assert.deepStrictEqual(yield* Migrations.run(), known.slice(1))
      for (const [name, count] of yield* groupedBefore) assert.strictEqual(count, 0, name)
      yield* answersAs(world.tenant, [
        ...past.map(Fixtures.reached),
        ...meanwhile.map((path) => Fixtures.reached(path.slice(0, 1))),
      ])

      // Payments go on that were there, others are created in the same units, and all of it is folded.
      for (const path of meanwhile) yield* writesAfter(path.slice(1))
      for (const path of paths) if (!before.includes(path)) yield* writesAfter(path)
      yield* answersAs(world.tenant, paths.map(Fixtures.reached))
      yield* sql`SELECT stats_fold(NULL)`
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM stats_changes`, [])
      yield* answersAs(world.tenant, paths.map(Fixtures.reached))
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it("leaves no cursor that would go on in another place", () => {
    const { id } = Fixtures.reached(Fixtures.make("older").path("created"))
    const list = {
      filter: PaymentFilter.unfiltered,
      sort: { by: "amount", direction: "asc" },
    } as const
    for (const token of tokens) {
      const unit = Amount.token(token)
      const read = (group: string) =>
        PaymentQuery.decodeCursor(
          sealKey,
          "",
          list,
          PaymentQuery.encodeCursor(sealKey, "", list, { group, value: 7n, id }),
        )
      assert.isTrue(Result.isSuccess(read(PaymentSort.groupOf(unit))))
      assert.isTrue(Result.isFailure(read(groupBefore(unit))))
    }
  })
})
