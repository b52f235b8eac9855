import { Buffer } from "node:buffer"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { assert, describe, layer } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as SqlError from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import * as Bridge from "../src/Bridge.ts"
import * as Embedded from "../src/Embedded.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Wire from "./wire.ts"

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

/** A connection by hand over the same bridge as the client's. */
const wire = Effect.fnUntraced(function* () {
  const { config } = yield* PgClient.PgClient
  assert.isDefined(config.stream)
  return yield* Wire.open(config.stream())
})

const { ready } = Wire

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

    it.effect("a notification reaches every listener after the commit, and not before", () =>
      Effect.gen(function* () {
        const pg = yield* PgClient.PgClient
        const first = yield* pg.listen("news")
        const second = yield* pg.listen("news")
        const other = yield* pg.listen('Other "channel"')
        const tell = (payload: string) => pg`SELECT pg_notify('news', ${payload})`
        yield* Effect.flip(pg.withTransaction(Effect.andThen(tell("none"), Effect.fail("undone"))))
        yield* pg.withTransaction(
          Effect.gen(function* () {
            yield* tell("one")
            yield* Effect.sleep(20)
            assert.strictEqual(yield* Queue.size(first), 0)
          }),
        )
        yield* pg.notify("news", "two")
        yield* pg.notify('Other "channel"', "three")
        for (const queue of [first, second]) {
          const [one, two] = [yield* Queue.take(queue), yield* Queue.take(queue)]
          assert.deepStrictEqual([one.payload, two.payload], ["one", "two"])
        }
        assert.strictEqual((yield* Queue.take(other)).payload, "three")
        assert.strictEqual(yield* Queue.size(first), 0)
      }),
    )

    it.effect("a listener that stops does not stop the others", () =>
      Effect.gen(function* () {
        const pg = yield* PgClient.PgClient
        const staying = yield* pg.listen("shared")
        yield* Effect.scoped(pg.listen("shared"))
        yield* pg.notify("shared", "still")
        assert.strictEqual((yield* Queue.take(staying)).payload, "still")
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

  layer(Embedded.layer(), { excludeTestServices: true })("on the wire", (it) => {
    it.effect("accepts a connection without encryption, however the bytes arrive", () =>
      Effect.gen(function* () {
        const { config } = yield* PgClient.PgClient
        const stream = config.stream?.()
        assert.isDefined(stream)
        stream.write(PgProtocol.encodeSslRequest())
        const answer = yield* Effect.promise(
          () => new Promise<Buffer>((resolve) => stream.once("data", resolve)),
        )
        assert.strictEqual(answer.toString(), "N")
        const byHand = yield* Wire.open(stream, false)
        for (const byte of Buffer.concat([Wire.startup, Wire.query("SELECT 7")])) {
          stream.write(Buffer.from([byte]))
        }
        const greeting = yield* byHand.ask(ready)
        assert.strictEqual(greeting[0], "AuthenticationOk")
        assert.include(greeting, "BackendKeyData")
        assert.include(yield* byHand.ask(ready), "7")
      }),
    )

    it.effect("two connections may prepare different statements with the same name", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* wire(), yield* wire()]
        yield* one.ask(ready, Wire.parse("same", "SELECT 'one'"), Wire.sync)
        yield* two.ask(ready, Wire.parse("same", "SELECT 'two'"), Wire.sync)
        const run = [Wire.bind("same"), Wire.execute, Wire.sync]
        assert.include(yield* one.ask(ready, ...run), "one")
        assert.include(yield* two.ask(ready, ...run), "two")
        yield* one.ask(ready, Wire.close("same"), Wire.sync)
        assert.include(yield* two.ask(ready, Wire.describe("same"), ...run), "two")
        assert.include(yield* one.ask(ready, ...run), "error 26000")
      }),
    )

    it.effect("a connection leaves no prepared statement behind", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const statements = Effect.map(
          sql`SELECT 1 FROM pg_prepared_statements WHERE statement = 'SELECT ''left'''`,
          (rows) => rows.length,
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const leaving = yield* wire()
            yield* leaving.ask(ready, Wire.parse("", "SELECT 'no name'"), Wire.sync)
            yield* leaving.ask(ready, Wire.parse("left", "SELECT 'left'"), Wire.sync)
            assert.strictEqual(yield* statements, 1)
          }),
        )
        assert.strictEqual(yield* statements, 0)
      }),
    )

    it.effect("an unnamed statement is not executed for another connection", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* wire(), yield* wire()]
        yield* one.ask(ready, Wire.parse("", "SELECT 'one'"), Wire.sync)
        yield* two.ask(ready, Wire.parse("", "SELECT 'two'"), Wire.sync)
        const run = [Wire.bind(""), Wire.execute, Wire.sync]
        assert.include(yield* one.ask(ready, ...run), "error 26000")
        assert.include(yield* two.ask(ready, ...run), "two")
      }),
    )

    it.effect("a flush is answered, while other connections wait for the sync", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* wire(), yield* wire()]
        const frames = [Wire.parse("", "SELECT 'one'"), Wire.bind(""), Wire.execute, Wire.flush]
        yield* one.ask(["SELECT 1"], ...frames)
        yield* two.send(Wire.query("SELECT 'two'"))
        yield* Effect.sleep(20)
        assert.deepStrictEqual(two.pending(), [])
        assert.deepStrictEqual(yield* one.ask(ready, Wire.sync), ["I"])
        assert.include(yield* two.ask(ready), "two")
      }),
    )

    const endings: Record<string, (open: Wire.Wire) => Effect.Effect<unknown>> = {
      "with a goodbye": (open) => Effect.sync(() => open.stream.end(Wire.terminate)),
      "without one": (open) => Effect.sync(() => open.stream.destroy()),
      "after an error that no sync followed": (open) =>
        Effect.andThen(
          open.ask(["error 42703"], Wire.parse("", "SELECT nothing"), Wire.flush),
          Effect.sync(() => open.stream.destroy()),
        ),
      "after it sent nonsense": (open) => open.send(new Uint8Array(8)),
    }
    for (const [how, end] of Object.entries(endings)) {
      it.effect(`a connection that ends ${how} rolls its transaction back`, () =>
        Effect.gen(function* () {
          const name = `ended ${how}`
          const { count, sql } = yield* counter(name)
          const open = yield* wire()
          yield* open.ask(["T"], Wire.query("BEGIN"))
          yield* open.ask(["T"], Wire.query(`INSERT INTO "${name}" VALUES (2, 0)`))
          yield* end(open)
          assert.strictEqual(yield* count, 1)
          yield* sql.withTransaction(sql`INSERT INTO ${sql(name)} VALUES (2, 0)`)
          assert.strictEqual(yield* count, 2)
        }),
      )
    }

    it.effect("a client that does not read gets no further turn", () =>
      Effect.gen(function* () {
        const { count } = yield* counter("unread")
        const slow = yield* wire()
        slow.stream.pause()
        const insert = (id: number) =>
          Wire.query(`INSERT INTO unread VALUES (${id}, 0) RETURNING repeat('x', 1000000)`)
        yield* slow.send(insert(2), insert(3))
        while ((yield* count) < 2) yield* Effect.sleep(1)
        yield* Effect.sleep(20)
        assert.strictEqual(yield* count, 2)
        slow.stream.resume()
        yield* slow.ask(ready)
        yield* slow.ask(ready)
        assert.strictEqual(yield* count, 3)
      }),
    )

    it.effect("only a waiting transaction can be cancelled", () =>
      Effect.gen(function* () {
        const { config } = yield* PgClient.PgClient
        const [one, two] = [yield* wire(), yield* wire()]
        yield* one.ask(["T"], Wire.query("BEGIN"))
        yield* two.send(Wire.query("SELECT 'two'"))
        yield* Effect.sleep(20)
        one.stream.pause()
        const large = Wire.query("SELECT repeat('x', 1000000)")
        yield* one.send(large, Wire.query("SELECT 'of the transaction'"))
        yield* Effect.sleep(20)
        for (let pid = 1; pid < 100; pid++) {
          config.stream?.().write(PgProtocol.encodeCancelRequest({ pid, secret: 0 }))
        }
        assert.deepStrictEqual(yield* two.ask(ready), ["error 57014", "I"])
        one.stream.resume()
        yield* one.ask(ready)
        assert.include(yield* one.ask(ready), "of the transaction")
        assert.include(yield* one.ask(ready, Wire.query("SELECT 'one'")), "one")
        yield* one.ask(["I"], Wire.query("COMMIT"))
        assert.include(yield* two.ask(ready, Wire.query("SELECT 'two'")), "two")
      }),
    )

    it.effect("a notification goes only to connections that listen", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* wire(), yield* wire()]
        yield* one.ask(ready, Wire.query("LISTEN told"))
        assert.deepStrictEqual(yield* two.ask(ready, Wire.query("NOTIFY told, 'it'")), [
          "NOTIFY",
          "I",
        ])
        assert.deepStrictEqual(one.pending(), ["told: it"])
      }),
    )
  })

  layer(Embedded.layer(), { excludeTestServices: true })("with a database that fails", (it) => {
    for (const [how, backend] of Object.entries<Bridge.Backend>({
      "falls silent": { execProtocolRawStream: () => Promise.resolve() },
      throws: { execProtocolRawStream: () => Promise.reject(new Error("unreachable")) },
    })) {
      it.effect(`closes all connections, and accepts no more, if it ${how}`, () =>
        Effect.gen(function* () {
          const bridge = yield* Bridge.make(backend)
          const [one, two] = [
            yield* Wire.open(bridge.connect()),
            yield* Wire.open(bridge.connect()),
          ]
          yield* one.send(Wire.query("SELECT 1"))
          while (!one.stream.destroyed) yield* Effect.sleep(1)
          assert.isTrue(two.stream.destroyed)
          assert.include(two.stream.errored?.message, "has broken down: restart the process")
          const late = yield* Wire.open(bridge.connect(), false)
          assert.isTrue(late.stream.destroyed)
        }),
      )
    }
  })
})
