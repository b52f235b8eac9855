/**
 * A shop's order and its payment in one transaction, with the drivers that shops use.
 *
 * @module
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Transaction } from "@florin/core/ports/Transactions"
import { createFlorin, type FlorinInDatabase } from "@florin/server/Florin"
import { NoTransactions, Refused } from "@florin/server/InTransaction"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { sql as drizzleSql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/node-postgres"
import { Effect, Exit, Redacted, Scope } from "effect"
import knex from "knex"
import { CompiledQuery, Kysely, PostgresDialect } from "kysely"
import type { Pool, PoolClient } from "pg"
import postgres from "postgres"
import * as Databases from "../test-support/databases.ts"
import * as Shop from "../test-support/shop.ts"

const scope = Scope.makeUnsafe()
let url: string
let pool: Pool
let florin: FlorinInDatabase
let whose: Awaited<ReturnType<typeof Shop.register>>

const amount = { unit: "iso4217/USD", value: "1250" }

beforeAll(async () => {
  url = await Effect.runPromise(Scope.provide(Databases.address("migrated"), scope))
  pool = Shop.poolOf(url)
  florin = Shop.florinOn({ url: Redacted.make(url) })
  await florin.ready()
  await Shop.createTables(pool)
  whose = await Shop.register(florin, pool)
})

afterAll(async () => {
  await florin.dispose()
  await pool.end()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** Runs work in a transaction of the shop. */
const inTransaction = async <A>(
  end: "COMMIT" | "ROLLBACK",
  work: (client: PoolClient) => Promise<A>,
  begin = "BEGIN",
): Promise<A> => {
  const client = await pool.connect()
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query(end)
    return result
  } catch (error) {
    await client.query("ROLLBACK")
    throw error
  } finally {
    client.release()
  }
}
const committed = <A>(work: (client: PoolClient) => Promise<A>) => inTransaction("COMMIT", work)

/** A new merchant of the shop, in the same transaction. */
const merchant = (transaction: Transaction) =>
  florin.in(transaction).merchants.create({
    partnerId: whose.partnerId,
    mode: whose.mode,
    merchantName: "Corner Shop 🛒",
    merchantEmail: "shop@example.com",
  })

let orders = 0

/** Writes a new order and its payment, and returns the payment's id. */
const order = (transaction: Transaction): Promise<string> => {
  orders += 1
  return Shop.order(florin, whose, transaction, `order-${orders}`)
}

/** What is in the database of an order and its payment. */
const found = async (paymentId: string) => {
  const count = async (table: string, column: string) =>
    (await pool.query(`SELECT FROM ${table} WHERE ${column} = $1`, [paymentId])).rowCount
  return {
    orders: await count("public.orders", "payment_id"),
    payments: await count("florin.payments", "id"),
    events: await count("florin.event", "payment_id"),
    work: await count("florin.due_work", "subject_id"),
  }
}

const both = { orders: 1, payments: 1, events: 1, work: 1 }
const neither = { orders: 0, payments: 0, events: 0, work: 0 }

const refusalOf = async (call: Promise<unknown>): Promise<Refused> => {
  try {
    await call
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
  return assert.fail("the call was not refused")
}

describe("an order and its payment", () => {
  it("are both there once the shop commits", async () => {
    const id = await committed(order)
    assert.deepStrictEqual(await found(id), both)
  })

  it("are both gone if the shop rolls back", async () => {
    const id = await inTransaction("ROLLBACK", order)
    assert.deepStrictEqual(await found(id), neither)
  })

  it("are invisible to other connections until the shop commits", async () => {
    await committed(async (client) => {
      const id = await order(client)
      assert.deepStrictEqual(await found(id), neither)
    })
  })

  it("do not make other orders of a new partner wait until the shop commits", async () => {
    const fresh = await Shop.register(florin, pool)
    await committed(async (client) => {
      await Shop.order(florin, fresh, client, "first-of-its-merchant")
      const second = await committed(async (other) => {
        await other.query("SET LOCAL lock_timeout = '10s'")
        return Shop.order(florin, fresh, other, "second-of-its-merchant")
      })
      assert.deepStrictEqual(await found(second), both)
    })
  })

  const kinds = {
    "in another currency": { amount: { unit: "iso4217/EUR", value: "1250" } },
    "with metadata": { metadata: { cart: "c-7" } },
    "with a description": { description: "Flat white" },
  }

  it.each(Object.entries(kinds))(
    "do not make another payment %s wait until the shop commits",
    async (_, kind) => {
      const pay = (transaction: Transaction) =>
        florin.in(transaction).payments.create({ ...whose, amount, referenceId: "first", ...kind })
      await committed(async (client) => {
        await pay(client)
        await committed(async (other) => {
          await other.query("SET LOCAL lock_timeout = '10s'")
          await pay(other)
        })
      })
    },
  )

  it("may have undefined members, which are left out as over HTTP", async () => {
    const asked = { ...whose, amount, referenceId: "odd", description: undefined }
    const created: unknown = await committed((client) =>
      Reflect.apply(florin.in(client).payments.create, undefined, [asked]),
    )
    assert.propertyVal(created, "status", "requires_action")
  })

  const drivers: Readonly<Record<string, (fails: boolean) => Promise<string>>> = {
    "postgres.js": async (fails) => {
      const sql = postgres(url, { max: 1 })
      let id = ""
      try {
        await sql.begin(async (tx) => {
          const transaction: Transaction = {
            query: async (text, values) => ({
              rows: await tx.unsafe(text, values),
            }),
          }
          await merchant(transaction)
          id = await order(transaction)
          if (fails) throw new Error("no stock")
        })
      } catch (error) {
        if (!fails) throw error
      } finally {
        await sql.end()
      }
      return id
    },
    Kysely: async (fails) => {
      const db = new Kysely<object>({ dialect: new PostgresDialect({ pool: async () => pool }) })
      let id = ""
      try {
        await db.transaction().execute(async (tx) => {
          const transaction: Transaction = {
            query: async (text, values) => tx.executeQuery<object>(CompiledQuery.raw(text, values)),
          }
          await merchant(transaction)
          id = await order(transaction)
          if (fails) throw new Error("no stock")
        })
      } catch (error) {
        if (!fails) throw error
      }
      return id
    },
    Knex: async (fails) => {
      const db = knex({ client: "pg", connection: url, pool: { min: 0, max: 1 } })
      let id = ""
      try {
        await db.transaction(async (trx) => {
          const transaction: Transaction = await trx.client.acquireConnection()
          await merchant(transaction)
          id = await order(transaction)
          const [{ id: read } = { id: "" }] = await trx("orders").where({ payment_id: id })
          assert.strictEqual(read, `order-${orders}`)
          if (fails) throw new Error("no stock")
        })
      } catch (error) {
        if (!fails) throw error
      } finally {
        await db.destroy()
      }
      return id
    },
    Drizzle: async (fails) => {
      const client = await pool.connect()
      let id = ""
      try {
        await drizzle({ client }).transaction(async (tx) => {
          await tx.execute(drizzleSql`SELECT 1`)
          id = await order(client)
          if (fails) throw new Error("no stock")
        })
      } catch (error) {
        if (!fails) throw error
      } finally {
        client.release()
      }
      return id
    },
  }
  for (const [name, run] of Object.entries(drivers)) {
    it(`commit and roll back together with ${name}`, async () => {
      assert.deepStrictEqual(await found(await run(false)), both)
      assert.deepStrictEqual(await found(await run(true)), neither)
    })
  }

  it("are cancelled together", async () => {
    const id = await committed(order)
    const cancelled = await committed(async (client) => {
      await client.query("DELETE FROM public.orders WHERE payment_id = $1", [id])
      return florin.in(client).payments.cancel({ ...whose, paymentId: id })
    })
    assert.deepInclude(cancelled, { status: "cancelled" })
    assert.deepStrictEqual(await found(id), { orders: 0, payments: 1, events: 2, work: 0 })
  })
})

describe("a call that is refused", () => {
  it("leaves the shop's transaction as it was, and says why", async () => {
    const id = await committed(async (client) => {
      const refused = await refusalOf(
        florin.in(client).payments.create({
          ...whose,
          referenceId: "",
          amount: { unit: "iso4217/USD", value: "-1" },
        }),
      )
      assert.strictEqual(refused.code, "params_validation")
      assert.deepStrictEqual(
        refused.issues.map(({ field }) => field),
        ["referenceId", "amount.value"],
      )
      return order(client)
    })
    assert.deepStrictEqual(await found(id), both)
  })

  it("says that the transaction is not open", async () => {
    const client = await pool.connect()
    const refused = await refusalOf(order(client))
    client.release()
    assert.strictEqual(
      refused.message,
      "The transaction of the application is not open: begin it first, on the client that you pass (25P01)",
    )
  })

  it("says that the transaction has failed earlier", async () => {
    await inTransaction("ROLLBACK", async (client) => {
      await client.query("SELECT 1/0").catch(() => {})
      const refused = await refusalOf(order(client))
      assert.match(refused.message, /has failed earlier: roll it back/u)
    })
  })

  it("reports that another transaction was first, under REPEATABLE READ", async () => {
    const id = await committed(order)
    await inTransaction(
      "ROLLBACK",
      async (client) => {
        await client.query("SELECT 1")
        await committed((other) => florin.in(other).payments.cancel({ ...whose, paymentId: id }))
        const refused = await refusalOf(
          florin.in(client).payments.cancel({ ...whose, paymentId: id }),
        )
        assert.strictEqual(
          refused.message,
          "The transaction of the application lost against another one: roll it back, and run all of it again (40001)",
        )
      },
      "BEGIN ISOLATION LEVEL REPEATABLE READ",
    )
  })

  it("needs a storage on a PostgreSQL server", async () => {
    const inMemory = createFlorin({
      pages: false,
      payLinkHost: "pay.example.com",
      chains: SimulatedChain.layerChains({}),
    })
    const client = await pool.connect()
    // @ts-expect-error -- The type says so, too.
    const call = inMemory.in(client).payments.cancel({ ...whose, paymentId: "pay_1" })
    const error: unknown = await call.catch((cause: unknown) => cause)
    client.release()
    assert.instanceOf(error, NoTransactions)
    await inMemory.dispose()
  })
})

describe("an Idempotency-Key of a transaction", () => {
  const asked = () => ({
    ...whose,
    referenceId: "with a key",
    amount,
    idempotencyKey: "order-77",
  })

  it("makes another transaction with the same key wait, and then gives it the same payment", async () => {
    const first = await pool.connect()
    await first.query("BEGIN")
    const created = await florin.in(first).payments.create(asked())
    let isDone = false
    const second = committed((client) => florin.in(client).payments.create(asked())).then(
      (payment) => {
        isDone = true
        return payment
      },
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.isFalse(isDone)
    await first.query("COMMIT")
    first.release()
    assert.strictEqual((await second).paymentId, created.paymentId)
  })
})

describe("a waiting caller", () => {
  it("is woken by the shop's commit", async () => {
    const id = await committed(order)
    const { secret } = await florin.operator.keys.issue({
      partnerId: whose.partnerId,
      mode: whose.mode,
      name: "tests",
    })
    const before = Date.now()
    const polling = florin.handler(
      new Request(`https://pay.example.com/v1/payments/${id}/status?maxPollMs=20000`, {
        headers: { "Api-Key": secret, "Merchant-Id": whose.merchantId },
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    await committed((client) => florin.in(client).payments.cancel({ ...whose, paymentId: id }))
    const status: unknown = await (await polling).json()
    assert.deepInclude(status, { status: "cancelled" })
    assert.isBelow(Date.now() - before, 20_000)
  })
})

/** Looks again and again until it is so. */
const until = async (isSo: () => Promise<boolean>, endsAt = Date.now() + 60_000): Promise<void> => {
  if (await isSo()) return undefined
  if (Date.now() > endsAt) return assert.fail("it never happened")
  await new Promise((resolve) => setTimeout(resolve, 20))
  return until(isSo, endsAt)
}

describe("the effect of an event", () => {
  /** What each handler wrote, in a table of its own. */
  const effects = async (name: string) => {
    await pool.query(`CREATE TABLE public.${name} (payment_id text, type text, at serial)`)
    const rows = async () =>
      (
        await pool.query<{ payment_id: string; type: string }>(
          `SELECT payment_id, type FROM public.${name} ORDER BY at`,
        )
      ).rows
    const types = async (id: string) =>
      (await rows()).flatMap((row) => (row.payment_id === id ? [row.type] : []))
    return { types, rows }
  }
  const cancel = (id: string) =>
    committed((client) => florin.in(client).payments.cancel({ ...whose, paymentId: id }))

  it("is written exactly once, in the order of its payment, whatever fails", async () => {
    const { types } = await effects("paid")
    const running = Shop.florinOn({ pool })
    const id = await committed(order)
    let calls = 0
    await running.onEventInTransaction({ ...whose, name: "paid", pool }, async (event, client) => {
      if (!("paymentId" in event.data) || event.data.paymentId !== id) return
      calls += 1
      await client.query("INSERT INTO public.paid (payment_id, type) VALUES ($1, $2)", [
        event.data.paymentId,
        event.type,
      ])
      if (calls === 1) throw new Error("the handler fails after its effect")
      // A statement that fails takes the whole transaction with it.
      if (calls === 2) await client.query("SELECT 1/0").catch(() => {})
    })
    await cancel(id)
    await running.workers.start()
    await until(async () => (await types(id)).length === 2)
    await running.dispose()
    assert.deepStrictEqual(await types(id), ["payment.created", "payment.cancelled"])
    assert.strictEqual(calls, 4)
  }, 90_000)

  it("is not written again if a partner asks for the event again", async () => {
    const { types } = await effects("replayed")
    const running = Shop.florinOn({ pool })
    await running.onEventInTransaction(
      { ...whose, name: "replayed", pool },
      async (event, client) => {
        if (!("paymentId" in event.data)) return
        await client.query("INSERT INTO public.replayed (payment_id, type) VALUES ($1, $2)", [
          event.data.paymentId,
          event.type,
        ])
      },
    )
    try {
      await running.workers.start()
      const id = await committed(order)
      await until(async () => (await types(id)).length === 1)
      const from = new Date(Date.now() - 60_000).toISOString()
      const { webhooks } = await running.operator.webhooks.list(whose)
      const { id: webhookId = "" } =
        webhooks.find(({ url: each }) => each.endsWith("/replayed")) ?? {}
      const { deliveries } = await running.operator.webhooks.replay({ webhookId, from })
      assert.isAbove(deliveries, 0)
      const waiting = async () =>
        (await running.operator.webhooks.deliveries({ webhookId })).data.some(
          ({ state }) => state === "pending",
        )
      await until(async () => !(await waiting()))
      assert.deepStrictEqual(await types(id), ["payment.created"])
    } finally {
      await running.dispose()
    }
  }, 90_000)

  it("holds back only its own payment while it fails", async () => {
    const { rows, types } = await effects("held")
    const running = Shop.florinOn({ pool })
    const [poisoned, other] = [await committed(order), await committed(order)]
    await running.onEventInTransaction({ ...whose, name: "held", pool }, async (event, client) => {
      if (!("paymentId" in event.data)) return
      if (event.data.paymentId === poisoned && event.type === "payment.created") {
        throw new Error("poison")
      }
      await client.query("INSERT INTO public.held (payment_id, type) VALUES ($1, $2)", [
        event.data.paymentId,
        event.type,
      ])
    })
    await cancel(poisoned)
    await cancel(other)
    await running.workers.start()
    await until(async () => (await types(other)).length === 2)
    assert.isEmpty((await rows()).filter((row) => row.payment_id === poisoned))
    await running.dispose()
  }, 90_000)

  it("is written even if the transaction of another event stays open", async () => {
    const { types } = await effects("late")
    const running = Shop.florinOn({ pool })
    await running.onEventInTransaction({ ...whose, name: "late", pool }, async (event, client) => {
      if (!("paymentId" in event.data)) return
      await client.query("INSERT INTO public.late (payment_id, type) VALUES ($1, $2)", [
        event.data.paymentId,
        event.type,
      ])
    })
    await running.workers.start()
    const client = await pool.connect()
    await client.query("BEGIN")
    const slow = await order(client)
    const quick = await committed(order)
    await until(async () => (await types(quick)).length === 1)
    await client.query("COMMIT")
    client.release()
    await until(async () => (await types(slow)).length === 1)
    await running.dispose()
  }, 90_000)

  it("needs a pool of the service's own database", async () => {
    const elsewhere = Shop.poolOf(
      await Effect.runPromise(Scope.provide(Databases.address("empty"), scope)),
    )
    try {
      await florin.onEventInTransaction({ ...whose, name: "else", pool: elsewhere }, () => {})
      assert.fail("it was taken")
    } catch (error) {
      assert.match(String(error), /the pool does not lead to the service's database/u)
    } finally {
      await elsewhere.end()
    }
  })
})
