/**
 * A server of a test's own, on a free port of this machine.
 *
 * @module
 */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { assert } from "@effect/vitest"

/** A call that came, as a whole. */
export interface Call {
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Listening {
  readonly url: string
  /** Ends it, and whatever still waits for an answer. */
  readonly close: () => void
}

/** Listens until it is closed. Calls of which `take` fails are cut off. */
export const start = async (
  take: (call: Call, response: ServerResponse) => unknown,
): Promise<Listening> => {
  const server = createServer((request, response) => {
    const { headers, url = "" } = request
    text(request)
      .then((body) => take({ path: url, headers, body }, response))
      .catch(() => response.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address === "string" || address === null) return assert.fail("it does not listen")
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
