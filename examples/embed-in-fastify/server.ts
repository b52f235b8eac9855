/**
 * The shop on Node: `node server.ts`.
 *
 * @module
 */
import process, { env } from "node:process"
import { tryIt } from "@florin/example-try-it"
import * as Pages from "@florin/pages"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { makeApp } from "./app.ts"

const port = Number(env["PORT"] ?? 3000)

// In memory, on simulated chains. An unused account holds 1000 of every token.
const florin = createFlorin({
  payLinkHost: `localhost:${port}`,
  publicUrl: `http://localhost:${port}/pay`,
  chains: SimulatedChain.layerChains({ blocks: { everyInMs: 200 }, unseenBalance: 1000 }),
  pages: await Pages.load({
    termsUrl: "https://shop.example/terms",
    privacyUrl: "https://shop.example/privacy",
  }),
})

await florin.workers.start()
const app = makeApp(florin)
await app.listen({ port })
await tryIt(florin)

const end = () => app.close()
process.once("SIGINT", end).once("SIGTERM", end)
