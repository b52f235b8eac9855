/**
 * A server that takes every call, remembers it, and responds as it is told.
 *
 * @module
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { assert } from "@effect/vitest"

export interface Received {
  readonly url: string
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  readonly body: string
}

interface Response {
  readonly status: number
  readonly body: string
  readonly type?: string
}

export type Respond = (received: Received, usually: Respond) => Response | Promise<Response>

/** All that came, as careless programs repeat it in their errors. */
export const repeated = ({ body, headers, url }: Received): string =>
  `no: ${url} ${JSON.stringify(headers)} ${body}`

export const repeating =
  (status: number): Respond =>
  (received) => ({ status, body: repeated(received), type: "text/plain" })

export const make = async (usually: Respond) => {
  let respond = usually
  const received: Array<Received> = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const call = { url: request.url ?? "", headers: request.headers, body: await text(request) }
    received.push(call)
    const { body, status, type = "application/json" } = await respond(call, usually)
    response.writeHead(status, { "content-type": type }).end(body)
  }
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address === "string" || address === null) return assert.fail("it does not listen")
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    /** From now on it responds like this, or as usual. */
    tell: (next: Respond | null) => {
      respond = next ?? usually
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
