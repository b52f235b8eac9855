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
import { serve } from "@hono/node-server"
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
const server = serve({ fetch: makeApp(florin).fetch, hostname: "127.0.0.1", port }, () =>
  tryIt(florin),
)

/** Stop accepting connections, then finish the open requests: long polls get a response and are not cut off. */
const end = async () => {
  server.close()
  await florin.dispose()
}
process.once("SIGINT", end).once("SIGTERM", end)
