/**
 * The only Florin instance of this process. Next may load a module more than once, so the instance is stored globally.
 *
 * @module
 */
import { env } from "node:process"
import * as Pages from "@florin/pages"
import { createFlorin, type Florin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"

const pages = await Pages.load({
  termsUrl: "https://shop.example/terms",
  privacyUrl: "https://shop.example/privacy",
})

export const port = Number(env["PORT"] ?? 3000)

const kept: typeof globalThis & { florin?: Florin } = globalThis

// In memory, on simulated chains. An unused account holds 1000 of every token.
export const florin = (kept.florin ??= createFlorin({
  payLinkHost: `localhost:${port}`,
  publicUrl: `http://localhost:${port}/pay`,
  chains: SimulatedChain.layerChains({ blocks: { everyInMs: 200 }, unseenBalance: 1000 }),
  pages,
}))
