import { createServer, connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { AccountStore, findMerchant } from "@florin/core/ports/AccountStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { NotFound, StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Fixtures from "@florin/testing/Fixtures"
import {
  Cause,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Latch,
  Layer,
  Redacted,
  Schedule,
} from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as Connection from "../src/Connection.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import * as Databases from "../test-support/databases.ts"
import * as Server from "../test-support/server.ts"

const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE accounts (id integer PRIMARY KEY, balance integer NOT NULL)`
  yield* sql`INSERT INTO accounts VALUES (1, 10), (2, 10)`
  return sql
})

const balances = (sql: SqlClient.SqlClient) =>
  sql<{ balance: number }>`SELECT balance FROM accounts ORDER BY id`.pipe(
    Effect.map((rows) => rows.map(({ balance }) => balance)),
  )

const give = (sql: SqlClient.SqlClient, id: number) =>
  sql`UPDATE accounts SET balance = balance + 1 WHERE id = ${id}`

/** Ends every other connection to the database, as an operator or a failover does. */
const endOthers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
})

/** Until another connection runs the statement. */
const untilRunning = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE ${`%${statement}%`} AND pid <> pg_backend_pid()`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
    Connection.realTime,
  )
})

const isUnavailable = (error: unknown) => assert.instanceOf(error, StorageUnavailable)

describe("a connection", () => {
  const refused = (url: string) =>
    Effect.flip(Layer.build(Connection.layer({ url: Redacted.make(url) })))

  it.effect(
    "to a server that does not respond fails with its address, and without the password",
    () =>
      Effect.gen(function* () {
        const error = yield* refused("postgres://florin:hunter2@127.0.0.1:1/florin")
        assert.strictEqual(error._tag, "DatabaseUnreachable")
        assert.strictEqual(
          error.message,
          "The database server at 127.0.0.1:1 cannot be used: check that it runs and that the address is right (ECONNREFUSED)",
        )
      }),
  )

  it.effect("to a database that does not exist fails with that reason", () =>
    Effect.gen(function* () {
      const url = new URL(yield* Databases.address("empty"))
      url.pathname = "/florin_nowhere"
      const error = yield* refused(url.href)
      assert.match(error.message, /has no database of that name: create it.* \(3D000\)$/u)
    }),
  )

  it.effect("of a user that the server does not know is a refused login", () =>
    Effect.gen(function* () {
      const url = new URL(yield* Databases.address("empty"))
      url.username = "florin_nobody"
      url.password = "hunter2"
      const error = yield* refused(url.href)
      assert.match(
        error.message,
        /refused the login: check the user and the password.* \(28\w+\)$/u,
      )
      assert.notInclude(error.message, "hunter2")
    }),
  )

  it.effect("to an invalid address is refused like a wrong one", () =>
    Effect.gen(function* () {
      const error = yield* refused("hunter2")
      assert.match(error.message, /^The database server cannot be used/u)
      assert.notInclude(error.message, "hunter2")
    }),
  )
})

describe("a guarded operation", () => {
  it.effect("returns its result, or its own failure", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const missing = new NotFound({ what: "payment", message: "no such payment" })
      assert.deepStrictEqual(yield* Connection.guard(sql`SELECT 1 AS one`), [{ one: 1 }])
      assert.strictEqual(
        yield* Effect.flip(Connection.guard(sql.withTransaction(Effect.fail(missing)))),
        missing,
      )
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  const rejected: ReadonlyArray<
    readonly [why: string, code: string, ...statements: Array<string>]
  > = [
    ["a column that is missing", "42703", "SELECT nickname FROM names"],
    ["a table that is missing", "42P01", "SELECT 1 FROM nobody"],
    ["a broken statement", "42601", "SELEKT 1"],
    ["a right that is missing", "42501", "SET LOCAL ROLE pg_monitor", "TABLE names"],
    ["a value that is taken", "23505", "INSERT INTO names VALUES ('Florence')"],
    ["a value that is missing", "23502", "INSERT INTO names VALUES (NULL)"],
    ["a value that cannot be read", "22P02", "SELECT 'Florence'::integer"],
  ]
  for (const [why, code, ...statements] of rejected) {
    it.effect(`S22: is a defect for ${why}, once, without the statement and its values`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE names (name text PRIMARY KEY)`
        yield* sql`INSERT INTO names VALUES ('Florence')`
        let begun = 0
        const program = Effect.suspend(() => {
          begun += 1
          return Effect.forEach(statements, (statement) => sql.unsafe(statement))
        })
        const exit = yield* Effect.exit(Connection.guard(sql.withTransaction(program)))
        if (Exit.isSuccess(exit)) return assert.fail("it succeeded")
        assert.isTrue(Cause.hasDies(exit.cause))
        const shown = Cause.pretty(exit.cause)
        assert.include(shown, `StatementRejected ${code}`)
        const isOther = ["42703", "42P01", "42883"].includes(code)
        assert.strictEqual(shown.includes("another version of Florin"), isOther)
        assert.notInclude(shown, "Florence")
        assert.notInclude(shown, "names")
        assert.strictEqual(begun, 1)
      }).pipe(Effect.provide(Databases.database("empty"))),
    )
  }

  it.effect("waits as long as it takes, whatever the service's clock shows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [locked, seen] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
      const lock = sql`SELECT pg_advisory_xact_lock(7)`
      yield* Effect.forkChild(
        sql.withTransaction(lock.pipe(Effect.andThen(locked.open), Effect.andThen(seen.await))),
      )
      yield* locked.await
      const slow = yield* Effect.forkChild(
        Connection.guard(sql`SELECT pg_advisory_xact_lock(7), 7 AS seven`),
      )
      yield* untilRunning("7 AS seven")
      yield* TestClock.adjust("1 day")
      yield* seen.open
      assert.strictEqual((yield* Fiber.join(slow))[0]?.["seven"], 7)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("cancels its statement when its caller is interrupted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const slow = yield* Effect.forkChild(Connection.guard(sql`SELECT pg_sleep(600)`))
      yield* untilRunning("pg_sleep")
      yield* Fiber.interrupt(slow)
      yield* sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`.pipe(
        Effect.repeat({
          until: (rows) => rows.length === 0,
          schedule: Schedule.spaced("5 millis"),
        }),
        Connection.realTime,
      )
    }).pipe(Effect.provide(Databases.database("empty"))),
  )
})

describe("a transaction", () => {
  it.effect("that continues after a failed statement fails, and writes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* accounts
      const failing = Effect.ignore(sql`INSERT INTO accounts VALUES (1, 10)`)
      isUnavailable(
        yield* Effect.flip(
          Connection.guard(sql.withTransaction(Effect.andThen(give(sql, 1), failing))),
        ),
      )
      assert.deepStrictEqual(yield* balances(sql), [10, 10])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("inside another transaction is rolled back without the outer one", () =>
    Effect.gen(function* () {
      const sql = yield* accounts
      const inner = (id: number) =>
        sql.withTransaction(Effect.andThen(give(sql, id), Effect.fail("undone")))
      yield* Connection.guard(
        sql.withTransaction(
          Effect.all([
            Effect.ignore(inner(1)),
            sql.withTransaction(give(sql, 2)),
            Effect.ignore(inner(2)),
          ]),
        ),
      )
      assert.deepStrictEqual(yield* balances(sql), [10, 11])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )
})

describe("operations that conflict", () => {
  it.effect("P2: in a deadlock are all done in the end", () =>
    Effect.gen(function* () {
      const sql = yield* accounts
      const bothHold = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
      let begun = 0
      const move = (own: 0 | 1) =>
        Connection.guard(
          sql.withTransaction(
            Effect.gen(function* () {
              begun++
              yield* give(sql, own + 1)
              yield* Deferred.succeed(bothHold[own], undefined)
              yield* Deferred.await(bothHold[own === 0 ? 1 : 0])
              yield* give(sql, own === 0 ? 2 : 1)
            }),
          ),
        )
      yield* Effect.all([move(0), move(1)], { concurrency: 2 })
      assert.isAbove(begun, 2)
      assert.deepStrictEqual(yield* balances(sql), [12, 12])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("P2: in a serialization failure are all done in the end", () =>
    Effect.gen(function* () {
      const sql = yield* accounts
      const everybodyRead = yield* Latch.make()
      let begun = 0
      const increment = Connection.guard(
        sql.withTransaction(
          Effect.gen(function* () {
            const [read] = yield* balances(sql)
            begun++
            if (begun === 4) yield* everybodyRead.open
            yield* everybodyRead.await
            yield* sql`UPDATE accounts SET balance = ${(read ?? 0) + 1} WHERE id = 1`
          }),
        ),
      ).pipe(
        Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL SERIALIZABLE"),
      )
      yield* Effect.all([increment, increment, increment, increment], { concurrency: 4 })
      assert.isAbove(begun, 4)
      assert.deepStrictEqual(yield* balances(sql), [14, 10])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("at every retry fail in the end", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let begun = 0
      const collide = Effect.suspend(() => {
        begun++
        return sql`DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`
      })
      const error = yield* Effect.flip(Connection.guard(sql.withTransaction(collide)))
      assert.strictEqual(
        error.message,
        "The database could not run the statement (40001): try again",
      )
      assert.strictEqual(begun, 6)
    }).pipe(Effect.provide(Databases.database("empty"))),
  )
})

describe("a full disk", () => {
  it.effect("is reported as such, and not retried", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(
        Connection.guard(sql`DO $$ BEGIN RAISE SQLSTATE '53100'; END $$`),
      )
      assert.strictEqual(
        error.message,
        "The disk of the database is full (53100): free space there",
      )
    }).pipe(Effect.provide(Databases.database("empty"))),
  )
})

describe("a lost connection", () => {
  it.effect("during a statement is unavailable storage, and the next statement succeeds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const slow = yield* Effect.forkChild(Connection.guard(sql`SELECT pg_sleep(600)`))
      yield* untilRunning("pg_sleep")
      yield* endOthers
      isUnavailable(yield* Effect.flip(Fiber.join(slow)))
      assert.deepStrictEqual(yield* Connection.guard(sql`SELECT 1 AS one`), [{ one: 1 }])
    }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect(
    "P2: between two statements of a transaction is unavailable storage, and nothing was written",
    () =>
      Effect.gen(function* () {
        const sql = yield* accounts
        const half = yield* Latch.make()
        const ended = yield* Latch.make()
        const work = yield* Effect.gen(function* () {
          yield* give(sql, 1)
          yield* half.open
          yield* ended.await
          yield* give(sql, 2)
        }).pipe(sql.withTransaction, Connection.guard, Effect.exit, Effect.forkChild)
        yield* half.await
        yield* endOthers
        yield* ended.open
        const exit = yield* Fiber.join(work)
        assert.isTrue(Exit.isFailure(exit))
        isUnavailable(yield* Effect.flip(exit))
        assert.deepStrictEqual(yield* balances(sql), [10, 10])
      }).pipe(Effect.provide(Databases.database("empty"))),
  )

  it.effect("during a refused decision is unavailable storage, and not a crash", () =>
    Effect.gen(function* () {
      const sql = yield* accounts
      const half = yield* Latch.make()
      const ended = yield* Latch.make()
      const work = yield* Effect.gen(function* () {
        yield* give(sql, 1)
        yield* half.open
        yield* ended.await
        return yield* new NotFound({ what: "payment", message: "no such payment" })
      }).pipe(sql.withTransaction, Connection.guard, Effect.flip, Effect.forkChild)
      yield* half.await
      yield* endOthers
      yield* ended.open
      isUnavailable(yield* Fiber.join(work))
    }).pipe(Effect.provide(Databases.database("empty"))),
  )
})

describe("a pool", () => {
  it.effect(
    "P2: without a free connection is unavailable storage, and works when one is free",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const held = yield* Latch.make()
        const letGo = yield* Latch.make()
        const holder = yield* Effect.andThen(held.open, letGo.await).pipe(
          sql.withTransaction,
          Effect.forkChild,
        )
        yield* held.await
        const all = Array.from({ length: 20 }, () =>
          Effect.flip(Connection.guard(sql.withTransaction(sql`SELECT 1`), 100)),
        )
        for (const error of yield* Effect.all(all, { concurrency: "unbounded" })) {
          assert.strictEqual(error.message, "The database did not respond in time: try again")
        }
        yield* letGo.open
        yield* Fiber.join(holder)
        assert.deepStrictEqual(yield* Connection.guard(sql`SELECT 1 AS one`), [{ one: 1 }])
      }).pipe(Effect.provide(Databases.database("empty", { maxConnections: 1 }))),
  )
})

/** Hands everything on, but nothing from the server to a connection once that has sent a text. */
const swallowingProxy = Effect.fnUntraced(function* (url: string, text: string) {
  const target = new URL(url)
  const swallowed = yield* Latch.make()
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const listening = createServer((client) => {
        const upstream = connect(Number(target.port || 5432), target.hostname)
        let isSwallowing = false
        const cut = () => {
          client.destroy()
          upstream.destroy()
        }
        for (const socket of [client, upstream]) socket.on("error", cut).on("close", cut)
        client.on("data", (bytes) => {
          isSwallowing ||= bytes.includes(text)
          if (isSwallowing) swallowed.openUnsafe()
          upstream.write(bytes)
        })
        upstream.on("data", (bytes) => isSwallowing || client.write(bytes))
      })
      listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
    }),
    (listening) =>
      Effect.callback<void>((resume) => void listening.close(() => resume(Effect.void))),
  )
  const address = server.address()
  const through = new URL(url)
  through.hostname = "127.0.0.1"
  through.port = String(typeof address === "object" ? address?.port : address)
  return { url: through.href, swallowed: swallowed.await }
})

describe("a network that drops every response", { concurrent: true }, () => {
  const refusing = Effect.fail(new NotFound({ what: "payment", message: "no such payment" }))
  /** What a connection does, and the text at which it is left without answers. */
  const operations = [
    { name: "a statement", text: "+ 1", run: give, given: 11 },
    {
      name: "BEGIN",
      text: "BEGIN",
      run: (sql: SqlClient.SqlClient) => sql.withTransaction(give(sql, 1)),
      given: 10,
    },
    {
      name: "COMMIT, though it was written",
      text: "COMMIT",
      run: (sql: SqlClient.SqlClient) => sql.withTransaction(give(sql, 1)),
      given: 11,
    },
    {
      name: "ROLLBACK",
      text: "ROLLBACK",
      run: (sql: SqlClient.SqlClient) =>
        sql.withTransaction(Effect.andThen(give(sql, 1), refusing)),
      given: 10,
    },
  ] as const

  it.effect.each(operations)(
    "is unavailable storage within the timeout, and frees its place in the pool: $name",
    ({ given, run, text }) =>
      Effect.gen(function* () {
        const url = yield* Databases.address("empty")
        const direct = yield* Layer.build(Connection.layer({ url: Redacted.make(url) }))
        const sql = yield* Effect.provide(accounts, direct)
        const proxy = yield* swallowingProxy(url, text)
        const config = { url: Redacted.make(proxy.url), maxConnections: 1 }
        const through = yield* Layer.build(Connection.layer(config, 6000))
        const waiting = yield* Effect.provide(SqlClient.SqlClient, through)
        // Long enough to make the connection, even on a busy machine.
        const error = yield* Effect.flip(Connection.guard(run(waiting, 1), 5000))
        assert.strictEqual(error.message, "The database did not respond in time: try again")
        yield* proxy.swallowed
        // Handed on is not done yet.
        yield* Effect.repeat(balances(sql), { until: ([first]) => first === given })
        // The next one waits for the only place, as long as callers do.
        assert.deepStrictEqual(yield* Connection.guard(waiting`SELECT 1 AS one`), [{ one: 1 }])
      }),
  )
})

describe("Reads", { concurrent: true }, () => {
  it.effect("of a storage wait for no writer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accountStore = yield* AccountStore
      const payments = yield* PaymentStore
      const held = yield* Latch.make()
      const holder = yield* Effect.andThen(held.open, Effect.never).pipe(
        sql.withTransaction,
        Effect.forkChild,
      )
      yield* held.await
      const world = Fixtures.make("reads")
      const { payment } = world.createPayment()
      const reads: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        payments.payment(payment.id),
        accountStore.keyByHash(world.apiKey().hash),
        findMerchant(accountStore, world.tenant, world.merchantId),
      ]
      for (const read of reads) assert.instanceOf(yield* Effect.flip(read), NotFound)
      assert.deepStrictEqual(yield* payments.collected(payment.id), [])
      yield* Fiber.interrupt(holder)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          StoragePostgres.layer,
          Databases.database("migrated", { maxConnections: 1 }),
        ),
      ),
    ),
  )

  it.effect("whose connection was lost are unavailable storage, and the next ones succeed", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      const context = yield* Layer.build(Connection.layer({ url: Redacted.make(url) }))
      const reads = Context.get(context, Connection.Reads)
      const slow = yield* Effect.all(
        ["first", "second"].map((name) =>
          Effect.forkChild(Connection.guard(reads`SELECT pg_sleep(600), ${name}`)),
        ),
      )
      yield* Effect.provide(Effect.andThen(untilRunning("pg_sleep"), endOthers), context)
      for (const each of slow) isUnavailable(yield* Effect.flip(Fiber.join(each)))
      assert.deepStrictEqual(yield* Connection.guard(reads`SELECT 1 AS one`), [{ one: 1 }])
    }),
  )

  it.effect("on a connection without responses are unavailable storage, and it is replaced", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      const proxy = yield* swallowingProxy(url, "swallow this")
      const config = { url: Redacted.make(proxy.url) }
      const context = yield* Layer.build(Connection.layer(config, 5000))
      const reads = Context.get(context, Connection.Reads)
      yield* reads`SELECT 'and nothing else'`
      const silenced = Connection.guard(reads`SELECT 'swallow this'`, 1000)
      isUnavailable(yield* Effect.flip(silenced))
      const one = Connection.guard(reads`SELECT 1 AS one`, 1000)
      isUnavailable(yield* Effect.flip(one))
      assert.deepStrictEqual(yield* Effect.eventually(one), [{ one: 1 }])
    }),
  )
})

describe("a server that crashes and restarts", () => {
  it.effect("P2: is reported as unavailable storage meanwhile, and loses no committed data", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const context = yield* Layer.build(Connection.layer({ url: Redacted.make(server.url) }))
      yield* Effect.gen(function* () {
        const sql = yield* accounts
        yield* Connection.guard(give(sql, 1))
        const slow = yield* Effect.forkChild(
          Connection.guard(
            sql.withTransaction(Effect.andThen(give(sql, 2), sql`SELECT pg_sleep(600)`)),
          ),
        )
        yield* untilRunning("pg_sleep")
        yield* server.stop("immediate")
        isUnavailable(yield* Effect.flip(Fiber.join(slow)))
        isUnavailable(yield* Effect.flip(Connection.guard(balances(sql))))
        yield* server.start
        assert.deepStrictEqual(yield* Connection.guard(balances(sql)), [11, 10])
      }).pipe(Effect.provide(context))
    }),
  )
})

describe("a write that waits for its standby", () => {
  const standby = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, names: string) {
    yield* sql.unsafe(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
    yield* sql`SELECT pg_reload_conf()`
  })

  /** Until a write waits: the server reads its settings again in each of its processes, when that gets to it. */
  const untilWritesWait = Effect.fnUntraced(function* (
    sql: SqlClient.SqlClient,
    operator: SqlClient.SqlClient,
  ) {
    yield* operator`CREATE TABLE probes (id integer)`
    const write = Effect.exit(Connection.guard(sql`INSERT INTO probes VALUES (1)`, 200))
    const writes = yield* Effect.forkChild(Effect.forever(write))
    yield* operator`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`.pipe(
      Effect.repeat({
        until: (rows) => rows.length > 0,
        schedule: Schedule.spaced("5 millis"),
      }),
      Connection.realTime,
    )
    yield* Fiber.interrupt(writes)
  })

  it.effect("P2: is invisible until then, even if its caller was interrupted", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const connected = (url: string) =>
        Effect.map(
          Layer.build(Connection.layer({ url: Redacted.make(url) })),
          Context.get(SqlClient.SqlClient),
        )
      const sql = yield* connected(server.url)
      const operator = yield* connected(`${server.url}?options=-c%20synchronous_commit%3Dlocal`)
      yield* accounts.pipe(Effect.provideService(SqlClient.SqlClient, operator))
      yield* standby(operator, "*")
      yield* untilWritesWait(sql, operator)

      const unanswered = yield* Effect.forkChild(Effect.flip(Connection.guard(give(sql, 1), 3000)))
      yield* untilRunning("balance + 1").pipe(Effect.provideService(SqlClient.SqlClient, operator))
      isUnavailable(yield* Fiber.join(unanswered))
      const interrupted = yield* Effect.forkChild(
        Connection.guard(sql`UPDATE accounts SET balance = 11 WHERE id = 2`),
      )
      yield* untilRunning("SET balance = 11").pipe(
        Effect.provideService(SqlClient.SqlClient, operator),
      )
      yield* Fiber.interrupt(interrupted)
      // The driver would have cancelled them by now.
      yield* Connection.realTime(Effect.sleep("500 millis"))
      assert.deepStrictEqual(yield* balances(operator), [10, 10])

      yield* standby(operator, "")
      yield* balances(operator).pipe(
        Effect.repeat({
          until: ([first, second]) => first === 11 && second === 11,
          schedule: Schedule.spaced("5 millis"),
        }),
        Connection.realTime,
      )
    }),
  )
})
