/**
 * The shop on Node: `node server.ts`.
 *
 * @module
 */
import process, { env, stdout } from "node:process"
import { makePartner } from "@florin/client"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { serve } from "@hono/node-server"
import { makeApp } from "./app.ts"

// In memory, on simulated chains, where an account that nobody touched holds 1000 of every token.
const florin = createFlorin({
  payLinkHost: "pay.localhost",
  chains: SimulatedChain.layerChains({ blocks: { everyInMs: 200 }, unseenBalance: 1000 }),
})

/** The operator makes a partner and keys; all else goes over HTTP, as your own code and a wallet would do it. */
const tryIt = async (baseUrl: string) => {
  const { operator } = florin
  const { id: partnerId } = await operator.createPartner({ name: "Corner Payments" })
  const { text: apiKey } = await operator.issueKey({ partnerId, mode: "test", name: "shop" })
  const { text: walletKey } = await operator.issueWalletKey({ mode: "test", name: "A wallet" })
  const shop = makePartner({ baseUrl, apiKey })
  const { merchant } = await shop.merchants.create({
    merchantName: "Blue Door Coffee",
    merchantEmail: "till@bluedoor.example",
  })
  const { gatewayUrl, paymentId } = await shop.payments.create({
    merchantId: merchant.id,
    referenceId: "order-1",
    amount: { unit: "iso4217/USD", value: "350" },
  })
  stdout.write(`
The shop's key   ${apiKey}
A wallet's key   ${walletKey}
A payment link   ${gatewayUrl}

  curl ${baseUrl}/menu
  curl -H 'Api-Key: ${apiKey}' ${baseUrl}/v1/payments
  curl -H 'Api-Key: ${walletKey}' ${baseUrl}/v1/gateway/payment/${paymentId}

Pay it, with the wallet of examples/wallet:

  FLORIN_URL=${baseUrl} FLORIN_KEY=${walletKey} node ../wallet/wallet.ts '${gatewayUrl}'
`)
}

await florin.workers.start()
const server = serve(
  {
    fetch: makeApp(florin).fetch,
    hostname: "127.0.0.1",
    port: Number(env["PORT"] ?? 3000),
  },
  ({ port }) => tryIt(`http://127.0.0.1:${port}`),
)

/** New connections first, then what is open: parked polls are answered, not cut off. */
const end = async () => {
  server.close()
  await florin.dispose()
}
process.once("SIGINT", end).once("SIGTERM", end)
