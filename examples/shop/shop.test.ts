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
  server.on("request", makeShop({ florin: partner, url, webhookSecret: secret }))

  /** Buys as a browser does; returns the redirect's address. */
  const buy = async (form: string) => {
    const response = await fetch(`${url}/orders`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: form,
      redirect: "manual",
    })
    assert.strictEqual(response.status, 303)
    return response.headers.get("location") ?? assert.fail("it leads nowhere")
  }
  /** Resolves once the order's page shows the text. */
  const says = async (orderUrl: string, text: string): Promise<void> => {
    const html = await (await fetch(orderUrl)).text()
    if (!html.includes(text)) await says(orderUrl, text)
  }
  return {
    url,
    baseUrl,
    partner,
    walletKey,
    buy,
    says,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await close()
      await florin.dispose()
    },
  }
}

describe("the shop", () => {
  it("ships an order once its payment succeeded", async () => {
    await using shop = await open()
    const link = await shop.buy("beans=2&mug=1")
    const [payment] = (await shop.partner.payments.list()).data
    const orderUrl = `${shop.url}/orders/${payment?.referenceId}`
    await shop.says(orderUrl, "$33.00: waiting for payment.")
    const paid = await pay(link, {
      baseUrl: shop.baseUrl,
      apiKey: shop.walletKey,
      payLinkHost,
      accounts: [`eip155:8453:${payer.address}`],
      signer: payer,
    })
    assert.strictEqual(paid._tag, "Succeeded")
    await shop.says(orderUrl, "$33.00: shipped.")
  })

  it("sells nothing for an empty or a made-up cart", async () => {
    await using shop = await open()
    const carts = ["", "beans=0", "beans=-1", "beans=0.5", "beans=1e9", "yacht=1"]
    assert.deepStrictEqual(
      await Promise.all(carts.map((form) => shop.buy(form))),
      carts.map(() => "/"),
    )
    assert.deepStrictEqual((await shop.partner.payments.list()).data, [])
  })

  it("cancels an order whose payment was cancelled, and ships none that somebody only says was paid", async () => {
    await using shop = await open()
    await shop.buy("mug=1")
    const [payment] = (await shop.partner.payments.list()).data
    const { paymentId = "", referenceId = "" } = payment ?? {}
    const forged = await fetch(`${shop.url}/webhooks/florin`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ type: "payment.succeeded", data: { referenceId } }),
    })
    assert.strictEqual(forged.status, 400)
    const orderUrl = `${shop.url}/orders/${referenceId}`
    await shop.says(orderUrl, "waiting for payment")
    await shop.partner.payments.cancel(paymentId)
    await shop.says(orderUrl, "cancelled")
  })
})
