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

// The API is below a path of this app. The checkout is at the root, because payment links lead there.
const publicUrl =
  process.env["FLORIN_PUBLIC_URL"] ?? `http://localhost:${process.env["PORT"] ?? 3000}/pay`
const { host, origin } = new URL(publicUrl)

export const florin = createFlorin({
  payLinkHost: host,
  publicUrl,
  // A block is made every half a second, and every new account has 1000 of each token.
  chains: SimulatedChain.layerChains({ blocks: { everyInMs: 500 }, unseenBalance: 1000 }),
  pages: await Pages.load({
    termsUrl: `${origin}/terms`,
    privacyUrl: `${origin}/privacy`,
    frameAncestors: [origin],
  }),
})

const { id: partnerId } = await florin.operator.partners.ensure({ name: "My shop" })

/** The shop's key. */
export const { secret: apiKey } = await florin.operator.keys.issue({
  partnerId,
  mode: "test",
  name: "shop",
})

// Calls reach Florin directly, without a network.
const shop = makePartner({
  baseUrl: origin,
  apiKey,
  fetch: (url, init) => florin.handler(new Request(url, init)),
})
const { merchant } = await shop.merchants.create({
  merchantName: "My shop",
  merchantEmail: "till@shop.example",
})

let orders = 0

/** Creates a payment of 12.50 USD. The payer opens its `gatewayUrl`. */
export const createPayment = () =>
  shop.payments.create({
    merchantId: merchant.id,
    referenceId: `order-${++orders}`,
    amount: { unit: "iso4217/USD", value: "1250" },
  })

/** A page with the checkout of a new payment. */
export const buyPage = async () => {
  const { gatewayUrl } = await createPayment()
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <title>Pay 12.50 USD</title>
  <script type="module" src="/pages/florin.js"></script>
  <h1>Your order: 12.50 USD</h1>
  <florin-checkout payment="${gatewayUrl}"></florin-checkout>
</html>
`
}
