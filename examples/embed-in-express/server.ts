/**
 * The shop on Node: `node server.ts`.
 *
 * @module
 */
import { createServer } from "node:http"
import process, { env } from "node:process"
import { tryIt } from "@florin/example-try-it"
import * as Pages from "@florin/pages"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { makeApp } from "./app.ts"

const server = createServer()
await new Promise<void>((resolve) =>
  server.listen(Number(env["PORT"] ?? 3000), "127.0.0.1", resolve),
)
const address = server.address()
const payLinkHost = `localhost:${typeof address === "object" ? address?.port : ""}`

// In memory, on simulated chains. An unused account holds 1000 of every token.
const florin = createFlorin({
  payLinkHost, // on your own machine, localhost and the port
  publicUrl: `http://${payLinkHost}/pay`, // where the API is
  chains: SimulatedChain.layerChains({ blocks: { everyInMs: 200 }, unseenBalance: 1000 }),
  pages: await Pages.load({
    termsUrl: "https://shop.example/terms",
    privacyUrl: "https://shop.example/privacy",
  }),
})

await florin.workers.start()
server.on("request", makeApp(florin))
await tryIt(florin)

/** Stop accepting connections, then finish the open requests: long polls get a response and are not cut off. */
const end = async () => {
  server.close()
  await florin.dispose()
}
process.once("SIGINT", end).once("SIGTERM", end)
