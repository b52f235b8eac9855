/**
 * Reads of one row by its key, as status and options make them: through the pool, and through the one connection for
 * reads, by turns. Only ratios of one run count.
 *
 * Alone: nothing else runs. Busy: payments are created through the pool meanwhile, and their rate is told too.
 *
 * @example
 * node bench/reads.bench.ts
 * DATABASE_URL=postgres://… node bench/reads.bench.ts
 *
 * @module
 */
import process from "node:process"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Fiber, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as StorageTime from "../src/StorageTime.ts"
import * as Server from "../test-support/server.ts"

const turns = 21
const turnInMs = 300
const payments = 200
const writers = 8

type Through = "pool" | "pipeline"

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

/** How often an effect runs in a second, by so many fibers. */
const rate = Effect.fnUntraced(function* (
  readers: number,
  read: (index: number) => Effect.Effect<unknown, unknown>,
) {
  let done = 0
  const startedAt = performance.now()
  const endsAt = startedAt + turnInMs
  const reader = Effect.gen(function* () {
    while (performance.now() < endsAt) yield* read(done++)
  })
  yield* Effect.all(
    Array.from({ length: readers }, () => reader),
    { concurrency: "unbounded", discard: true },
  )
  return (done * 1000) / (performance.now() - startedAt)
})

const bench = Effect.gen(function* () {
  const of = (sql: SqlClient.SqlClient) => Decisions.make(sql, StorageTime.make(sql, Infinity))
  const pool = of(yield* SqlClient.SqlClient)
  const storages = { pool, pipeline: of(yield* Connection.Reads) }
  const world = Fixtures.make(`bench${process.pid}`)
  const create = Effect.suspend(() => {
    const change = world.createPayment()
    return Effect.as(pool.createPayment(change, null, "{}", Fixtures.now), change.payment.id)
  })
  const ids = yield* Effect.forEach(Array.from({ length: payments }), () => create)

  const turn = Effect.fnUntraced(function* (through: Through, readers: number, busy: boolean) {
    let written = 0
    const write = Effect.forever(Effect.tap(create, () => Effect.sync(() => (written += 1))))
    const load = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: busy ? writers : 0 }, () => write),
        { concurrency: "unbounded", discard: true },
      ),
    )
    const [first] = ids
    const read = yield* rate(readers, (index) =>
      Effect.suspend(() => {
        const id = ids[index % ids.length] ?? first
        return id === undefined ? Effect.void : storages[through].payment(id)
      }),
    )
    const writes = (written * 1000) / turnInMs
    yield* Fiber.interrupt(load)
    return { read, writes }
  })

  const compare = Effect.fnUntraced(function* (readers: number, busy: boolean) {
    const reads = { pool: new Array<number>(), pipeline: new Array<number>() }
    const writes = { pool: new Array<number>(), pipeline: new Array<number>() }
    for (let index = 0; index < turns; index += 1) {
      for (const through of ["pool", "pipeline"] as const) {
        const measured = yield* turn(through, readers, busy)
        // The first turn warms up.
        if (index === 0) continue
        reads[through].push(measured.read)
        writes[through].push(measured.writes)
      }
    }
    const cells = [reads, writes].flatMap(({ pipeline, pool: pooled }) => {
      const ratios = pipeline.map((each, index) => each / (pooled[index] ?? Number.NaN))
      return [median(pooled).toFixed(0), median(pipeline).toFixed(0), median(ratios).toFixed(2)]
    })
    const name = `${readers} ${busy ? "busy" : "alone"}`
    process.stdout.write(`${[name, ...cells].map((cell) => cell.padStart(12)).join(" ")}\n`)
  })

  const heads = ["at once", "pool", "pipeline", "ratio", "writes", "writes", "ratio"]
  process.stdout.write(`a second, medians of ${turns - 1} turns; busy: ${writers} writers\n`)
  process.stdout.write(`${heads.map((head) => head.padStart(12)).join(" ")}\n`)
  for (const readers of [1, 16, 64]) {
    yield* compare(readers, false)
    yield* compare(readers, true)
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
