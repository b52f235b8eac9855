/**
 * The provider in Medusa's own payment module, on a database, against a Florin service over HTTP.
 *
 * @module
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import process from "node:process"
import { text } from "node:stream/consumers"
import { after, before, describe, it } from "node:test"
import { makePartner, pay } from "@florin/client"
import { currencies } from "@florin/core/domain/money/Amount"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { MedusaApp, MedusaModule } from "@medusajs/framework/modules-sdk"
import type { IPaymentModuleService, ProviderWebhookPayload } from "@medusajs/framework/types"
import { Modules } from "@medusajs/framework/utils"
import { decimalsOf, FlorinPayments } from "./florin.ts"
import florinModule from "./module.ts"

const payer = Wallet.make(1)
const payLinkHost = "pay.localhost"

type Payload = ProviderWebhookPayload["payload"]

/** What Medusa's route `/hooks/payment/florin_florin` gets, in the order of the calls. */
const hooks: Array<Payload> = []

const server = createServer()
server.listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
const port = typeof address === "object" ? address?.port : ""
const baseUrl = `http://127.0.0.1:${port}`
const florin = createFlorin({
  payLinkHost,
  publicUrl: baseUrl,
  pages: false,
  chains: SimulatedChain.layerChains({ blocks: { everyInMs: 20 }, unseenBalance: 1000 }),
  worker: { idleInMs: 20 },
  allowPrivateWebhooks: true,
})
const listener = NodeListener.appListener(florin)
server.on("request", async (request, response) => {
  if (request.url !== "/hooks/payment/florin_florin")
    return listener(request, response, () => response.end())
  const rawData = await text(request)
  hooks.push({ data: JSON.parse(rawData), rawData, headers: request.headers })
  return response.end()
})

const { id: partnerId } = await florin.operator.partners.create({ name: "Medusa" })
const whose = { partnerId, mode: "test" } as const
const { secret: apiKey } = await florin.operator.keys.issue({ ...whose, name: "Medusa" })
const { secret: walletKey } = await florin.operator.keys.issue({ mode: "test", wallet: "Wallet" })
const { secret: webhookSecret } = await florin.operator.webhooks.create({
  ...whose,
  url: `${baseUrl}/hooks/payment/florin_florin`,
})
const partner = makePartner({ baseUrl, apiKey })
const { merchant } = await partner.merchants.create({
  merchantName: "Blue Door Coffee",
  merchantEmail: "till@bluedoor.example",
})
const merchantId = merchant.id
const shop = makePartner({ baseUrl, apiKey, merchantId })
const options = { baseUrl, apiKey, merchantId, webhookSecret }

describe("the payment provider of Medusa", () => {
  let app: Awaited<ReturnType<typeof MedusaApp>>
  let payments: IPaymentModuleService

  before(async () => {
    await florin.workers.start()
    const config = {
      modulesConfig: {
        [Modules.PAYMENT]: {
          resolve: "@medusajs/payment",
          options: { providers: [{ resolve: florinModule, id: "florin", options }] },
        },
      },
      sharedResourcesConfig: { database: { clientUrl: process.env["DATABASE_URL"] ?? "" } },
    }
    const first = await MedusaApp({ ...config, migrationOnly: true })
    await first.runMigrations()
    MedusaModule.clearInstances()
    app = await MedusaApp(config)
    await app.onApplicationStart()
    payments = app.sharedContainer?.resolve(Modules.PAYMENT) ?? assert.fail("no payment module")
  })

  after(async () => {
    await app.onApplicationShutdown()
    await florin.dispose()
    server.close()
    server.closeAllConnections()
  })

  /** A session of an order, as the storefront begins it. */
  const begin = async (amount: number, currency_code = "usd") => {
    const collection = await payments.createPaymentCollections({ amount, currency_code })
    const session = await payments.createPaymentSession(collection.id, {
      provider_id: "pp_florin_florin",
      amount,
      currency_code,
      data: {},
    })
    return {
      session,
      paymentId: String(session.data["paymentId"]),
      link: String(session.data["gatewayUrl"]),
    }
  }

  const payAt = async (link: string) => {
    const paid = await pay(link, {
      baseUrl,
      payLinkHost,
      apiKey: walletKey,
      accounts: [`eip155:8453:${payer.address}`],
      signer: payer,
    })
    assert.equal(paid._tag, "Succeeded")
  }

  /** The webhook of a payment, when it has come. */
  const hookOf = async (type: string, paymentId: string): Promise<Payload> => {
    const found = hooks.find(
      ({ data }) => data["type"] === type && JSON.stringify(data).includes(paymentId),
    )
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
    return hookOf(type, paymentId)
  }

  it("takes an order's money, tells Medusa by its webhook, and refunds a part and the rest", async () => {
    const { link, paymentId, session } = await begin(12.5)
    assert.equal(session.status, "pending")
    assert.deepEqual((await shop.payments.get(paymentId)).amount.value, "1250")
    await assert.rejects(payments.authorizePaymentSession(session.id, {}), /was not authorized/u)
    await payAt(link)

    const payload = await hookOf("payment.succeeded", paymentId)
    const action = await payments.getWebhookActionAndData({ provider: "florin_florin", payload })
    assert.equal(action.action, "captured")
    assert.equal(action.data?.session_id, session.id)
    assert.equal(Number(action.data?.amount), 12.5)

    const payment =
      (await payments.authorizePaymentSession(session.id, {})) ?? assert.fail("not authorized")
    assert.notEqual(payment.captured_at, null)
    assert.equal(payment.data?.["paymentId"], paymentId)
    await payments.refundPayment({ payment_id: payment.id, amount: 2.5 })
    await payments.refundPayment({ payment_id: payment.id, amount: 10 })
    const refunds = (await shop.refunds.list(paymentId)).data
    assert.deepEqual(refunds.map(({ amount }) => amount.value).toSorted(), ["10000000", "2500000"])
    await assert.rejects(payments.refundPayment({ payment_id: payment.id, amount: 1 }))
    assert.equal((await shop.refunds.list(paymentId)).data.length, 2)
    await assert.rejects(payments.cancelPayment(payment.id), /Refund it instead/u)
  })

  it("replaces the payment if the order changes, and the first one can no longer be paid", async () => {
    const { paymentId, session } = await begin(10)
    const update = (amount: number, data: Record<string, unknown>) =>
      payments.updatePaymentSession({
        id: session.id,
        amount,
        currency_code: "usd",
        data,
        context: {},
      })
    const changed = await update(12, session.data)
    const second = String(changed.data["paymentId"])
    assert.notEqual(second, paymentId)
    assert.equal((await shop.payments.get(paymentId)).status, "cancelled")
    assert.equal((await shop.payments.get(second)).amount.value, "1200")
    const same = await update(12, changed.data)
    assert.equal(same.data["paymentId"], second)
    const back = await update(10, changed.data)
    assert.notEqual(back.data["paymentId"], paymentId)
    assert.equal(
      (await shop.payments.get(String(back.data["paymentId"]))).status,
      "requires_action",
    )
  })

  it("cancels the payment of a session that is deleted, and keeps a session that is paid", async () => {
    const left = await begin(5)
    await payments.deletePaymentSession(left.session.id)
    assert.equal((await shop.payments.get(left.paymentId)).status, "cancelled")
    const paid = await begin(5)
    await payAt(paid.link)
    await assert.rejects(payments.deletePaymentSession(paid.session.id), /Refund it instead/u)
  })

  it("refuses webhooks that Florin did not sign, and ignores events that it does not use", async () => {
    const { paymentId } = await begin(5)
    const payload = await hookOf("payment.created", paymentId)
    const at = (one: Payload) =>
      payments.getWebhookActionAndData({ provider: "florin_florin", payload: one })
    assert.deepEqual(await at(payload), { action: "not_supported" })
    const forged = String(payload.rawData).replace("payment.created", "payment.succeeded")
    await assert.rejects(at({ ...payload, rawData: forged }), /no signature matches/u)
  })

  it("knows the smallest unit of each currency, and refuses an amount below it", async () => {
    for (const [code, { decimals }] of Object.entries(currencies)) {
      assert.equal(decimalsOf(code), decimals, code)
    }
    await assert.rejects(begin(0.001), /at most 2 decimals/u)
    await assert.rejects(begin(500.5, "jpy"), /at most 0 decimals/u)
  })

  it("says which option is missing", () => {
    assert.throws(
      () => FlorinPayments.validateOptions({ ...options, apiKey: "" }),
      /the option apiKey is missing/u,
    )
    FlorinPayments.validateOptions(options)
  })
})
