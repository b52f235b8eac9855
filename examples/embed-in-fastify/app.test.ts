import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { fastify } from "fastify"
import { makeApp } from "./app.ts"
import { florinRoutes } from "./florinRoutes.ts"

const payLinkHost = "pay.localhost"
const payer = Wallet.make(1)

/** Starts the shop on its own port, with keys for a partner and a wallet. */
const open = async () => {
  const florin = createFlorin({
    payLinkHost,
    pages: false,
    chains: SimulatedChain.layerChains({ blocks: { everyInMs: 20 }, unseenBalance: 100 }),
    worker: { idleInMs: 20 },
  })
  await florin.workers.start()
  const app = makeApp(florin)
  const { promise: called, resolve: call } = Promise.withResolvers<void>()
  app.addHook("preHandler", (request, _reply, done) => {
    if (request.url.includes("maxPollMs")) call()
    done()
  })
  const { id: partnerId } = await florin.operator.partners.create({ name: "Partner" })
  const { secret: apiKey } = await florin.operator.keys.issue({
    partnerId,
    mode: "test",
    name: "Shop",
  })
  const { secret: walletKey } = await florin.operator.keys.issue({ mode: "test", wallet: "Wallet" })
  const baseUrl = await app.listen({ port: 0 })
  const partner = makePartner({ baseUrl, apiKey })
  const createPayment = async () => {
    const { merchant } = await partner.merchants.create({
      merchantName: "Blue Door Coffee",
      merchantEmail: "till@bluedoor.example",
    })
    return partner.payments.create({
      merchantId: merchant.id,
      referenceId: "order-1",
      amount: { unit: "iso4217/USD", value: "350" },
    })
  }
  return {
    baseUrl,
    apiKey,
    walletKey,
    createPayment,
    /** Resolves once a poll has reached the app. */
    called,
    close: () => app.close(),
    [Symbol.asyncDispose]: () => app.close(),
  }
}

describe("Florin in Fastify", () => {
  it("takes payments", async () => {
    await using shop = await open()
    const { gatewayUrl } = await shop.createPayment()
    const paid = await pay(gatewayUrl, {
      baseUrl: shop.baseUrl,
      apiKey: shop.walletKey,
      payLinkHost,
      accounts: [`eip155:8453:${payer.address}`],
      signer: payer,
    })
    assert.strictEqual(paid._tag, "Succeeded")
  })

  it("leaves the app its own routes, and their parsers", async () => {
    await using shop = await open()
    const menu = await fetch(`${shop.baseUrl}/menu`)
    assert.deepStrictEqual(await menu.json(), { coffee: "3.50", tea: "2.80" })
    const order = await fetch(`${shop.baseUrl}/orders`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{ "tea": 2 }',
    })
    assert.deepStrictEqual(await order.json(), { ordered: { tea: 2 } })
  })

  it("judges bodies and paths itself", async () => {
    await using shop = await open()
    const codeOf = async (path: string, body: string, type: string) => {
      const answer = await fetch(`${shop.baseUrl}${path}`, {
        method: "POST",
        headers: { "Api-Key": shop.apiKey, "Idempotency-Key": "1", "Content-Type": type },
        body,
      })
      const problem: unknown = await answer.json()
      assert.containsAllKeys(problem, ["code", "message", "requestId"])
      return Object(problem).code
    }
    assert.strictEqual(await codeOf("/v1/merchants", '{"', "application/json"), "invalid_params")
    const text = await codeOf("/v1/merchants", "merchantName=", "text/plain")
    assert.strictEqual(text, "unsupported_media_type")
    assert.strictEqual((await fetch(`${shop.baseUrl}/healthz`)).status, 200)
  })

  it("leaves the app its own page for what is not there", async () => {
    await using shop = await open()
    const missing = await fetch(`${shop.baseUrl}/nowhere`)
    assert.strictEqual(missing.status, 404)
    assert.strictEqual(await missing.text(), "The shop has no such page.")
  })

  it("is under a prefix, if the app gives it one", async () => {
    const florin = createFlorin({
      payLinkHost,
      pages: false,
      chains: SimulatedChain.layerChains(),
    })
    const app = fastify()
    app.register(florinRoutes(florin), { prefix: "/pay" })
    const alive = await app.inject("/pay/healthz?verbose")
    assert.strictEqual(alive.statusCode, 200)
    assert.strictEqual((await app.inject("/healthz")).statusCode, 404)
    await app.close()
  })

  it("answers parked polls when the server closes", { timeout: 24_000 }, async () => {
    const shop = await open()
    const { paymentId } = await shop.createPayment()
    const poll = fetch(`${shop.baseUrl}/v1/gateway/payment/${paymentId}/status?maxPollMs=25000`, {
      headers: { "Api-Key": shop.walletKey },
    })
    await shop.called
    await shop.close()
    const status: unknown = await (await poll).json()
    assert.strictEqual(Object(status).status, "requires_action")
  })
})
