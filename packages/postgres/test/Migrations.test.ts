import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/Caip"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Merchant from "@florin/core/domain/Merchant"
import * as Outflow from "@florin/core/domain/Outflow"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Fiber, Layer, Redacted, Result, Schedule, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Likenesses from "../src/schema/Likenesses.ts"
import * as OwedShares from "../src/schema/OwedShares.ts"
import * as Payouts from "../src/schema/Payouts.ts"
import * as Statements from "../src/schema/Statements.ts"
import * as AccountsPostgres from "../src/storage/Accounts.ts"
import * as DecisionsPostgres from "../src/storage/Decisions.ts"
import * as LedgersPostgres from "../src/storage/Ledgers.ts"
import * as OutflowsPostgres from "../src/storage/Outflows.ts"
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

const transactionJson = Schema.encodeSync(Schema.toCodecJson(Ledger.Transaction))

const outflowJson = Schema.encodeSync(Schema.toCodecJson(Outflow.Outflow))

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
const oldest = 8
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

  it.effect("P6: are applied in order, each to the data that the one before it left", () =>
    Effect.gen(function* () {
      yield* Migrations.run([first])
      assert.deepStrictEqual(yield* tables, ["ids", "schema_versions"])
      yield* Migrations.run([first, second])
      assert.deepStrictEqual(yield* notes, [{ id: 7, note: "old" }])
      assert.deepStrictEqual(yield* appliedVersions, [8, 9])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("S4: name the account that holds what is owed, for what schema 9 booked without", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Migrations.run(Migrations.versions.slice(0, 2))
      const { destinationAccount: destination, merchantId, tenant, token } = Fixtures.make("old")
      const payer = Fixtures.account("payer")
      const [left, right] = [Fixtures.address("left"), Fixtures.address("right")]
      const held = (collecting: Caip.Address, of: bigint) => ({
        collecting,
        token,
        merchantId,
        partnerId: tenant.partnerId,
        payer,
        destination,
        quantity: Fixtures.quantity(of),
        charge: {
          total: Fixtures.quantity(1n),
          fixed: Fixtures.quantity(0n),
          net: Fixtures.quantity(of),
        },
      })
      const settled = Ledger.settlementOf({ ...held(left, 40n), netted: Fixtures.quantity(0n) })
      const booked = [
        Ledger.collection(held(left, 100n)),
        Ledger.collection(held(right, 30n)),
        settled,
        Ledger.reversal(settled),
        settled,
        Ledger.refundedAfterSettlement(held(left, 9n)),
        Ledger.netting(held(right, 9n)),
        Ledger.suspension(held(right, 7n)),
        Ledger.suspension(held(left, 5n)),
        Ledger.lateReturn(held(left, 5n)),
      ]
      const unnamed = (text: string) =>
        text.replaceAll(/("_tag":"(?:Owed|Suspense)"[^}]*?),"address":"[^"]*"/gu, "$1")
      yield* sql`INSERT INTO payments (id, partner_id, mode, merchant_id, revision, created_at, expires_at, status,
          reference, amount_group, amount, is_stuck, document)
        VALUES ('pay_old', 'prtn', 'test', 'mrch', 1, 0, 0, 'succeeded', 'r', 'g', 1, false,
          ${JSON.stringify({ state: { attempt: { option: { payTo: right } } } })}::text::jsonb)`
      for (const each of booked) {
        const text = unnamed(JSON.stringify(transactionJson(each)))
        assert.notInclude(text, `"merchantId":"${merchantId}","address"`)
        yield* sql`INSERT INTO ledger_transactions (mode, payment_id, document)
          VALUES ('test', ${each.kind === "net" ? "pay_old" : null}, ${text}::text::jsonb)`
      }
      for (const tag of ["Owed", "Suspense"]) {
        yield* sql`INSERT INTO ledger_balances (mode, token, account, quantity, in_float, document)
          VALUES ('test', 'any', ${tag}, -1, true, ${JSON.stringify({ account: { _tag: tag } })}::text::jsonb)`
      }
      yield* Migrations.run()
      const rows = yield* sql<{ key: string; quantity: string }>`
        SELECT account || ' ' || token AS key, quantity FROM ledger_balances`
      const expected = [...Ledger.balances(booked)].filter(([, { account }]) =>
        ["Owed", "Suspense"].includes(account._tag),
      )
      assert.deepStrictEqual(
        new Map(rows.map(({ key, quantity }) => [key, BigInt(quantity)])),
        new Map(expected.map(([key, { balance }]) => [key, balance])),
      )
      // A process of schema 9 that still runs cannot book without it.
      const refused = yield* Effect.flip(
        sql`INSERT INTO ledger_balances (mode, token, account, quantity, in_float, document)
          VALUES ('test', 'any', 'owed:mrch', -1, true, '{"account":{"_tag":"Owed"}}')`,
      )
      assert.strictEqual(refused.reason._tag, "ConstraintError")
      const ledger = LedgersPostgres.make(sql)
      const balances = yield* ledger.balances("test", token)
      for (const [key, each] of expected) assert.deepStrictEqual(balances.get(key), each)
      assert.strictEqual(yield* ledger.float("test", { collecting: right, token }), -21n - 7n)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("have what merchants are owed settled, if they have a destination by now", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = Migrations.versions.indexOf(OwedShares.statements)
      yield* Migrations.run(Migrations.versions.slice(0, before))
      const storage = {
        ...DecisionsPostgres.make(sql, Databases.anyTime(sql)),
        ...OutflowsPostgres.make(sql, Databases.anyTime(sql)),
      }
      const world = Fixtures.make("old")
      const reach = Effect.fnUntraced(function* (overrides: Fixtures.PaymentOverrides) {
        const path = world.path("owed", overrides)
        for (const write of path) yield* Fixtures.store(storage, write)
        return Fixtures.paymentAfter(path)
      })
      const { now } = Fixtures
      const homeless = world.merchant().id
      const younger = yield* reach({ now: now + 1 })
      const elder = yield* reach({ now })
      yield* reach({ now, merchantId: homeless })
      const own = world.destination()
      yield* sql`INSERT INTO settlement_destinations
          (id, merchant_id, chain_id, token, created_at, revision, document)
        VALUES (${own.id}, ${own.merchantId}, ${own.token.chainId}, ${own.token.address}, ${now}, 0,
          ${JSON.stringify(own)}::text::jsonb)`
      yield* sql`DELETE FROM due_work`
      yield* Migrations.run()
      assert.deepStrictEqual(yield* sql`SELECT subject_id, kind FROM due_work`, [
        { subject_id: elder.id, kind: "settle" },
      ])
      assert.deepStrictEqual(yield* storage.owedShares(world.merchantId, world.token, 9), [
        elder.id,
        younger.id,
      ])
      assert.lengthOf(yield* storage.owedShares(homeless, world.token, 9), 1)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect(
    "S21: have merchants that are there go on, and compare and review them from now on",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = Migrations.versions.indexOf(Likenesses.statements)
        yield* Migrations.run(Migrations.versions.slice(0, before))
        const world = Fixtures.make("old")
        const merchant = world.merchant({ ...world.live, name: "PayPal" })
        const { createdAt, id, partnerId } = merchant
        const old = JSON.stringify(merchant)
        const accounts = AccountsPostgres.make(sql, Databases.anyTime(sql))
        yield* accounts.putPartner(world.partner())
        yield* sql`INSERT INTO merchants
          (id, partner_id, mode, status, searched, created_at, deleted_at, revision, document)
        VALUES (${id}, ${partnerId}, 'live', 'active', 'paypal', ${createdAt}, NULL, 0, ${old}::text::jsonb)`
        yield* Migrations.run()
        assert.deepStrictEqual((yield* accounts.waitingMerchants(10)).items, [])
        assert.deepStrictEqual(yield* accounts.merchant(world.live, id), merchant)
        const find = accounts.namesakes(
          { partnerId: world.other.partnerId, likenesses: ["paypal"] },
          (name) => [name.toLowerCase()],
          10,
        )
        assert.deepStrictEqual(yield* find, [{ partnerId, merchantId: id, name: "PayPal" }])

        // A process of the schema before still runs: it drops what it does not know from what it changes.
        const waiting = { since: 1, isAlike: true, approved: null }
        yield* accounts.modifyMerchant(world.live, id, (current) =>
          Result.succeed({ ...current, waiting }),
        )
        const changed = { ...merchant, name: "Changed" }
        yield* sql`UPDATE merchants SET document = ${JSON.stringify(changed)}::text::jsonb WHERE id = ${id}`
        assert.deepStrictEqual(yield* accounts.merchant(world.live, id), { ...changed, waiting })
        assert.deepStrictEqual(yield* find, [])
        yield* accounts.modifyMerchant(world.live, id, (current) =>
          Merchant.approve(current, changed),
        )
        assert.isUndefined((yield* accounts.merchant(world.live, id)).waiting)
        assert.deepStrictEqual((yield* accounts.waitingMerchants(10)).items, [])
      }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect(
    "list the payouts that are there, and those that a process of the schema before makes",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Migrations.run(
          Migrations.versions.slice(0, Migrations.versions.indexOf(Payouts.statements)),
        )
        const world = Fixtures.make("old")
        const path = world.path("gathered")
        const { outflow } = Fixtures.statesAfter(path)
        if (outflow === null) return assert.fail("nothing is paid out")
        const insert = (id: string) => {
          const document = JSON.stringify(
            outflowJson({ ...outflow, id: Outflow.OutflowId.make(id) }),
          )
          return sql`INSERT INTO outflows (id, mode, partner_id, revision, is_open, created_at, document)
          VALUES (${id}, 'test', ${world.tenant.partnerId}, 0, true, ${outflow.createdAt}, ${document}::text::jsonb)`
        }
        yield* insert("out_1")
        yield* Migrations.run()
        yield* insert("out_2")
        const { payouts } = OutflowsPostgres.make(sql, Databases.anyTime(sql))
        for (const filter of [
          {},
          { merchantId: world.merchantId },
          { status: "waiting" } as const,
        ]) {
          const { items } = yield* payouts(world.tenant, filter, { after: null, limit: 9 })
          assert.deepStrictEqual(
            items.map(({ payout: { id }, shareCount }) => [id, shareCount]),
            [
              ["out_2", 1],
              ["out_1", 1],
            ],
          )
        }
      }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect(
    "open statements with what was booked before, and note what an older process books",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = Migrations.versions.indexOf(Statements.statements)
        yield* Migrations.run(Migrations.versions.slice(0, before))
        const { merchantId, payTo, tenant, token } = Fixtures.make("old")
        const collected = Ledger.collection({
          collecting: payTo,
          token,
          merchantId,
          partnerId: tenant.partnerId,
          payer: Fixtures.account("payer"),
          charge: {
            total: Fixtures.quantity(1n),
            fixed: Fixtures.quantity(0n),
            net: Fixtures.quantity(99n),
          },
        })
        const owed = { account: { _tag: "Owed", merchantId, address: payTo }, token } as const
        const book = Effect.gen(function* () {
          yield* sql`INSERT INTO ledger_transactions (mode, document)
          VALUES ('test', ${JSON.stringify(transactionJson(collected))}::text::jsonb)`
          yield* sql`INSERT INTO ledger_balances AS held (mode, token, account, quantity, in_float, document)
          VALUES ('test', ${Caip.tokenKey(token)}, ${Ledger.accountKey(owed.account)}, -99, true,
            ${JSON.stringify(owed)}::text::jsonb)
          ON CONFLICT (mode, token, account) DO UPDATE SET quantity = held.quantity + excluded.quantity`
        })
        yield* book
        yield* Migrations.run()
        yield* book
        const { statement } = LedgersPostgres.make(sql)
        const [told] = yield* statement("test", merchantId, { from: 0, before: 8_000_000_000_000 })
        if (told === undefined) return assert.fail("nothing was booked")
        assert.deepStrictEqual(told.opening, { owed: 99n, kept: 0n, debt: 0n })
        assert.deepStrictEqual([told.paidIn, told.fees], [100n, -1n])
        assert.deepStrictEqual(told.closing, { owed: 198n, kept: 0n, debt: 0n })
      }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("P6: refuse a database that a newer release has been at, and leave it as it is", () =>
    Effect.gen(function* () {
      yield* Migrations.run([first, second])
      const error = yield* Effect.flip(Migrations.run([first]))
      assert.deepStrictEqual(
        error,
        new Migrations.SchemaTooNew({
          found: 9,
          known: 8,
          message:
            "The database has schema 9, and this release supports up to 8: start the release that created it, or a newer one",
        }),
      )
      assert.deepStrictEqual(yield* notes, [{ id: 7, note: "old" }])
      assert.deepStrictEqual(yield* appliedVersions, [8, 9])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect.each([1, 2, 3, 4, 5, 6, 7])(
    "refuse a database of a version before the first release, and leave it as it is: schema %s",
    (version) =>
      Effect.gen(function* () {
        yield* Migrations.run([first])
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE schema_versions SET version = ${version}`
        for (const versions of [[first], [first, second], Migrations.versions]) {
          const error = yield* Effect.flip(Migrations.run(versions))
          assert.deepInclude(error, { _tag: "SchemaUnreleased", found: version })
          assert.include(error.message, "Start with an empty database or another data directory")
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
      assert.deepStrictEqual(yield* appliedVersions, [8])
      yield* Migrations.run([first, second])
      assert.deepStrictEqual(yield* appliedVersions, [8, 9])
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
        assert.deepStrictEqual(yield* appliedVersions, [8])
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
      assert.deepStrictEqual(yield* appliedVersions, [8, 9])
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
