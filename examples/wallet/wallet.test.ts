import { assert, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { payLink } from "./wallet.ts"

const payLinkHost = "pay.example"
const baseUrl = "https://api.example"

describe("the wallet", () => {
  it("pays a link once, and says so the second time", async () => {
    const florin = createFlorin({
      payLinkHost,
      pages: false,
      chains: SimulatedChain.layerChains({ blocks: "instant", unseenBalance: 1000 }),
    })
    await florin.workers.start()
    const { id: partnerId } = await florin.operator.partners.create({ name: "Corner Payments" })
    const shopKey = await florin.operator.keys.issue({ mode: "test", name: "shop", partnerId })
    const walletKey = await florin.operator.keys.issue({ mode: "test", wallet: "Wallet" })
    const fetch = (url: string, init: RequestInit) => florin.handler(new Request(url, init))

    const shop = makePartner({ baseUrl, apiKey: shopKey.secret, fetch })
    await shop.merchants.create({ merchantName: "Blue Door", merchantEmail: "till@door.example" })
    const { gatewayUrl } = await shop.payments.create({
      referenceId: "ORDER-7",
      amount: { unit: "iso4217/USD", value: "1250" },
    })

    const lines: Array<string> = []
    const service = { baseUrl, apiKey: walletKey.secret, payLinkHost, fetch }
    const first = await payLink(gatewayUrl, service, (line) => lines.push(line))
    const second = await payLink(gatewayUrl, service, (line) => lines.push(line))
    await florin.dispose()

    assert.strictEqual(first._tag, "Succeeded")
    assert.deepInclude(second, { _tag: "AlreadyFinal", status: "succeeded" })
    assert.match(lines[0] ?? "", /^Blue Door asks for money: [1-9]\d* ways to pay$/u)
    assert.deepStrictEqual(lines.filter((line) => line !== "Processing").slice(1), [
      "Step 1 of 1: eth_signTypedData_v4",
      "Signed",
      "Confirming",
    ])
  })
})
