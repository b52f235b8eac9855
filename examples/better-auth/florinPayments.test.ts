/**
 * The plugin in the real Better Auth, with the real database, as a browser uses it.
 *
 * @module
 */
import process from "node:process"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makePartner, type Partner, pay } from "@florin/client"
import * as VaultAes from "@florin/core/node/VaultAes"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin, type FlorinInDatabase } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { betterAuth } from "better-auth"
import { createAuthClient } from "better-auth/client"
import { getMigrations } from "better-auth/db/migration"
import * as Redacted from "effect/Redacted"
import { Client, Pool } from "pg"
import { inject } from "vitest"
import { florinClient } from "./florinClient.ts"
import { florinPayments } from "./florinPayments.ts"

const baseURL = "https://shop.example"
const payer = Wallet.make(1)
const database = `shop_${process.pid}`
let pool: Pool
let florin: FlorinInDatabase
let shop: Partner
let whose: { readonly partnerId: string; readonly mode: "test"; readonly merchantId: string }
let auth: Awaited<ReturnType<typeof start>>

/** The app: one database for its users and for Florin. */
const start = async () => {
  const app = betterAuth({
    baseURL,
    secret: "a secret of at least thirty-two characters",
    database: pool,
    emailAndPassword: { enabled: true },
    // One test makes a write fail.
    logger: { disabled: true },
    onAPIError: { onError: () => {} },
    plugins: [
      florinPayments({
        ...whose,
        florin,
        pool,
        products: { course: { unit: "iso4217/USD", value: "4900" } },
      }),
    ],
  })
  const { runMigrations } = await getMigrations(app.options)
  await runMigrations()
  await app.$context
  await florin.workers.start()
  return app
}

/** On the server of the test run. */
const administer = async (statement: string) => {
  const client = new Client({ connectionString: inject("postgres").url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

const throughFlorin = (input: string, init?: RequestInit) =>
  florin.handler(new Request(input, init))

beforeAll(async () => {
  await administer(`CREATE DATABASE ${database}`)
  const url = new URL(inject("postgres").url)
  url.pathname = database
  pool = new Pool({ connectionString: url.href })
  const storage = Postgres.layer({ pool })
  florin = createFlorin({
    pages: false,
    payLinkHost: "pay.example.com",
    chains: SimulatedChain.layerChains({ blocks: { everyInMs: 50 }, unseenBalance: 1000 }),
    storage,
    signals: storage,
    sealKey: new Uint8Array(32).fill(7),
    vault: VaultAes.layer({ current: { id: "1", key: Redacted.make(new Uint8Array(32)) } }),
    worker: { idleInMs: 20 },
  })
  const { id: partnerId } = await florin.operator.partners.create({ name: "Shop" })
  const { secret: apiKey } = await florin.operator.keys.issue({
    partnerId,
    mode: "test",
    name: "Shop",
  })
  shop = makePartner({ baseUrl: "https://pay.example.com", apiKey, fetch: throughFlorin })
  const { merchant } = await shop.merchants.create({
    merchantName: "Shop",
    merchantEmail: "till@shop.example",
  })
  whose = { partnerId, mode: "test", merchantId: merchant.id }
  auth = await start()
})

afterAll(async () => {
  await florin.dispose()
  await pool.end()
  await administer(`DROP DATABASE ${database}`)
})

/** A browser that keeps its cookies. */
const browser = () => {
  const cookies = new Map<string, string>()
  return createAuthClient({
    baseURL,
    plugins: [florinClient()],
    fetchOptions: {
      customFetchImpl: async (input, init) => {
        const request = new Request(input, init)
        request.headers.set("origin", baseURL)
        request.headers.set(
          "cookie",
          [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        )
        const response = await auth.handler(request)
        for (const cookie of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? []
          cookies.set(name, value)
        }
        return response
      },
    },
  })
}

const signedUp = async (name: string) => {
  const client = browser()
  const { error } = await client.signUp.email({
    name,
    email: `${name}@example.com`,
    password: "correct horse battery",
  })
  assert.isNull(error)
  return client
}

const payAt = async (gatewayUrl: string) => {
  const { secret } = await florin.operator.keys.issue({ mode: "test", wallet: "A wallet" })
  const paid = await pay(gatewayUrl, {
    baseUrl: "https://pay.example.com",
    payLinkHost: "pay.example.com",
    apiKey: secret,
    fetch: throughFlorin,
    accounts: [`eip155:8453:${payer.address}`],
    signer: payer,
  })
  assert.strictEqual(paid._tag, "Succeeded")
}

/** Looks again and again until it is so. */
const until = async (
  isSo: () => Promise<boolean>,
  endsAt = Date.now() + 120_000,
): Promise<void> => {
  if (await isSo()) return undefined
  if (Date.now() > endsAt) return assert.fail("it never happened")
  await new Promise((resolve) => setTimeout(resolve, 50))
  return until(isSo, endsAt)
}

const countOf = async (table: string) => {
  const { rowCount } = await pool.query(`SELECT FROM ${table}`)
  return rowCount
}

describe("the plugin of Better Auth", () => {
  it("gives a user what they paid for, and takes it back when all of it is refunded", async () => {
    const client = await signedUp("ada")
    const { data: bought } = await client.florin.buy({ product: "course" })
    const { gatewayUrl = "", paymentId = "" } = bought ?? {}
    const stateOf = async () => {
      const { data } = await client.florin.purchases()
      return data?.find((each) => each.paymentId === paymentId)?.state
    }
    assert.strictEqual(await stateOf(), "open")
    await payAt(gatewayUrl)
    await until(async () => (await stateOf()) === "paid")
    const { data: status } = await client.florin.payment({ query: { id: paymentId } })
    assert.deepStrictEqual(status, { status: "succeeded", isFinal: true })

    const again = await client.florin.buy({ product: "course" })
    assert.strictEqual(again.error?.message, "You have this already.")

    await shop.refunds.create({ paymentId }, { merchantId: whose.merchantId })
    await until(async () => (await stateOf()) === "refunded")
  })

  it("makes one payment of two clicks", async () => {
    const client = await signedUp("bob")
    const clicks = await Promise.all([
      client.florin.buy({ product: "course" }),
      client.florin.buy({ product: "course" }),
    ])
    const [first, second] = clicks.map(({ data }) => data?.paymentId)
    assert.isString(first)
    assert.strictEqual(first, second)
    assert.lengthOf((await client.florin.purchases()).data ?? [], 1)
  })

  it("leaves no payment if the purchase cannot be written", async () => {
    const client = await signedUp("eve")
    const before = await countOf("florin.payment")
    await pool.query(`ALTER TABLE "purchase" ADD CONSTRAINT sold_out CHECK (false) NOT VALID`)
    const { data } = await client.florin.buy({ product: "course" })
    await pool.query(`ALTER TABLE "purchase" DROP CONSTRAINT sold_out`)
    assert.isNull(data)
    assert.strictEqual(await countOf("florin.payment"), before)
  })

  it("shows payments to their user only, and prices come from the server", async () => {
    const owner = await signedUp("cleo")
    const { data } = await owner.florin.buy({ product: "course" })
    const query = { id: data?.paymentId ?? "" }
    const other = await signedUp("dan")
    assert.deepStrictEqual((await other.florin.purchases()).data, [])
    assert.strictEqual((await other.florin.payment({ query })).error?.status, 404)
    const stranger = browser()
    assert.strictEqual((await stranger.florin.payment({ query })).error?.status, 401)
    assert.strictEqual((await stranger.florin.buy({ product: "course" })).error?.status, 401)
    assert.strictEqual((await other.florin.buy({ product: "__proto__" })).error?.status, 404)
  })
})
