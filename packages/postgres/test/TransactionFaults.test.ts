/**
 * Orders with their payments, and effects with their events, while connections fail and processes are killed.
 *
 * @module
 */
import { env } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@florin/core/ports/Transactions"
import * as Counts from "@florin/testing/Counts"
import { Effect, Redacted } from "effect"
import knex from "knex"
import { CompiledQuery, Kysely, PostgresDialect } from "kysely"
import type { Pool } from "pg"
import postgres from "postgres"
import * as Databases from "../test-support/databases.ts"
import * as Processes from "../test-support/processes.ts"
import * as Shop from "../test-support/shop.ts"

/** The same numbers for the same seed. */
const drawing = (seed: number) => {
  let state = seed >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const seed = Number(env["FLORIN_SEED"] ?? 1)

/** Looks again and again until it is so. */
const until = async (
  isSo: () => Promise<boolean>,
  endsAt = Date.now() + Counts.of({ usual: 90_000, full: 900_000 }),
): Promise<void> => {
  if (await isSo()) return undefined
  if (Date.now() > endsAt) return assert.fail("it never happened")
  await new Promise((resolve) => setTimeout(resolve, 50))
  return until(isSo, endsAt)
}

class Broken extends Error {}

/** How a statement of a transaction fails, and the number of the statement. */
interface Fault {
  readonly at: number
  /** It does not arrive, its response is lost, or the whole connection is. */
  readonly kind: "before" | "after" | "connection"
}

const kinds = ["before", "after", "connection"] as const

const faultOf = (
  draw: (below: number) => number,
  of: ReadonlyArray<Fault["kind"]> = kinds,
): Fault => ({ at: draw(9), kind: of[draw(of.length)] ?? "before" })

const failing = ({ at, kind }: Fault, { query }: Transaction): Transaction => {
  let count = -1
  return {
    query: async (text, values) => {
      count += 1
      if (count !== at) return query(text, values)
      if (kind === "after") await query(text, values)
      if (kind === "connection") await query("SELECT pg_terminate_backend(pg_backend_pid())", [])
      throw new Broken("the connection is lost")
    },
  }
}

type Work = (transaction: Transaction) => Promise<void>

/** Runs work in a transaction, with the driver's own way to commit and to roll back. */
const drivers: Readonly<
  Record<string, (url: string, pool: Pool) => (work: Work) => Promise<void>>
> = {
  pg: (_, pool) => async (work) => {
    const client = await pool.connect()
    try {
      await client.query("BEGIN")
      await work({ query: async (text, values) => client.query(text, values) })
      await client.query("COMMIT")
      client.release()
    } catch (error) {
      await client.query("ROLLBACK").then(
        () => client.release(),
        () => client.release(true),
      )
      throw error
    }
  },
  "postgres.js": (url) => async (work) => {
    const sql = postgres(url, { max: 1, onclose: () => {} })
    try {
      await sql.begin((tx) =>
        work({
          query: async (text, values) => ({
            rows: await tx.unsafe(text, values),
          }),
        }),
      )
    } finally {
      await sql.end({ timeout: 1 })
    }
  },
  Kysely: (_, pool) => {
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool: async () => pool }) })
    return async (work) => {
      await db.transaction().execute((tx) =>
        work({
          query: async (text, values) =>
            tx.executeQuery<object>(CompiledQuery.raw(text, [...values])),
        }),
      )
    }
  },
  Knex: (url) => async (work) => {
    const db = knex({ client: "pg", connection: url, pool: { min: 0, max: 1 } })
    try {
      await db.transaction(async (trx) => {
        const client: Transaction = await trx.client.acquireConnection()
        await work({ query: (text, values) => client.query(text, values) })
      })
    } finally {
      await db.destroy()
    }
  },
}

/** A pool whose clients fail now and then while they are to. A handler is added to one that works. */
const unreliable = (pool: Pool, draw: (below: number) => number) => {
  let isFailing = false
  return {
    fail: (isTo: boolean) => {
      isFailing = isTo
    },
    connect: async () => {
      const client = await pool.connect()
      const own: Transaction = { query: async (text, values) => client.query(text, values) }
      const { query } = isFailing && draw(4) === 0 ? failing(faultOf(draw), own) : own
      return { query, release: (destroy?: boolean) => client.release(destroy) }
    },
  }
}

const opened = Effect.fnUntraced(function* () {
  const url = yield* Databases.address("migrated")
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => Shop.poolOf(url)),
    (each) => Effect.promise(() => each.end()),
  )
  return { url, pool }
})

/** postgres.js 3.4.9 throws outside of every promise if its connection is lost between two statements. */
const withoutLoss = ["before", "after"] as const

const rounds = Counts.of({ usual: 15, full: 2000 })

describe("with a fault at any statement of a transaction", () => {
  for (const [name, driver] of Counts.some(Object.entries(drivers), 2)) {
    it.live(
      `each order has its payment, and each event its one effect, with ${name}`,
      () =>
        Effect.gen(function* () {
          const { pool, url } = yield* opened()
          yield* Effect.promise(async () => {
            const draw = drawing(seed)
            await Shop.createTables(pool)
            const florin = Shop.florinOn({ pool })
            const whose = await Shop.register(florin, pool)
            const handled = unreliable(pool, draw)
            await Shop.followEvents(florin, whose, handled)
            handled.fail(true)
            await florin.workers.start()
            const inTransaction = driver(url, pool)
            let failures = 0
            for (let round = 0; round < rounds; round += 1) {
              const fault = faultOf(draw, name === "postgres.js" ? withoutLoss : kinds)
              // oxlint-disable-next-line no-await-in-loop -- Each round has one fault.
              await inTransaction(async (transaction) => {
                await Shop.order(florin, whose, failing(fault, transaction), `${name}-${round}`)
              }).catch(() => {
                failures += 1
              })
            }
            handled.fail(false)
            await until(async () => (await Shop.contradictions(pool))?.missing === 0)
            await florin.dispose()
            assert.deepStrictEqual(await Shop.contradictions(pool), {
              orders: 0,
              payments: 0,
              missing: 0,
              doubled: 0,
            })
            assert.isAbove(failures, rounds / 4)
          })
        }),
      1_200_000,
    )
  }
})

const kills = Counts.of({ usual: 2, full: 200 })

describe("killed processes of a shop", () => {
  it.live(
    "leave no order without its payment, and each event has one effect",
    () =>
      Effect.gen(function* () {
        const { pool, url } = yield* opened()
        const draw = drawing(seed)
        yield* Effect.promise(() => Shop.createTables(pool))
        const florin = Shop.florinOn({ url: Redacted.make(url) })
        yield* Effect.promise(() => florin.ready())
        const whose = yield* Effect.promise(() => Shop.register(florin, pool))
        for (let kill = 0; kill < kills; kill += 1) {
          const child = yield* Processes.run(
            new URL("./shopProcess.ts", import.meta.url),
            url,
            whose.partnerId,
            whose.merchantId,
            `kill-${kill}`,
          )
          assert.strictEqual(yield* child.line, "open")
          yield* Effect.sleep(draw(400))
          yield* child.kill
        }
        yield* Effect.promise(() => Shop.followEvents(florin, whose, pool))
        yield* Effect.promise(() => florin.workers.start())
        yield* Effect.promise(() =>
          until(async () => (await Shop.contradictions(pool))?.missing === 0),
        )
        yield* Effect.promise(() => florin.dispose())
        assert.deepStrictEqual(yield* Effect.promise(() => Shop.contradictions(pool)), {
          orders: 0,
          payments: 0,
          missing: 0,
          doubled: 0,
        })
      }),
    1_200_000,
  )
})
