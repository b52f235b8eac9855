import { assert, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import { suite } from "@florin/example-try-it/AppSuite"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { makeApp } from "./app.ts"

suite("Fastify", async ({ florin, port, receive }) => {
  const app = makeApp(florin)
  app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body))
    raw.post("/webhooks", async ({ body, headers }) => {
      await receive(String(body), headers)
      return ""
    })
  })
  await app.listen({ port })
  return () => app.close()
})

describe("Florin in Fastify", () => {
  it("answers parked polls when the server closes", { timeout: 24_000 }, async () => {
    const florin = createFlorin({
      payLinkHost: "pay.localhost",
      pages: false,
      chains: SimulatedChain.layerChains(),
    })
    const app = makeApp(florin)
    const { promise: called, resolve: call } = Promise.withResolvers<void>()
    app.server.on("request", ({ url }) => {
      if (url?.includes("maxPollMs") === true) call()
    })
    const { id: partnerId } = await florin.operator.partners.create({ name: "Partner" })
    const { secret: apiKey } = await florin.operator.keys.issue({
      partnerId,
      mode: "test",
      name: "S",
    })
    const { secret: walletKey } = await florin.operator.keys.issue({ mode: "test", wallet: "W" })
    const baseUrl = await app.listen({ port: 0 })
    const partner = makePartner({ baseUrl, apiKey })
    const { merchant } = await partner.merchants.create({
      merchantName: "Blue Door Coffee",
      merchantEmail: "till@bluedoor.example",
    })
    const { paymentId } = await partner.payments.create({
      merchantId: merchant.id,
      referenceId: "order-1",
      amount: { unit: "iso4217/USD", value: "350" },
    })
    const poll = fetch(`${baseUrl}/v1/gateway/payment/${paymentId}/status?maxPollMs=25000`, {
      headers: { "Api-Key": walletKey },
    })
    await called
    await app.close()
    const status: unknown = await (await poll).json()
    assert.strictEqual(Object(status).status, "requires_action")
  })
})
