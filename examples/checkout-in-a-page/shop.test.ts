import { once } from "node:events"
import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { makeShop } from "./shop.ts"

const payLinkHost = "pay.localhost"
const payer = Wallet.make(1)

/** Starts the shop and its payment service, each on its own port. */
const open = async () => {
  const florin = createFlorin({
    payLinkHost,
    pages: false,
    allowPrivateWebhooks: true,
    chains: SimulatedChain.layerChains({ blocks: { everyInMs: 20 }, unseenBalance: 100 }),
    worker: { idleInMs: 20 },
  })
  await florin.workers.start()
  const { url: baseUrl, close } = await NodeListener.listen(florin, { port: 0 })
  const { operator } = florin
  const { id: partnerId } = await operator.partners.ensure({ name: "Corner Payments" })
  const { secret: apiKey } = await operator.keys.issue({ partnerId, mode: "test", name: "shop" })
  const { secret: walletKey } = await operator.keys.issue({ mode: "test", wallet: "Wallet" })
  const partner = makePartner({ baseUrl, apiKey })
  await partner.merchants.create({
    merchantName: "Blue Door Coffee",
    merchantEmail: "till@bluedoor.example",
  })
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const url = `http://localhost:${typeof address === "object" ? address?.port : ""}`
  const { secret } = await partner.webhooks.create({ url: `${url}/webhooks/florin` })
  server.on(
    "request",
    makeShop({ florin: partner, florinUrl: baseUrl, url, webhookSecret: secret }),
  )

  const read = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init)
    const answer: { id: string; payment: string; state: string } = JSON.parse(await response.text())
    return answer
  }
  /** Resolves once an order is in a state. */
  const becomes = async (id: string, state: string): Promise<void> => {
    if ((await read(`/orders/${id}`)).state !== state) await becomes(id, state)
  }
  return {
    url,
    baseUrl,
    partner,
    walletKey,
    buy: () => read("/orders", { method: "POST" }),
    read,
    becomes,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await close()
      await florin.dispose()
    },
  }
}

describe("the shop with the checkout in its page", () => {
  it("loads the checkout from the service that it uses", async () => {
    await using shop = await open()
    const html = await (await fetch(shop.url)).text()
    assert.include(html, `<script type="module" src="${shop.baseUrl}/pages/florin.js"></script>`)
    assert.notInclude(html, "pay.example.com")
  })

  it("ships an order once the webhook says that its payment succeeded", async () => {
    await using shop = await open()
    const { id, payment } = await shop.buy()
    assert.strictEqual((await shop.read(`/orders/${id}`)).state, "waiting")
    const paid = await pay(payment, {
      baseUrl: shop.baseUrl,
      apiKey: shop.walletKey,
      payLinkHost,
      accounts: [`eip155:8453:${payer.address}`],
      signer: payer,
    })
    assert.strictEqual(paid._tag, "Succeeded")
    await shop.becomes(id, "shipped")
  })

  it("ships nothing that somebody only says was paid, and cancels what was cancelled", async () => {
    await using shop = await open()
    const { id } = await shop.buy()
    const forged = await fetch(`${shop.url}/webhooks/florin`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ type: "payment.succeeded", data: { referenceId: id } }),
    })
    assert.strictEqual(forged.status, 400)
    assert.strictEqual((await shop.read(`/orders/${id}`)).state, "waiting")
    const [payment] = (await shop.partner.payments.list()).data
    await shop.partner.payments.cancel(payment?.paymentId ?? "")
    await shop.becomes(id, "cancelled")
  })
})
