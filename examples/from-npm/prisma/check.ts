/**
 * An order and its payment in one transaction of Prisma, also with a fault at any of its statements.
 *
 * @module
 */
import assert from "node:assert/strict"
import process from "node:process"
import { after, before, describe, it } from "node:test"
import * as VaultAes from "@florin/core/node/VaultAes"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { PrismaPg } from "@prisma/adapter-pg"
import * as Redacted from "effect/Redacted"
import { PrismaClient } from "./generated/client.ts"
import { transactionOf } from "./transaction.ts"

const url = process.env["DATABASE_URL"] ?? ""
const rounds = process.env["FLORIN_COUNTS"] === "full" ? 2000 : 50

class Broken extends Error {}

type Transaction = ReturnType<typeof transactionOf>

/** The same numbers in each run. */
const drawing = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** One statement does not arrive, its response is lost, or the whole connection is. */
const failing = (at: number, kind: number, { query }: Transaction): Transaction => {
  let count = -1
  return {
    query: async (text, values) => {
      count += 1
      if (count !== at) return query(text, values)
      if (kind === 1) await query(text, values)
      if (kind === 2)
        await query("SELECT pg_terminate_backend(pg_backend_pid())", []).catch(() => {})
      throw new Broken()
    },
  }
}

describe("an order and its payment with Prisma", () => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
  const storage = Postgres.layer({ url: Redacted.make(url) })
  const florin = createFlorin({
    pages: false,
    payLinkHost: "pay.example.com",
    chains: SimulatedChain.layerChains({}),
    storage,
    signals: storage,
    sealKey: new Uint8Array(32).fill(7),
    vault: VaultAes.layer({ current: { id: "1", key: Redacted.make(new Uint8Array(32)) } }),
  })
  let whose: { partnerId: string; mode: "test"; merchantId: string }

  before(async () => {
    const { id: partnerId } = await florin.operator.partners.create({ name: "Shop" })
    await prisma.$executeRaw`CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, payment_id text NOT NULL)`
    const { merchant } = await prisma.$transaction((tx) =>
      florin.in(transactionOf(tx)).merchants.create({
        partnerId,
        mode: "test",
        merchantName: "Corner Shop 🛒",
        merchantEmail: "shop@example.com",
      }),
    )
    whose = { partnerId, mode: "test", merchantId: merchant.id }
  })

  after(async () => {
    await prisma.$disconnect()
    await florin.dispose()
  })

  const order = (id: string, fail: (transaction: Transaction) => Transaction = (same) => same) =>
    prisma.$transaction(
      async (tx) => {
        const { paymentId } = await florin.in(fail(transactionOf(tx))).payments.create({
          ...whose,
          referenceId: id,
          amount: { unit: "iso4217/USD", value: "1250" },
        })
        await tx.order.create({ data: { id, paymentId } })
        return paymentId
      },
      { timeout: 60_000, maxWait: 60_000 },
    )

  const countOf = async (paymentId: string) => {
    const [found] = await prisma.$queryRaw<Array<{ count: number }>>`
      SELECT count(*)::integer AS count FROM florin.payment WHERE id = ${paymentId}`
    return found?.count
  }

  it("commit together", async () => {
    const paymentId = await order("order-1")
    assert.equal(await countOf(paymentId), 1)
    assert.equal(
      (await prisma.order.findUnique({ where: { id: "order-1" } }))?.paymentId,
      paymentId,
    )
  })

  it("roll back together, and a refused call leaves the transaction usable", async () => {
    let paymentId = ""
    await assert.rejects(
      prisma.$transaction(async (tx) => {
        const calls = florin.in(transactionOf(tx)).payments
        const amount = { unit: "iso4217/USD", value: "1250" }
        await assert.rejects(calls.create({ ...whose, referenceId: "", amount }), /./u)
        const created = await calls.create({ ...whose, referenceId: "order-2", amount })
        paymentId = created.paymentId
        await calls.cancel({ ...whose, paymentId })
        await tx.order.create({ data: { id: "order-2", paymentId } })
        throw new Broken()
      }),
      Broken,
    )
    assert.notEqual(paymentId, "")
    assert.equal(await countOf(paymentId), 0)
    assert.equal(await prisma.order.findUnique({ where: { id: "order-2" } }), null)
  })

  it(`leave neither without the other, with ${rounds} faults`, async () => {
    const draw = drawing(1)
    let failures = 0
    for (let round = 0; round < rounds; round += 1) {
      const [at, kind] = [draw(9), draw(3)]
      // oxlint-disable-next-line no-await-in-loop -- Each round has one fault.
      await order(`fault-${round}`, (transaction) => failing(at, kind, transaction)).catch(() => {
        failures += 1
      })
    }
    const [found] = await prisma.$queryRaw<Array<object>>`SELECT
      (SELECT count(*) FROM orders WHERE payment_id NOT IN (SELECT id FROM florin.payment))::integer AS orders,
      (SELECT count(*) FROM florin.payment WHERE id NOT IN (SELECT payment_id FROM orders))::integer AS payments`
    assert.deepEqual(found, { orders: 0, payments: 0 })
    assert.ok(failures > rounds / 4, `${failures} failures`)
    assert.ok(failures < rounds, `${failures} failures`)
  })
})
