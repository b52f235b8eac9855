/**
 * The storage behind the real PgBouncer.
 *
 * @module
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import { Effect, Layer, Logger, Redacted, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../../src/Connection.ts"
import * as Migrations from "../../src/Migrations.ts"
import * as Pooler from "../../src/Pooler.ts"
import * as SignalsPostgres from "../../src/SignalsPostgres.ts"
import * as Databases from "../../test-support/databases.ts"
import * as Pgbouncer from "../../test-support/pgbouncer.ts"
import * as Shop from "../../test-support/shop.ts"

Pgbouncer.announce("the storage was")

const connect = (url: string) => PgConnection.make({ url: Redacted.make(url) })

/** What the operator reads who starts on this address. */
const refusalOf = (url: string, waitInMs?: number) =>
  Layer.build(Connection.layer({ url: Redacted.make(url) }, waitInMs)).pipe(
    Effect.flip,
    Effect.scoped,
    Effect.map(({ message }) => message.replace(/127\.0\.0\.1:\d+/u, "HOST")),
  )

const sharing = `The connection pooler at HOST ${Pooler.shares}`

describe.skipIf(!Pgbouncer.isInstalled)("PgBouncer", () => {
  it.effect("in session mode has no effect, and limits each connection once", () =>
    Effect.gen(function* () {
      const url = yield* Pgbouncer.make(yield* Databases.address("empty"), {
        pool_mode: "session",
      })
      const limit = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.withTransaction(sql`SHOW idle_in_transaction_session_timeout`),
      )
      const is = (limited: string) => [{ idle_in_transaction_session_timeout: limited }]
      const connection = Connection.layer({ url: Redacted.make(url), maxConnections: 1 })
      yield* Effect.gen(function* () {
        assert.isNotEmpty(yield* Migrations.run())
        assert.deepStrictEqual(yield* limit, is("30s"))
        const sql = yield* SqlClient.SqlClient
        yield* sql`SET idle_in_transaction_session_timeout = '77s'`
        assert.deepStrictEqual(yield* limit, is("77s"))
      }).pipe(Effect.provide(connection))
      // PgBouncer has reset the session, and hands it out again.
      assert.deepStrictEqual(yield* Effect.provide(limit, connection), is("30s"))
    }),
  )

  for (const mode of ["transaction", "statement"] as const) {
    for (const round of [0, 1]) {
      it.effect(`in ${mode} mode is refused (server_round_robin = ${round})`, () =>
        Effect.gen(function* () {
          const url = yield* Pgbouncer.make(yield* Databases.address("empty"), {
            pool_mode: mode,
            server_round_robin: round,
          })
          assert.strictEqual(yield* refusalOf(url), sharing)
          // Again with several connections to choose from, and while others take and return them.
          const others = yield* Effect.all(Array.from({ length: 6 }, () => connect(url)))
          for (const { query } of others) {
            yield* Effect.forkScoped(
              Effect.forever(query("SELECT pg_sleep(0.001 * random())", [], false)),
            )
          }
          assert.strictEqual(yield* refusalOf(url), sharing)
        }),
      )
    }
  }

  const session = { pool_mode: "session" } as const
  const none =
    "The connection pooler at HOST has no connection to PostgreSQL left, or cannot make one: check that PostgreSQL runs, and that default_pool_size in PgBouncer is at least 12 for each process of Florin"

  it.effect("is refused with what is wrong and what to do", () =>
    Effect.gen(function* () {
      const database = yield* Databases.address("empty")
      const said = (
        settings: Partial<Pgbouncer.Settings>,
        address: (url: URL) => void = () => {},
        serverPort?: number,
      ) =>
        Effect.gen(function* () {
          const url = new URL(
            yield* Pgbouncer.make(database, { ...session, ...settings }, serverPort),
          )
          address(url)
          return yield* refusalOf(url.href)
        }).pipe(Effect.scoped)
      assert.strictEqual(
        yield* said({}, (url) => url.searchParams.set("options", "-c lock_timeout=1s")),
        "The connection pooler at HOST refuses the parameter options: remove it from the address, or add it to ignore_startup_parameters in PgBouncer (08P01)",
      )
      assert.strictEqual(
        yield* said({ max_client_conn: 1 }),
        "The connection pooler at HOST takes no more clients: raise max_client_conn in PgBouncer (08P01)",
      )
      assert.match(
        yield* said({}, (url) => (url.pathname = "/florin_nowhere")),
        /^The (?:connection pooler|database server) at HOST has no database of that name: .* \((?:08P01|3D000)\)$/u,
      )
      // Nothing listens on that port.
      assert.strictEqual(yield* said({ query_wait_timeout: 1 }, undefined, 1), `${none} (08P01)`)
    }).pipe(Connection.realTime),
  )

  it.effect("with too small a pool is refused, whether it closes the connection or not", () =>
    Effect.gen(function* () {
      const database = yield* Databases.address("empty")
      const patient = yield* Pgbouncer.make(database, { ...session, default_pool_size: 1 })
      assert.strictEqual(yield* refusalOf(patient, 500), none)
      // The connection that another client has is not free for the first question either.
      yield* Effect.flatMap(connect(patient), ({ query }) => query("SELECT 1", [], false))
      assert.match(
        yield* refusalOf(patient, 500),
        /^The database server at HOST accepts a connection .* If it is a connection pooler, check that default_pool_size/u,
      )
      const hasty = yield* Pgbouncer.make(database, {
        ...session,
        default_pool_size: 1,
        query_wait_timeout: 1,
      })
      assert.strictEqual(yield* refusalOf(hasty), none)
    }).pipe(Connection.realTime),
  )

  it.effect("that starts to share connections later is logged as an error", () =>
    Effect.gen(function* () {
      const url = yield* Pgbouncer.make(yield* Databases.address("empty"), {
        pool_mode: "transaction",
      })
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        logged.push(`${logLevel} ${String(message)}`)
      })
      yield* Effect.gen(function* () {
        const signals = yield* Signals
        const other = yield* connect(url)
        yield* other.query("BEGIN", [], false)
        yield* Effect.repeat(signals.changed(PaymentId.PaymentId.make("pay_1")), {
          until: () => logged.length > 0,
          schedule: Schedule.spaced("5 millis"),
        })
        yield* other.query("ROLLBACK", [], false)
      }).pipe(
        Effect.provide(
          SignalsPostgres.layer.pipe(
            Layer.provide(Connection.sessions(Redacted.make(url))),
            Layer.provide(Logger.layer([logger])),
          ),
        ),
      )
      assert.deepStrictEqual(logged, [
        `Error signals between processes are lost: the connection pooler ${Pooler.shares}`,
      ])
    }).pipe(Connection.realTime),
  )

  it.effect("in transaction mode works with a pool of the application, without signals", () =>
    Effect.gen(function* () {
      const url = yield* Pgbouncer.make(yield* Databases.address("empty"), {
        pool_mode: "transaction",
      })
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => Shop.poolOf(url)),
        (each) => Effect.promise(() => each.end()),
      )
      const florin = Shop.florinOn({ pool })
      const shop = yield* Effect.promise(async () => {
        await Shop.createTables(pool)
        const whose = await Shop.register(florin, pool)
        await Shop.followEvents(florin, whose, pool)
        await florin.workers.start()
        return whose
      })
      const places = Array.from({ length: 20 }, (_, index) => `order-${index}`)
      yield* Effect.forEach(
        places,
        (place) =>
          Effect.promise(async () => {
            const client = await pool.connect()
            await client.query("BEGIN")
            await Shop.order(florin, shop, client, place)
            await client.query("COMMIT")
            client.release()
          }),
        { concurrency: 5 },
      )
      const found = yield* Effect.repeat(
        Effect.promise(() => Shop.contradictions(pool)),
        { until: (each) => each?.missing === 0, schedule: Schedule.spaced("50 millis") },
      )
      assert.deepStrictEqual(found, { orders: 0, payments: 0, missing: 0, doubled: 0 })
      yield* Effect.promise(() => florin.dispose())
    }).pipe(Connection.realTime),
  )
})
