/**
 * A Node server with routes of its own, and Florin on all other paths.
 *
 * In Express, add `app.use(listener)` after your routes.
 *
 * @module
 */
import { createServer } from "node:http"
import process from "node:process"
import * as NodeListener from "@florin/server/NodeListener"
import { florin, port, register } from "./florin.ts"

const url = `http://localhost:${port}`

const listener = NodeListener.requestListener(florin)

const server = createServer((request, response) => {
  if (request.url === "/hello") response.end("Hello from your own route.\n")
  else listener(request, response)
})

await florin.workers.start()
const { apiKey, gatewayUrl, walletKey } = await register(url)
server.once("error", ({ message }) => {
  process.stderr.write(`${message}. Try another port: PORT=${port + 1} npm start\n`)
  process.exit(1)
})
server.listen(port, () =>
  process.stdout.write(`Florin takes test payments: ${url}/docs

The shop's key    ${apiKey}
A wallet's key    ${walletKey}
A payment link    ${gatewayUrl}

  curl -H 'Api-Key: ${apiKey}' ${url}/v1/payments
`),
)

const end = async (): Promise<void> => {
  server.close()
  await florin.dispose()
}
process.once("SIGINT", end).once("SIGTERM", end)
