/**
 * Prints how to try an example: keys, a payment link and commands.
 *
 * @module
 */
import { stdout } from "node:process"
import { makePartner } from "@florin/client"
import type { Florin } from "@florin/server/Florin"

/**
 * The operator creates a partner and keys. Everything else goes over HTTP, as your own code and a wallet would do it.
 */
export const tryIt = async ({ operator, publicUrl: baseUrl }: Florin): Promise<void> => {
  const { id: partnerId } = await operator.partners.create({ name: "Corner Payments" })
  const { secret: apiKey } = await operator.keys.issue({ partnerId, mode: "test", name: "shop" })
  const { secret: walletKey } = await operator.keys.issue({ mode: "test", wallet: "A wallet" })
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

  curl -H 'Api-Key: ${apiKey}' ${baseUrl}/v1/payments
  curl -H 'Api-Key: ${walletKey}' ${baseUrl}/v1/gateway/payment/${paymentId}

Pay it, with the wallet of examples/wallet:

  FLORIN_URL=${baseUrl} FLORIN_PAY_LINK_HOST=${new URL(gatewayUrl).host} FLORIN_API_KEY=${walletKey} npx pnpm --filter example-wallet start '${gatewayUrl}'
`)
}
