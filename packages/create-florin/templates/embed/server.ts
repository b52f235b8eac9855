/**
 * A Node server with routes of its own, and Florin below `/pay`.
 *
 * @module
 */
import { createServer } from "node:http"
import process from "node:process"
import { florinRoutes } from "@florin/server/express"
import { apiKey, buyPage, createPayment, florin } from "./florin.ts"

const port = Number(process.env["PORT"] ?? 3000)

const routes = florinRoutes(florin)

const server = createServer((request, response) =>
  routes(request, response, async () => {
    if (request.url === "/hello") {
      response.end("Hello from your own route.\n")
    } else if (request.url === "/buy") {
      response.setHeader("Content-Type", "text/html").end(await buyPage())
    } else {
      response.writeHead(404).end("Not found\n")
    }
  }),
)

await florin.workers.start()
const { secret: walletKey } = await florin.operator.keys.issue({ mode: "test", wallet: "A wallet" })
const { gatewayUrl } = await createPayment()
server.once("error", ({ message }) => {
  process.stderr.write(`${message}. Try another port: PORT=${port + 1} npm start\n`)
  process.exit(1)
})
server.listen(port, () =>
  process.stdout.write(`Florin takes test payments: http://localhost:${port}/buy

The shop's key    ${apiKey}
A wallet's key    ${walletKey}
A payment link    ${gatewayUrl}
The documentation ${florin.publicUrl}/docs

  curl -H 'Api-Key: ${apiKey}' ${florin.publicUrl}/v1/payments
`),
)

const end = async (): Promise<void> => {
  server.close()
  await florin.dispose()
}
process.once("SIGINT", end).once("SIGTERM", end)
