/**
 * Stands between the adapter and a node: it counts what is asked, and can be cut off.
 *
 * @module
 */
import { once } from "node:events"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"

export interface Proxy {
  readonly url: string
  /** HTTP requests so far. */
  readonly requests: () => number
  /** Cuts the node off, or connects it again. */
  readonly connect: (connected: boolean) => void
}

export const make = Effect.fnUntraced(function* (target: string) {
  let requests = 0
  let isConnected = true

  const forward = async (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    const body = await text(request)
    requests++
    if (!isConnected) {
      request.socket.destroy()
      return
    }
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    })
    response.setHeader("content-type", "application/json").end(await answer.text())
  }

  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = Http.createServer((request, response) => {
        forward(request, response).catch(() => request.socket.destroy())
      })
      made.listen(0, "127.0.0.1")
      await once(made, "listening")
      return made
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      }),
  )
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo
  const proxy: Proxy = {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    connect: (connected) => {
      isConnected = connected
    },
  }
  return proxy
})
