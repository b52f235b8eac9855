import { once } from "node:events"
import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Pages from "@florin/pages"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { makeApp } from "./app.ts"

const payLinkHost = "pay.localhost"
const payer = Wallet.make(1)

/** Starts the shop on its own port, with keys for a partner and a wallet. */
const open = async () => {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  const baseUrl = `${url}/pay`
  const florin = createFlorin({
    payLinkHost,
    publicUrl: baseUrl,
    pages: await Pages.load({ termsUrl: `${url}/terms`, privacyUrl: `${url}/privacy` }),
    chains: SimulatedChain.layerChains({ blocks: { everyInMs: 20 }, unseenBalance: 100 }),
    worker: { idleInMs: 20 },
  })
  await florin.workers.start()
  server.on("request", makeApp(florin))
  const { id: partnerId } = await florin.operator.partners.create({ name: "Partner" })
  const { secret: apiKey } = await florin.operator.keys.issue({
    partnerId,
    mode: "test",
    name: "Shop",
  })
  const { secret: walletKey } = await florin.operator.keys.issue({ mode: "test", wallet: "Wallet" })
  const partner = makePartner({ baseUrl, apiKey })
  const { merchant } = await partner.merchants.create({
    merchantName: "Blue Door Coffee",
    merchantEmail: "till@bluedoor.example",
  })
  return {
    url,
    baseUrl,
    apiKey,
    walletKey,
    createPayment: () =>
      partner.payments.create({
        merchantId: merchant.id,
        referenceId: "order-1",
        amount: { unit: "iso4217/USD", value: "350" },
      }),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await florin.dispose()
    },
  }
}

describe("Florin in Express", () => {
  it("takes payments under a path of the app, after a parser of JSON", async () => {
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

  it("opens the checkout where the payment link leads, and gives icons by their whole address", async () => {
    await using shop = await open()
    const { gatewayUrl, paymentId } = await shop.createPayment()
    const link = new URL(gatewayUrl)
    assert.strictEqual(link.origin, `https://${payLinkHost}`)
    const checkout = await fetch(`${shop.url}${link.pathname}${link.search}`)
    assert.strictEqual(checkout.status, 200)
    const html = await checkout.text()
    const [, script] = /<script type="module" src="([^"]+)"/u.exec(html) ?? []
    assert.strictEqual((await fetch(`${shop.url}${script}`)).status, 200)

    const options = await fetch(`${shop.baseUrl}/v1/gateway/payment/${paymentId}/options`, {
      method: "POST",
      headers: { "Api-Key": shop.walletKey, "Content-Type": "application/json" },
      body: JSON.stringify({ accounts: [`eip155:8453:${payer.address}`] }),
    })
    const [, icon = ""] = /"(http[^"]+\/icons\/[^"]+)"/u.exec(await options.text()) ?? []
    assert.isTrue(icon.startsWith(`${shop.baseUrl}/icons/`), icon)
    assert.strictEqual((await fetch(icon)).status, 200)
  })

  it("passes on what is not Florin's, with its body", async () => {
    await using shop = await open()
    const textAt = async (path: string) => (await fetch(`${shop.url}${path}`)).text()
    assert.strictEqual(await textAt("/"), "Blue Door Coffee")
    assert.strictEqual(await textAt("/menu"), '{"coffee":"3.50","tea":"2.80"}')
    const order = await fetch(`${shop.url}/orders`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{ "tea": 2 }',
    })
    assert.deepStrictEqual(await order.json(), { ordered: { tea: 2 } })
    const missing = await Promise.all(
      ["/nowhere", "/pay/nowhere"].map(async (path) => {
        const { status } = await fetch(`${shop.url}${path}`)
        return [status, await textAt(path)]
      }),
    )
    assert.deepStrictEqual(missing, [
      [404, "The shop has no such page."],
      [404, "The shop has no such page."],
    ])
  })

  it("judges bodies itself: a type that is not JSON is refused as everywhere", async () => {
    await using shop = await open()
    const refused = await fetch(`${shop.baseUrl}/v1/merchants`, {
      method: "POST",
      headers: { "Api-Key": shop.apiKey, "Idempotency-Key": "1", "Content-Type": "text/plain" },
      body: "merchantName=",
    })
    assert.strictEqual(refused.status, 415)
    const problem: unknown = await refused.json()
    assert.strictEqual(Object(problem).code, "unsupported_media_type")
  })
})
