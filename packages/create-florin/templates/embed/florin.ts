/**
 * Florin in this process, for test payments: everything is in memory, the chains are simulated, and no money moves.
 *
 * @module
 */
import process from "node:process"
import { makePartner } from "@florin/client"
import * as Pages from "@florin/pages"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"

export const port = Number(process.env["PORT"] ?? 3000)

export const florin = createFlorin({
  payLinkHost: `localhost:${port}`,
  // A block is made every half a second, and every new account has 1000 of each token.
  chains: SimulatedChain.layerChains({ blocks: { everyInMs: 500 }, unseenBalance: 1000 }),
  pages: await Pages.load({
    termsUrl: "https://shop.example/terms",
    privacyUrl: "https://shop.example/privacy",
  }),
})

/** Registers a shop with its keys, and creates a first payment. */
export const register = async (baseUrl: string) => {
  const { operator } = florin
  const { id: partnerId } = await operator.partners.ensure({ name: "My shop" })
  const { secret: apiKey } = await operator.keys.issue({ partnerId, mode: "test", name: "shop" })
  const { secret: walletKey } = await operator.keys.issue({ mode: "test", wallet: "A wallet" })

  // Calls reach Florin directly, without a network. To use a remote service, leave out `fetch`.
  const fetch = (url: string, init: RequestInit) => florin.handler(new Request(url, init))
  const shop = makePartner({ baseUrl, apiKey, fetch })
  const { merchant } = await shop.merchants.create({
    merchantName: "My shop",
    merchantEmail: "till@shop.example",
  })
  const { gatewayUrl } = await shop.payments.create({
    merchantId: merchant.id,
    referenceId: "order-1",
    amount: { unit: "iso4217/USD", value: "1250" },
  })
  return { apiKey, gatewayUrl, walletKey }
}
