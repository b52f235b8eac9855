/**
 * A server with Web3Signer's `eth_signTransaction` only.
 *
 * @module
 */
import * as Http from "node:http"
import * as Https from "node:https"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { type Lie, allLies } from "../src/SignerSuite.ts"
import { answer } from "./asked.ts"

export interface Fake {
  readonly url: string
  /** What came, in order. */
  readonly seen: ReadonlyArray<Http.IncomingHttpHeaders>
  /** Which lie it tells from now on, if any. */
  readonly tell: (lie: Lie | undefined) => void
}

/** The path says what it does: a lie, or nothing at all. */
const respond = async (
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  told: Lie | undefined,
): Promise<void> => {
  const path = decodeURIComponent(request.url ?? "").slice(1)
  if (path === "hang") return
  const body: unknown = JSON.parse(await text(request))
  const isCall = typeof body === "object" && body !== null && "method" in body && "params" in body
  if (!isCall || body.method !== "eth_signTransaction" || !Array.isArray(body.params)) {
    response.writeHead(400).end()
    return
  }
  response.setHeader("content-type", "application/json")
  if (path === "unknown") {
    const message = `Signer not found for 0x${"31".repeat(32)}`
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message } }))
    return
  }
  if (path === "broken") {
    response.writeHead(502).end("<html>")
    return
  }
  const lie = allLies.find((each) => each === path) ?? told
  const result = await answer(body.params[0], lie)
  response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))
}

/** Runs for as long as the scope lives; with TLS options it is reached over https. */
export const start = (tls?: Https.ServerOptions) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Fake & { readonly server: Http.Server }>((resolve) => {
          const seen: Array<Http.IncomingHttpHeaders> = []
          let told: Lie | undefined
          const listener: Http.RequestListener = (request, response) => {
            seen.push(request.headers)
            void respond(request, response, told)
          }
          const server =
            tls === undefined ? Http.createServer(listener) : Https.createServer(tls, listener)
          server.listen(0, "127.0.0.1", () => {
            const at = server.address()
            const port = typeof at === "object" && at !== null ? at.port : 0
            const url = tls === undefined ? "http://127.0.0.1" : "https://localhost"
            resolve({ url: `${url}:${port}`, seen, tell: (lie) => (told = lie), server })
          })
        }),
    ),
    ({ server }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections()
            server.close(() => resolve())
          }),
      ),
  )
