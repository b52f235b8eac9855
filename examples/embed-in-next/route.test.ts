import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Wallet from "@florin/testing/Wallet"
import * as route from "./app/[...path]/route.ts"
import { florin, port } from "./florin.ts"
import { register } from "./instrumentation.ts"

const baseUrl = "http://next.example"
const payer = Wallet.make(1)

const functions = new Map(
  Object.entries(route).flatMap(([name, value]) =>
    typeof value === "function" ? [[name, value] as const] : [],
  ),
)

/** Calls the function that Next would call: the one with the name of the method. */
const fetchRoute = (url: string, init: RequestInit = {}): Promise<Response> => {
  const request = new Request(url, init)
  const answer = functions.get(request.method)
  return answer === undefined ? assert.fail(`no ${request.method}`) : answer(request)
}

describe("Florin in Next", () => {
  it("takes payments", async () => {
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
    const partner = makePartner({ baseUrl, apiKey, fetch: fetchRoute })
    const { merchant } = await partner.merchants.create({
      merchantName: "Blue Door Coffee",
      merchantEmail: "till@bluedoor.example",
    })
    const { gatewayUrl } = await partner.payments.create({
      merchantId: merchant.id,
      referenceId: "order-1",
      amount: { unit: "iso4217/USD", value: "350" },
    })
    const paid = await pay(gatewayUrl, {
      baseUrl,
      fetch: fetchRoute,
      apiKey: walletKey,
      payLinkHost: `localhost:${port}`,
      accounts: [`eip155:8453:${payer.address}`],
      signer: payer,
    })
    assert.strictEqual(paid._tag, "Succeeded")
    await florin.dispose()
  })

  it("answers every method that Florin knows", () => {
    assert.sameMembers([...functions.keys()], ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
  })
})
