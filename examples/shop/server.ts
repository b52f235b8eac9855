/**
 * The shop on Node: `FLORIN_API_KEY=… node server.ts`, next to `npm start` of the repository.
 *
 * @module
 */
import { env, stdout } from "node:process"
import { makePartner } from "@florin/client"
import { makeShop } from "./shop.ts"

const apiKey = env["FLORIN_API_KEY"]
if (apiKey === undefined)
  throw new Error("FLORIN_API_KEY is not set: npm start prints the shop's key")

const port = Number(env["PORT"] ?? 4000)
const url = `http://localhost:${port}`
const florin = makePartner({ baseUrl: env["FLORIN_URL"] ?? "http://localhost:3000", apiKey })

// The secret is only in this response. In production, create the webhook once and store the secret with your others.
const { secret } = await florin.webhooks.create({
  url: `${url}/webhooks/florin`,
  types: ["payment.succeeded", "payment.failed", "payment.expired", "payment.cancelled"],
})

makeShop({ florin, url, webhookSecret: secret }).listen(port, "127.0.0.1", () =>
  stdout.write(`The shop is open: ${url}\n`),
)
