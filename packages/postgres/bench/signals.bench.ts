/**
 * P7, between processes: how long after a commit in one process who waits in another is woken, against a bare LISTEN and
 * NOTIFY between two plain connections, by turns. Only ratios of one run count. And the whole way: how long after a
 * cancel is committed through one server the poll that is parked in another has its answer.
 *
 * Alone: one change at a time. Busy: while others commit and tell too, each change of theirs as well.
 *
 * @example
 * node bench/signals.bench.ts
 * DATABASE_URL=postgres://… node bench/signals.bench.ts
 *
 * @module
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import process from "node:process"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import { Effect, Fiber, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as SignalsPostgres from "../src/SignalsPostgres.ts"
import * as Server from "../test-support/server.ts"
import * as Polls from "./polls.ts"

type Through = "florin" | "bare"

/** What is measured by turns. */
const ways = ["florin", "bare", "http"] as const

const turns = 101
const samplesPerTurn = 10
const writers = 8

const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * part)] ?? Number.NaN

let made = 0
const newId = Effect.sync(() => PaymentId.PaymentId.make(`pay_${String(made++).padStart(30, "0")}`))

const startWaiter = Effect.fnUntraced(function* (url: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(new URL("waiter.ts", import.meta.url), [url])),
    (running) => Effect.sync(() => running.kill()),
  )
  const heard = Effect.promise(async () => String((await once(child, "message"))[0]))
  yield* heard
  return { child, heard }
})

const bench = Effect.fnUntraced(function* (url: string) {
  const sql = yield* SqlClient.SqlClient
  const signals = yield* Signals
  const { child, heard } = yield* startWaiter(url)
  const poll = yield* Polls.make(url)
  const plain = yield* PgConnection.make({ url: Redacted.make(url) })
  yield* sql`DROP TABLE IF EXISTS florin_bench`
  yield* sql`CREATE TABLE florin_bench (id text PRIMARY KEY)`

  const commit = (id: PaymentId.PaymentId) =>
    sql.withTransaction(sql`INSERT INTO florin_bench (id) VALUES (${id})`)

  const tell = {
    florin: (id: PaymentId.PaymentId) => signals.changed(id),
    bare: (id: PaymentId.PaymentId) => plain.query("SELECT pg_notify('bare', $1)", [id]),
  }

  /** Milliseconds from the commit to the wake-up. */
  const sample = Effect.fnUntraced(function* (through: Through) {
    const id = yield* newId
    child.send({ id, through })
    yield* heard
    yield* commit(id)
    const committedAt = process.hrtime.bigint()
    yield* Effect.forkChild(tell[through](id))
    return Number(BigInt(yield* heard) - committedAt) / 1e6
  })

  const write = (through: Through) =>
    Effect.forever(
      newId.pipe(
        Effect.tap(commit),
        Effect.flatMap((id) => tell[through](id)),
        Effect.andThen(Effect.sleep(5)),
      ),
    )

  const turn = Effect.fnUntraced(function* (way: (typeof ways)[number], busy: boolean) {
    const through = way === "http" ? "florin" : way
    const load = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: busy ? writers : 0 }, () => write(through)),
        {
          concurrency: "unbounded",
          discard: true,
        },
      ),
    )
    const measured = yield* Effect.forEach(Array.from({ length: samplesPerTurn }), () =>
      Effect.andThen(Effect.sleep(10), way === "http" ? Effect.flatMap(newId, poll) : sample(way)),
    )
    yield* Fiber.interrupt(load)
    return measured
  })

  const compare = Effect.fnUntraced(function* (name: string, busy: boolean) {
    const all = {
      florin: new Array<number>(),
      bare: new Array<number>(),
      http: new Array<number>(),
    }
    for (let i = 0; i < turns; i++) {
      for (const way of ways) {
        const measured = yield* turn(way, busy)
        // The first turn warms up.
        if (i > 0) all[way].push(...measured)
      }
    }
    const cells = [0.5, 0.99].flatMap((part) => {
      const [florin, bare] = [percentile(all.florin, part), percentile(all.bare, part)]
      const http = percentile(all.http, part)
      return [florin.toFixed(2), bare.toFixed(2), (florin / bare).toFixed(2), http.toFixed(2)]
    })
    process.stdout.write(`${[name, ...cells].map((cell) => cell.padStart(10)).join(" ")}\n`)
  })

  const heads = [
    "",
    ...["p50", "p99"].flatMap((part) => [
      `florin ${part}`,
      `bare ${part}`,
      "ratio",
      `http ${part}`,
    ]),
  ]
  process.stdout.write(
    `ms from commit to wake-up, over HTTP to the answer of the poll, ${(turns - 1) * samplesPerTurn} each; busy: ${writers} writers\n`,
  )
  process.stdout.write(`${heads.map((head) => head.padStart(10)).join(" ")}\n`)
  yield* compare("alone", false)
  yield* compare("busy", true)
  yield* sql`DROP TABLE florin_bench`
})

await Effect.runPromise(
  Effect.gen(function* () {
    const url = process.env["DATABASE_URL"] ?? (yield* Server.make).url
    const client = Connection.layer({ url: Redacted.make(url) })
    yield* bench(url).pipe(Effect.provide(Layer.provideMerge(SignalsPostgres.layer, client)))
  }).pipe(Effect.scoped),
)
