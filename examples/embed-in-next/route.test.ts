import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import { florinRoutes } from "@florin/server/next"
import * as Wallet from "@florin/testing/Wallet"
import * as route from "./app/pay/[[...path]]/route.ts"
import { florin, port } from "./florin.ts"
import { register } from "./instrumentation.ts"
import { respond } from "./standIn.ts"

const url = `http://localhost:${port}`
const payer = Wallet.make(1)

const fetchApp = (address: string, init?: RequestInit): Promise<Response> =>
  respond(new Request(address, init))

describe("Florin in Next, below a path", () => {
  it("takes payments, and opens the checkout where the payment link leads", async () => {
    await register()
    const { id: partnerId } = await florin.operator.partners.create({ name: "Partner" })
    const { secret: apiKey } = await florin.operator.keys.issue({
      partnerId,
      mode: "test",
      name: "Shop",
    })
    const { secret: walletKey } = await florin.operator.keys.issue({
      mode: "test",
      wallet: "Wallet",
    })
    const partner = makePartner({ baseUrl: florin.publicUrl, apiKey, fetch: fetchApp })
    const { merchant } = await partner.merchants.create({
      merchantName: "Blue Door Coffee",
      merchantEmail: "till@bluedoor.example",
    })
    const { gatewayUrl, paymentId } = await partner.payments.create({
      merchantId: merchant.id,
      referenceId: "order-1",
      amount: { unit: "iso4217/USD", value: "350" },
    })
    const checkout = await fetchApp(gatewayUrl)
    assert.strictEqual(checkout.status, 200)
    const [, script] = /<script type="module" src="([^"]+)"/u.exec(await checkout.text()) ?? []
    assert.strictEqual((await fetchApp(`${url}${script}`)).status, 200)
    assert.strictEqual((await fetchApp(`${url}/${paymentId}`)).status, 200)
    const paid = await pay(gatewayUrl, {
      baseUrl: florin.publicUrl,
      fetch: fetchApp,
      apiKey: walletKey,
      payLinkHost: `localhost:${port}`,
      accounts: [`eip155:8453:${payer.address}`],
      signer: payer,
    })
    assert.strictEqual(paid._tag, "Succeeded")
    await florin.dispose()
  })

  it("leaves the app its own pages", async () => {
    const textAt = async (path: string) => (await fetchApp(`${url}${path}`)).text()
    assert.strictEqual(await textAt("/"), "Blue Door Coffee")
    assert.strictEqual(await textAt("/collect"), "The shop has no such page.")
    assert.strictEqual(await textAt("/payment"), "The shop has no such page.")
  })

  it("says so if the route file is not at the path of publicUrl", async () => {
    const { GET } = florinRoutes({ publicUrl: "https://shop.example/pay", route: florin.route })
    const answer = await GET(new Request(`${url}/florin/v1/payments`))
    assert.strictEqual(answer.status, 500)
    assert.strictEqual(
      await answer.text(),
      'Florin does not serve /florin/v1/payments: publicUrl has the path "/pay". Move the route file there, or change publicUrl.',
    )
  })

  it("answers every method that Florin knows", () => {
    const methods = Object.entries(route).filter(([, value]) => typeof value === "function")
    assert.sameMembers(
      methods.map(([name]) => name),
      ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    )
  })
})
