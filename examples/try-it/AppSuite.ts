/**
 * The contract of Florin in a shop's own app: below `/pay`, among the app's own routes. It runs on each real framework.
 *
 * @module
 */
import { once } from "node:events"
import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay, verifyWebhook } from "@florin/client"
import * as Pages from "@florin/pages"
import { createFlorin, type Florin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"

/** Takes a webhook as it came. */
export type Receive = (body: string, headers: WebhookHeaders) => Promise<void>
type WebhookHeaders = Parameters<typeof verifyWebhook>[0]["headers"]

export interface Serving {
  readonly florin: Florin
  readonly port: number
  /** What the app calls at `POST /webhooks`, a route of its own. */
  readonly receive: Receive
}

const payer = Wallet.make(1)
const payLinkHost = "pay.localhost"

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : assert.fail()
}

/** Starts the shop with keys for a partner and a wallet. */
const open = async (serve: (serving: Serving) => Promise<() => unknown>) => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const baseUrl = `${url}/pay`
  const florin = createFlorin({
    payLinkHost,
    publicUrl: baseUrl,
    pages: await Pages.load({ termsUrl: `${url}/terms`, privacyUrl: `${url}/privacy` }),
    chains: SimulatedChain.layerChains({ blocks: { everyInMs: 20 }, unseenBalance: 100 }),
    worker: { idleInMs: 20 },
    allowPrivateWebhooks: true,
  })
  const { id: partnerId } = await florin.operator.partners.create({ name: "Partner" })
  const whose = { partnerId, mode: "test" } as const
  const { secret: apiKey } = await florin.operator.keys.issue({ ...whose, name: "Shop" })
  const { secret: walletKey } = await florin.operator.keys.issue({ mode: "test", wallet: "Wallet" })
  const { secret } = await florin.operator.webhooks.create({
    ...whose,
    url: `${url}/webhooks`,
    types: ["payment.succeeded"],
  })
  const { promise: event, resolve } = Promise.withResolvers<string>()
  const close = await serve({
    florin,
    port,
    receive: async (body, headers) => {
      resolve((await verifyWebhook({ body, headers, secret })).type)
    },
  })
  await florin.workers.start()
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
    event,
    close,
    createPayment: () =>
      partner.payments.create({
        merchantId: merchant.id,
        referenceId: "order-1",
        amount: { unit: "iso4217/USD", value: "350" },
      }),
    [Symbol.asyncDispose]: async () => {
      await close()
      await florin.dispose()
    },
  }
}

/** Runs the contract. The app has the routes of the examples, and ends when the function that `serve` returns is called. */
export const suite = (name: string, serve: (serving: Serving) => Promise<() => unknown>): void => {
  describe(`Florin in ${name}, below a path`, () => {
    it("takes a payment, and calls a webhook in the same app", async () => {
      await using shop = await open(serve)
      const { gatewayUrl } = await shop.createPayment()
      const paid = await pay(gatewayUrl, {
        baseUrl: shop.baseUrl,
        apiKey: shop.walletKey,
        payLinkHost,
        accounts: [`eip155:8453:${payer.address}`],
        signer: payer,
      })
      assert.strictEqual(paid._tag, "Succeeded")
      assert.strictEqual(await shop.event, "payment.succeeded")
    })

    it("serves the documentation with its stylesheet, and links that stay below the path", async () => {
      await using shop = await open(serve)
      const page = await (await fetch(`${shop.baseUrl}/docs`)).text()
      const links = [...page.matchAll(/ (?:href|action)="(?<path>\/[^"#]*)/gu)]
      const paths = new Set(links.map(({ groups }) => groups?.["path"]))
      assert.isAbove(paths.size, 10)
      const found = await Promise.all(
        [...paths].map(async (path) => {
          const { status } = await fetch(`${shop.url}${path}`)
          return `${status} ${path}`
        }),
      )
      assert.deepStrictEqual(
        found,
        [...paths].map((path) => `200 ${path}`),
      )
    })

    it("opens the checkout where the payment link leads, although the app has a front page", async () => {
      await using shop = await open(serve)
      const { gatewayUrl, paymentId } = await shop.createPayment()
      const link = new URL(gatewayUrl)
      assert.strictEqual(link.origin, `https://${payLinkHost}`)
      const checkout = await fetch(`${shop.url}${link.pathname}${link.search}`)
      assert.strictEqual(checkout.status, 200)
      const html = await checkout.text()
      const [, script] = /<script type="module" src="([^"]+)"/u.exec(html) ?? []
      assert.strictEqual((await fetch(`${shop.url}${script}`)).status, 200)
      assert.strictEqual((await fetch(`${shop.url}/${paymentId}`)).status, 200)
      assert.strictEqual((await fetch(`${shop.url}/pages/qr/${paymentId}`)).status, 200)

      const options = await fetch(`${shop.baseUrl}/v1/gateway/payment/${paymentId}/options`, {
        method: "POST",
        headers: { "Api-Key": shop.walletKey, "Content-Type": "application/json" },
        body: JSON.stringify({ accounts: [`eip155:8453:${payer.address}`] }),
      })
      const [, icon = ""] = /"(http[^"]+\/icons\/[^"]+)"/u.exec(await options.text()) ?? []
      assert.isTrue(icon.startsWith(`${shop.baseUrl}/icons/`), icon)
      assert.strictEqual((await fetch(icon)).status, 200)
    })

    it("leaves the app its own routes, with their bodies, and its own page for what is not there", async () => {
      await using shop = await open(serve)
      const answerAt = async (path: string) => {
        const answer = await fetch(`${shop.url}${path}`)
        return [answer.status, await answer.text()]
      }
      assert.deepStrictEqual(await answerAt("/"), [200, "Blue Door Coffee"])
      assert.deepStrictEqual(await answerAt("/menu"), [200, '{"coffee":"3.50","tea":"2.80"}'])
      const order = await fetch(`${shop.url}/orders`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: '{ "tea": 2 }',
      })
      assert.deepStrictEqual(await order.json(), { ordered: { tea: 2 } })
      const missing = [404, "The shop has no such page."]
      const paths = ["/nowhere", "/pay/nowhere", "/payment", "/healthz", "/v1/payments", "/collect"]
      assert.deepStrictEqual(
        await Promise.all(paths.map(answerAt)),
        paths.map(() => missing),
      )
      assert.strictEqual((await fetch(`${shop.baseUrl}/healthz?verbose`)).status, 200)
    })

    it("gets bodies as they were sent, and judges them itself", async () => {
      await using shop = await open(serve)
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
}
