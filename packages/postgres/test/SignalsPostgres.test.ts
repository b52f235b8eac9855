import { once } from "node:events"
import { connect, createServer } from "node:net"
import { assert, layer } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type { Signals } from "@florin/core/ports/Signals"
import * as SignalsSuite from "@florin/testing/SignalsSuite"
import { Effect, Layer, Logger, Queue, Redacted, Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import * as Connection from "../src/Connection.ts"
import * as SignalsPostgres from "../src/SignalsPostgres.ts"
import * as Databases from "../test-support/databases.ts"

const database = Databases.database("empty")

SignalsSuite.suiteOfMany("PostgreSQL", SignalsPostgres.layer, database)
SignalsSuite.suiteOfMany(
  "a pool of the application",
  SignalsPostgres.layer,
  Databases.appPool("empty"),
)

const channel = "florin_payment_changed"
const { awaitArrival, isWaiting } = SignalsSuite
const start = SignalsSuite.start(SignalsPostgres.layer)

const [first, second] = [PaymentId.PaymentId.make("pay_1"), PaymentId.PaymentId.make("pay_2")]
const many = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    PaymentId.PaymentId.make(`pay_${String(index).padStart(64, "0")}`),
  )

const changeAll = (signals: Signals["Service"], ids: ReadonlyArray<PaymentId.PaymentId>) =>
  Effect.forEach(ids, (id) => signals.changed(id), { discard: true })

/** The listening connections on this database, as PostgreSQL counts them. */
const listeners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly pid: number }>`
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'florin signals'`
  return rows.map(({ pid }) => pid)
})

const cut = (pids: ReadonlyArray<number>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(pids, (pid) => sql`SELECT pg_terminate_backend(${pid}, 10000)`),
  )

/** What is told on the channel from now on, until some message holds this id. */
const overhear = Effect.gen(function* () {
  const { listen } = yield* Effect.flatten(Connection.Sessions)
  const notifications = yield* listen(channel)
  return Effect.fnUntraced(function* (last: PaymentId.PaymentId) {
    const payloads: Array<string> = []
    while (!(payloads.at(-1) ?? "").split(" ").includes(last)) {
      payloads.push((yield* Queue.take(notifications)).payload)
    }
    return payloads
  })
})

const idsIn = (payloads: ReadonlyArray<string>) =>
  payloads.flatMap((payload) => payload.split(" ").slice(1))

/** A way to the database where nothing answers until it is opened, and that can lose what is sent through it. */
const closedDoor = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [own] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`
  const target = new URL(inject("postgres").url)
  target.pathname = own?.name ?? assert.fail()
  let isOpen = false
  let isLosing = false
  const door = createServer((socket) => {
    if (!isOpen) return void socket.destroy()
    const through = connect(Number(target.port), target.hostname)
    const shut = () => {
      socket.destroy()
      through.destroy()
    }
    for (const each of [socket, through]) each.on("error", shut).on("close", shut)
    through.on("data", (bytes) => socket.write(bytes))
    socket.on("data", (bytes) => {
      if (!isLosing) return void through.write(bytes)
      isLosing = false
      return shut()
    })
  })
  const listen = Effect.promise(async () => {
    door.listen(0, "127.0.0.1")
    await once(door, "listening")
    const address = door.address()
    return typeof address === "object" && address !== null ? address.port : 0
  })
  const port = yield* Effect.acquireRelease(listen, () => Effect.sync(() => door.close()))
  const url = new URL(target)
  url.host = `127.0.0.1:${port}`
  return {
    client: Connection.sessions(Redacted.make(url.href)),
    open: Effect.sync(() => {
      isOpen = true
    }),
    /** The next that is sent comes nowhere, and the connection ends. */
    loseNext: Effect.sync(() => {
      isLosing = true
    }),
  }
})

/** What was logged so far, the newest last. */
const logged: Array<string> = []
const ground = Layer.merge(
  database,
  Logger.layer([
    Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${String(message)}`)),
  ]),
)

layer(ground, { excludeTestServices: true })("SignalsPostgres", (it) => {
  it.effect("uses one connection for each process, and releases it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const signals = yield* Scope.provide(start, scope)
      yield* Scope.provide(start, scope)
      yield* changeAll(signals, many(300))
      assert.strictEqual((yield* listeners).length, 2)
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      yield* Effect.repeat(listeners, { until: (left) => left.length === 0 })
    }),
  )

  it.effect("sends a burst of changes in few messages, with ids only", () =>
    Effect.gen(function* () {
      const heard = yield* overhear
      const signals = yield* start
      const ids = many(1000)
      yield* changeAll(signals, ids)
      yield* signals.changed(first)
      const payloads = yield* heard(first)
      assert.deepStrictEqual(idsIn(payloads), [...ids, first])
      assert.isAtMost(payloads.length, 20)
      for (const payload of payloads) assert.isBelow(Buffer.byteLength(payload), 8000)
    }),
  )

  it.effect("sends what is left when a process ends soon after its changes", () =>
    Effect.gen(function* () {
      const heard = yield* overhear
      const scope = yield* Scope.make()
      const signals = yield* Scope.provide(start, scope)
      yield* signals.changed(first)
      yield* heard(first)
      // It comes in the rest after a message.
      yield* signals.changed(second)
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      // If it had no response to the first message yet, it sends that again.
      assert.include(idsIn(yield* heard(second)), second)
    }),
  )

  it.effect("sends changes only if another process says that it listens", () =>
    Effect.gen(function* () {
      const heard = yield* overhear
      const often = Layer.provide(
        SignalsPostgres.layer,
        Layer.succeed(SignalsPostgres.GreetingInMs, 20),
      )
      const alone = yield* SignalsSuite.start(often)
      yield* Effect.sleep(300)
      yield* alone.changed(first)
      yield* Effect.sleep(50)
      yield* SignalsSuite.start(often)
      const again = Effect.andThen(alone.changed(second), Effect.sleep(20))
      yield* Effect.forkScoped(Effect.forever(again))
      assert.notInclude(idsIn(yield* heard(second)), first)
    }),
  )

  it.effect("sends many changes of one payment as few", () =>
    Effect.gen(function* () {
      const heard = yield* overhear
      const signals = yield* start
      yield* changeAll(signals, [...Array.from({ length: 1000 }, () => first), second])
      assert.isAtMost(idsIn(yield* heard(second)).length, 10)
    }),
  )

  it.effect("wakes all waiting polls once after a lost connection, and then works again", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* start, yield* start]
      const watched = [yield* to.watch(first), yield* to.watch(second)]
      for (const _ of [1, 2]) {
        yield* cut(yield* listeners)
        yield* Effect.all(watched)
        yield* awaitArrival(from, to)
        yield* awaitArrival(to, from)
        for (const changed of watched) assert.isTrue(yield* isWaiting(changed))
      }
    }),
  )

  it.effect("sends signals again that a lost connection dropped", () =>
    Effect.gen(function* () {
      const door = yield* closedDoor
      yield* door.open
      const [from, to] = [yield* Effect.provide(start, door.client), yield* start]
      const [here, there] = [yield* from.watch(first), yield* to.watch(first)]
      yield* door.loseNext
      yield* from.changed(first)
      yield* here
      yield* there
    }),
  )

  it.effect("ignores other messages on the channel", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [from, to] = [yield* start, yield* start]
      const changed = yield* to.watch(first)
      for (const said of ["", " ", "pay_1", "x PAY_1 pay_é pay_ \u0001", "x".repeat(7999)]) {
        yield* sql`SELECT pg_notify(${channel}, ${said})`
      }
      yield* awaitArrival(from, to)
      assert.isTrue(yield* isWaiting(changed))
      yield* sql`SELECT pg_notify(${channel}, ${"x nonsense pay_1"})`
      yield* changed
    }),
  )

  it.effect("works within the process without a database, and across processes with one", () =>
    Effect.gen(function* () {
      const door = yield* closedDoor
      const signals = yield* Effect.provide(start, door.client)
      const changed = yield* signals.watch(first)
      yield* signals.changed(first)
      yield* changed
      assert.isTrue(yield* isWaiting(changed))
      assert.isFalse(signals.isReliable())
      yield* door.open
      // It may have missed something, so it says so.
      yield* changed
      assert.isTrue(signals.isReliable())
      const other = yield* start
      yield* awaitArrival(signals, other)
      yield* awaitArrival(other, signals)
    }),
  )

  it.effect("keeps a limited list of signals that it cannot send", () =>
    Effect.gen(function* () {
      const heard = yield* overhear
      const door = yield* closedDoor
      const signals = yield* Effect.provide(start, door.client)
      const ids = many(10_001)
      yield* changeAll(signals, ids)
      yield* door.open
      yield* heard(ids[9999] ?? first)
      yield* signals.changed(first)
      assert.deepStrictEqual(idsIn(yield* heard(first)), [first])
    }),
  )
})

layer(ground)("SignalsPostgres with a clock that stands still", (it) => {
  it.effect("still wakes other processes", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* start, yield* start]
      for (const _ of [1, 2, 3]) yield* awaitArrival(from, to)
      yield* cut(yield* listeners)
      yield* awaitArrival(from, to)
    }),
  )
})
