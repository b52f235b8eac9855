import { Buffer } from "node:buffer"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { assert, describe, layer } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SqlError from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import * as Bridge from "../src/Bridge.ts"
import * as Embedded from "../src/Embedded.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Pglite from "../src/Pglite.ts"

/** A table of one's own, with the counter 1 in it. */
const counter = Effect.fnUntraced(function* (name: string) {
  const sql = yield* PgClient.PgClient
  yield* sql`CREATE TABLE ${sql(name)} (id integer PRIMARY KEY, value integer NOT NULL)`
  yield* sql`INSERT INTO ${sql(name)} VALUES (1, 0)`
  const read = Effect.map(
    sql<{ value: number }>`SELECT value FROM ${sql(name)} WHERE id = 1`,
    (rows) => rows[0]?.value ?? Number.NaN,
  )
  const write = (value: number) => sql`UPDATE ${sql(name)} SET value = ${value} WHERE id = 1`
  const add = (id: number) => sql`INSERT INTO ${sql(name)} VALUES (${id}, 0)`
  const count = Effect.map(
    sql<{ count: number }>`SELECT count(*)::int AS count FROM ${sql(name)}`,
    (rows) => rows[0]?.count ?? Number.NaN,
  )
  return { sql, read, write, add, count }
})

/** Begins a transaction, writes, and waits for ever. */
const stuck = Effect.fnUntraced(function* (table: Effect.Success<ReturnType<typeof counter>>) {
  const begun = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(
    table.sql.withTransaction(
      table
        .write(99)
        .pipe(Effect.andThen(Deferred.succeed(begun, undefined)), Effect.andThen(Effect.never)),
    ),
  )
  yield* Deferred.await(begun)
  return fiber
})

/** Connections to a database, which come one after the other. */
const connections = Effect.fnUntraced(function* (
  backend: (pglite: Bridge.Backend) => Bridge.Backend = (pglite) => pglite,
) {
  const pglite = yield* Effect.acquireRelease(
    Effect.promise(() => Pglite.open(undefined)),
    (database) => Effect.promise(() => database.close()),
  )
  const stream = yield* Bridge.make(backend(pglite))
  return { connect: PgConnection.make({ stream, ssl: false, username: "postgres" }) }
})

describe("Bridge", () => {
  layer(Embedded.layer(), { excludeTestServices: true })("with its driver", (it) => {
    it.effect("a committed transaction is stored, and a failed one is not", () =>
      Effect.gen(function* () {
        const { read, sql, write } = yield* counter("kept")
        yield* sql.withTransaction(write(1))
        assert.strictEqual(yield* read, 1)
        yield* Effect.flip(sql.withTransaction(Effect.andThen(write(2), Effect.fail("not wanted"))))
        assert.strictEqual(yield* read, 1)
      }),
    )

    it.effect("a failed savepoint leaves the rest of the transaction", () =>
      Effect.gen(function* () {
        const { count, read, sql, add, write } = yield* counter("parts")
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* write(1)
            yield* Effect.flip(
              sql.withTransaction(Effect.andThen(write(2), Effect.fail("not wanted"))),
            )
            yield* Effect.flip(sql.withTransaction(add(1)))
            yield* add(2)
          }),
        )
        assert.deepStrictEqual([yield* read, yield* count], [1, 2])
      }),
    )

    it.effect("a violated unique constraint is reported by its name", () =>
      Effect.gen(function* () {
        const { add } = yield* counter("once")
        const { reason } = yield* Effect.flip(add(1))
        assert.strictEqual(reason._tag, "UniqueViolation")
        assert.propertyVal(reason, "constraint", "once_pkey")
      }),
    )

    it.effect("an error in a transaction aborts all its statements", () =>
      Effect.gen(function* () {
        const { add, count, sql } = yield* counter("ended")
        const failure = yield* Effect.flip(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* add(2)
              yield* Effect.flip(add(1))
              yield* add(3)
            }),
          ),
        )
        assert.isTrue(SqlError.isSqlError(failure))
        assert.strictEqual(yield* count, 1)
      }),
    )

    it.effect("concurrent transactions that read and write lose no write", () =>
      Effect.gen(function* () {
        const { read, sql, write } = yield* counter("added")
        const times = Counts.of({ usual: 50, full: 1000 })
        const increment = sql.withTransaction(
          read.pipe(
            Effect.tap(() => Effect.yieldNow),
            Effect.flatMap((value) => write(value + 1)),
          ),
        )
        yield* Effect.all(
          Array.from({ length: times }, () => increment),
          { concurrency: "unbounded", discard: true },
        )
        assert.strictEqual(yield* read, times)
      }),
    )

    it.effect("a stream returns all rows, and releases its connection if it is left early", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const rows = sql<{ n: number }>`
          SELECT n, repeat('x', 100) AS filler FROM generate_series(1, 5000) n`.stream
        const sum = yield* Stream.runFold(
          rows,
          () => 0,
          (total, { n }) => total + n,
        )
        assert.strictEqual(sum, (5000 * 5001) / 2)
        for (let round = 0; round < 6; round++) {
          assert.lengthOf(yield* Stream.runCollect(Stream.take(rows, 3)), 3)
        }
        yield* sql.withTransaction(
          Effect.gen(function* () {
            assert.lengthOf(yield* Stream.runCollect(Stream.take(rows, 3)), 3)
            yield* sql`SELECT 1`
          }),
        )
      }),
    )

    it.effect("an interrupted transaction is rolled back, and the next one starts", () =>
      Effect.gen(function* () {
        const table = yield* counter("interrupted")
        const fiber = yield* stuck(table)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* table.read, 0)
      }),
    )

    it.effect("a transaction that waits can be interrupted, and then does nothing", () =>
      Effect.gen(function* () {
        const table = yield* counter("waiting")
        const running = yield* stuck(table)
        const waiting = yield* Effect.forkScoped(table.add(2))
        yield* Effect.sleep(20)
        yield* Fiber.interrupt(waiting)
        yield* Fiber.interrupt(running)
        assert.strictEqual(yield* table.count, 1)
      }),
    )

    it.effect("more transactions can wait than there are connections", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const asked = Array.from({ length: 100 }, (_, index) => index)
        const answers = yield* Effect.forEach(
          asked,
          (n) => sql<{ n: number }>`SELECT ${n}::int AS n`,
          { concurrency: "unbounded" },
        )
        assert.deepStrictEqual(
          answers.map((rows) => rows[0]?.n),
          asked,
        )
      }),
    )

    it.effect("rows of several megabytes are written and read", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`CREATE TABLE large (id integer, words text, bytes bytea)`
        const words = "é".repeat(2_000_000)
        const bytes = new Uint8Array(3_000_000).map((_, index) => index % 251)
        for (const id of [1, 2, 3]) {
          yield* sql`INSERT INTO large VALUES (${id}, ${words}, ${bytes})`
        }
        const rows = yield* sql<{ words: string; bytes: Uint8Array }>`SELECT * FROM large`
        assert.lengthOf(rows, 3)
        for (const row of rows) {
          assert.isTrue(row.words === words)
          assert.isTrue(Buffer.from(row.bytes).equals(bytes))
        }
      }),
    )

    it.effect("every type of the schema is written and read", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`CREATE TABLE of_all_types (
          small integer, large bigint, amount numeric(78,0), flag boolean,
          words text, id text COLLATE "C", document jsonb, bytes bytea)`
        const largest = 2n ** 63n - 1n
        const amount = `${2n ** 256n - 1n}`
        const document = { a: [1, "two", null, { b: true }], ключ: "\u{1f600} \\ \" '" }
        const bytes = new Uint8Array([0, 1, 127, 128, 255])
        const words = "a'b\"c\\d\n\t$1 ключ \u{1f600}"
        yield* sql`INSERT INTO of_all_types VALUES (
          ${-(2 ** 31)}, ${largest}, ${amount}, ${true}, ${words}, ${""},
          ${PgTypes.jsonb(document)}, ${bytes})`
        yield* sql`INSERT INTO of_all_types VALUES (
          ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null})`
        const [row, empty] = yield* sql`
          SELECT * FROM of_all_types WHERE large = ${largest} OR large IS NULL ORDER BY large`
        assert.deepStrictEqual(row, {
          small: -(2 ** 31),
          large: largest,
          amount,
          flag: true,
          words,
          id: "",
          document,
          bytes: row?.["bytes"],
        })
        assert.isTrue(
          row?.["bytes"] instanceof Uint8Array && Buffer.from(bytes).equals(row["bytes"]),
        )
        assert.deepStrictEqual(new Set(Object.values(empty ?? {})), new Set([null]))
      }),
    )

    it.effect("the migrations create the tables", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* Migrations.run()
        assert.deepStrictEqual(yield* sql`SELECT id FROM florin.payments`, [])
      }),
    )
  })

  layer(Layer.empty, { excludeTestServices: true })("with one connection after the other", (it) => {
    it.effect("a connection finds nothing of the one before it", () =>
      Effect.gen(function* () {
        const { connect } = yield* connections()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { query } = yield* connect
            yield* query("CREATE TABLE left_open (id integer)", [])
            yield* query("BEGIN", [])
            yield* query("INSERT INTO left_open VALUES ($1)", [1])
          }),
        )
        const { query } = yield* connect
        assert.deepStrictEqual((yield* query("SELECT id FROM left_open", [])).rows, [])
        const prepared =
          "SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'"
        assert.deepStrictEqual((yield* query(prepared, [])).rows, [])
      }),
    )

    for (const [how, execProtocolRawSync] of Object.entries<Bridge.Backend["execProtocolRawSync"]>({
      "falls silent": () => new Uint8Array(),
      throws: () => {
        throw new Error("unreachable")
      },
    })) {
      it.effect(`a database that ${how} is not used again`, () =>
        Effect.gen(function* () {
          let isWell = true
          const { connect } = yield* connections((pglite) => ({
            execProtocolRawSync: (messages) =>
              (isWell ? pglite.execProtocolRawSync : execProtocolRawSync).call(pglite, messages),
          }))
          const { query } = yield* connect
          isWell = false
          const { reason } = yield* Effect.flip(query("SELECT 1", []))
          assert.include(String(reason.cause), "has broken down: restart the process")
          isWell = true
          const later = yield* Effect.flip(connect)
          assert.include(String(later.reason.cause), "has broken down: restart the process")
        }),
      )
    }
  })
})
