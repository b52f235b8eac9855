/**
 * Florin in this process, for test payments: everything is in memory, the chains are simulated, and no money moves.
 *
 * @module
 */
import type { RequestListener } from "node:http"
import { makePartner, type Partner } from "@florin/client"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as testWallets from "./testWallets.ts"

export interface Payments {
  /** The shop's client of the API. */
  readonly shop: Partner
  /** The secret with which Florin signs its webhooks. */
  readonly webhookSecret: string
  /** Serves the checkout and the API. */
  readonly listener: RequestListener
  readonly dispose: () => Promise<void>
}

/** Starts Florin, and registers the shop with a key and a webhook. */
export const openPayments = async (url: string): Promise<Payments> => {
  const florin = createFlorin({
    payLinkHost: new URL(url).host,
    publicUrl: url,
    // A block is made every half a second, and every new account has 1000 of each token.
    chains: SimulatedChain.layerChains({ blocks: { everyInMs: 500 }, unseenBalance: 1000 }),
    pages: await testWallets.pages({ termsUrl: `${url}/terms`, privacyUrl: `${url}/privacy` }),
    // The webhook of this shop is on this machine.
    allowPrivateWebhooks: true,
  })
  await florin.workers.start()

  const { operator } = florin
  const { id: partnerId } = await operator.partners.ensure({ name: "My shop" })
  const { secret: apiKey } = await operator.keys.issue({ partnerId, mode: "test", name: "shop" })
  const { secret: webhookSecret } = await operator.webhooks.create({
    partnerId,
    mode: "test",
    url: `${url}/webhook`,
  })

  // Calls reach Florin directly, without a network. To use a remote service, leave out `fetch`.
  const fetch = (address: string, init: RequestInit) => florin.handler(new Request(address, init))
  const connection = { baseUrl: url, apiKey, fetch }
  const { merchant } = await makePartner(connection).merchants.create({
    merchantName: "My shop",
    merchantEmail: "till@shop.example",
  })

  return {
    shop: makePartner({ ...connection, merchantId: merchant.id }),
    webhookSecret,
    listener: NodeListener.requestListener(florin),
    dispose: florin.dispose,
  }
}
