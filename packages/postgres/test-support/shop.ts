/**
 * A shop with tables of its own in the service's database: it writes an order and its payment in one transaction, and
 * marks an order in the transaction of its event.
 *
 * @module
 */
import * as VaultAes from "@florin/core/node/VaultAes"
import type { Transaction } from "@florin/core/ports/Transactions"
import type { PoolClient, TransactionPool } from "@florin/server/EventHandlers"
import { createFlorin, type FlorinInDatabase } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Redacted from "effect/Redacted"
import { Pool } from "pg"
import * as Postgres from "../src/Postgres.ts"

/** A pool whose clients outlive what tests do to their server: databases that are dropped, connections that are ended. */
export const poolOf = (connectionString: string): Pool =>
  new Pool({ connectionString, max: 10 })
    .on("error", () => {})
    .on("connect", (client) => client.on("error", () => {}))

/** The shop's own tables. */
export const createTables = (pool: Pool) =>
  pool.query(`CREATE TABLE public.orders (id text PRIMARY KEY, payment_id text NOT NULL);
    CREATE TABLE public.effects (event_id text, payment_id text)`)

/** An effect may take two thirds of the lease: a busy machine needs long ones, and whoever is killed short ones. */
export const florinOn = (config: Postgres.Config, leaseInMs = 30_000): FlorinInDatabase => {
  const database = Postgres.layer(config)
  return createFlorin({
    pages: false,
    payLinkHost: "pay.example.com",
    chains: SimulatedChain.layerChains({ unseenBalance: 1000 }),
    storage: database,
    signals: database,
    sealKey: new Uint8Array(32).fill(7),
    vault: VaultAes.layer({ current: { id: "1", key: Redacted.make(new Uint8Array(32)) } }),
    worker: { idleInMs: 20, leaseInMs },
  })
}

export interface Whose {
  readonly partnerId: string
  readonly mode: "test"
}

/** Writes an order and its payment, and returns the payment's id. */
export const order = async (
  florin: FlorinInDatabase,
  whose: Whose & { readonly merchantId: string },
  transaction: Transaction,
  id: string,
): Promise<string> => {
  const { paymentId } = await florin.in(transaction).payments.create({
    ...whose,
    referenceId: id,
    amount: { unit: "iso4217/USD", value: "1250" },
  })
  await transaction.query("INSERT INTO public.orders (id, payment_id) VALUES ($1, $2)", [
    id,
    paymentId,
  ])
  return paymentId
}

/** Writes each event of a payment into a table of the shop, in the transaction that acknowledges it. */
export const followEvents = <C extends PoolClient>(
  florin: FlorinInDatabase,
  whose: Whose,
  pool: TransactionPool<C>,
) =>
  florin.onEventInTransaction({ ...whose, name: "orders", pool }, async (event, client) => {
    if (!("paymentId" in event.data)) return
    await client.query("INSERT INTO public.effects (event_id, payment_id) VALUES ($1, $2)", [
      event.id,
      event.data.paymentId,
    ])
  })

/** A partner with one merchant. */
export const register = async (florin: FlorinInDatabase, pool: Pool) => {
  const { id } = await florin.operator.partners.create({ name: "Corner Payments" })
  const whose: Whose = { partnerId: id, mode: "test" }
  const client = await pool.connect()
  await client.query("BEGIN")
  const { merchant } = await florin.in(client).merchants.create({
    ...whose,
    merchantName: "Corner Shop",
    merchantEmail: "shop@example.com",
  })
  await client.query("COMMIT")
  client.release()
  return { ...whose, merchantId: merchant.id }
}

/** What contradicts that an order has a payment, a payment an order, and each event one effect. */
export const contradictions = async (pool: Pool) => {
  const { rows } = await pool.query<{
    readonly orders: number
    readonly payments: number
    readonly missing: number
    readonly doubled: number
  }>(`SELECT
      (SELECT count(*) FROM public.orders WHERE payment_id NOT IN (SELECT id FROM florin.payments))::integer AS orders,
      (SELECT count(*) FROM florin.payments WHERE id NOT IN (SELECT payment_id FROM public.orders))::integer AS payments,
      (SELECT count(*) FROM florin.events WHERE id NOT IN (SELECT event_id FROM public.effects))::integer AS missing,
      (SELECT count(*) - count(DISTINCT event_id) FROM public.effects)::integer AS doubled`)
  return rows[0]
}
