/**
 * Takes a payment in the process that runs it, with storage in memory and in a directory. `install-check.ts` runs it in
 * an installation, on each runtime.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makePartner, pay } from "@florin/client"
import * as VaultAes from "@florin/core/node/VaultAes"
import * as Pages from "@florin/pages"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Redacted from "effect/Redacted"

const baseUrl = "http://shop.localhost"
const payLinkHost = "pay.localhost"
const payer = Wallet.make(1)
const directory = mkdtempSync(join(tmpdir(), "florin-embedded-"))

const storages = {
  memory: {},
  embedded: {
    storage: Postgres.layerEmbedded({ directory }),
    sealKey: crypto.getRandomValues(new Uint8Array(32)),
    vault: VaultAes.layer({
      current: { id: "1", key: Redacted.make(crypto.getRandomValues(new Uint8Array(32))) },
    }),
  },
}

for (const [name, storage] of Object.entries(storages)) {
  const florin = createFlorin({
    ...storage,
    payLinkHost,
    pages: await Pages.load({ termsUrl: `${baseUrl}/terms`, privacyUrl: `${baseUrl}/privacy` }),
    chains: SimulatedChain.layerChains({ blocks: { everyInMs: 20 }, unseenBalance: 100 }),
    worker: { idleInMs: 20 },
  })
  await florin.workers.start()
  const { id: partnerId } = await florin.operator.partners.create({ name: "Partner" })
  const { secret: apiKey } = await florin.operator.keys.issue({
    partnerId,
    mode: "test",
    name: "S",
  })
  const { secret: walletKey } = await florin.operator.keys.issue({ mode: "test", wallet: "Wallet" })
  const fetch = (url, init) => florin.handler(new Request(url, init))
  const partner = makePartner({ baseUrl, apiKey, fetch })
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
    apiKey: walletKey,
    fetch,
    payLinkHost,
    accounts: [`eip155:8453:${payer.address}`],
    signer: payer,
  })
  await florin.dispose()
  if (paid._tag !== "Succeeded") throw new Error(`${name}: ${paid._tag}`)
}
rmSync(directory, { recursive: true })
