/**
 * What it costs a statement to compare the caller's clock with the database's: the same calls with and without it, by
 * turns. Only ratios of one run count.
 *
 * @example
 * node bench/clock.bench.ts
 * DATABASE_URL=postgres://… node bench/clock.bench.ts
 *
 * @module
 */
import process from "node:process"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Change from "@florin/core/domain/payment/Change"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Stores from "@florin/testing/Stores"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as DueWork from "../src/storage/DueWork.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import * as StorageTime from "../src/StorageTime.ts"
import * as Server from "../test-support/server.ts"

const rounds = 401

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const world = Fixtures.make(`bench${process.pid}`)
  const of = (driftMaxInMs: number) => {
    const time = StorageTime.make(sql, driftMaxInMs)
    return {
      ...Decisions.make(sql, time),
      ...DueWork.make(sql, time),
      modifyPayment: Stores.modifyPayment(Outflows.make(sql, time)),
    }
  }
  const storages = { checked: of(Limits.clockDriftMaxInMs), unchecked: of(Infinity) }
  type Storage = ReturnType<typeof of>
  const ids = { checked: world.createPayment(), unchecked: world.createPayment() }
  for (const change of Object.values(ids)) {
    yield* storages.checked.createPayment({ ...change, due: {} }, null, "{}", Fixtures.now)
  }
  const calls = {
    create: ({ createPayment }: Storage) =>
      Effect.suspend(() =>
        createPayment({ ...world.createPayment(), due: {} }, world.once(), "{}", Fixtures.now),
      ),
    modify: ({ modifyPayment }: Storage, name: keyof typeof ids) =>
      modifyPayment(ids[name].payment.id, (current) =>
        Result.succeed({ result: null, change: Change.make(current, Fixtures.now, {}) }),
      ),
    "claim of nothing": ({ claimDue }: Storage) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        claimDue("collect", { limit: 64, leaseInMs: 30_000, now }),
      ),
  }
  for (const [what, call] of Object.entries(calls)) {
    const took = { checked: new Array<number>(), unchecked: new Array<number>() }
    for (let round = 0; round < rounds; round++) {
      const order: ReadonlyArray<keyof typeof took> =
        round % 2 === 0 ? ["checked", "unchecked"] : ["unchecked", "checked"]
      for (const name of order) {
        const startedAt = performance.now()
        yield* call(storages[name], name)
        took[name].push(performance.now() - startedAt)
      }
    }
    const [checked, unchecked] = [median(took.checked), median(took.unchecked)]
    process.stdout.write(
      `${what}: compared ${checked.toFixed(3)} ms, not compared ${unchecked.toFixed(3)} ms, ratio ${(checked / unchecked).toFixed(3)}\n`,
    )
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
