/**
 * Serves the built console before a real service, with a session that is always open: calls go on to the service with a
 * partner's key. Whether sessions are what they should be is tested where they are made.
 *
 * @module
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import * as Site from "@florin/console"

export interface Options {
  /** The service. */
  readonly target: string
  readonly apiKey: string
  readonly partner: { readonly id: string; readonly name: string }
  readonly mode?: "live" | "test"
  readonly scopes?: ReadonlyArray<string>
}

export interface ConsoleServer {
  readonly url: string
  /** Every write that was asked for: method, path and the headers that protect it. */
  readonly writes: ReadonlyArray<{
    readonly what: string
    readonly csrfToken: string | undefined
    readonly idempotencyKey: string | undefined
  }>
  /** From now on the session is over, or is not. */
  readonly end: (hasEnded: boolean) => void
  readonly close: () => Promise<void>
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const csrfToken = "csrf-of-a-test"

/** The key of the one link that signs in. */
export const signInKey = "sign-in-key-of-a-test"

const scopesAll = ["read", "pay", "refund", "manage", "webhooks", "keys"]

const header = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (each) => `&#${each.charCodeAt(0)};`)

export const start = async (options: Options): Promise<ConsoleServer> => {
  const { document, files } = Site.load()
  const writes: Array<ConsoleServer["writes"][number]> = []
  let hasEnded = false
  const session = () => ({
    face: "partner",
    mode: options.mode ?? "live",
    scopes: options.scopes ?? scopesAll,
    person: "Ada",
    partner: options.partner,
    csrfToken,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    apiVersion: "2026-02-18",
  })
  const json = (response: ServerResponse, status: number, body: object) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(body))
  }
  const refuse = (response: ServerResponse) =>
    json(response, 401, { code: "invalid_api_key", message: "sign in", requestId: "req_test" })

  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    const { host: _host, cookie: _cookie, ...headers } = incoming.headers
    const outgoing = request(
      `${options.target}${incoming.url ?? ""}`,
      {
        // A connection that is kept may be closed in the moment in which a slow test uses it again.
        agent: false,
        method: incoming.method ?? "GET",
        headers: { ...headers, "api-key": options.apiKey },
      },
      (answered) => {
        response.writeHead(answered.statusCode ?? 502, answered.headers)
        answered.pipe(response)
      },
    )
    outgoing.on("error", () => response.destroy())
    response.on("close", () => outgoing.destroy())
    incoming.pipe(outgoing)
  }

  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", url = "/" } = incoming
    const [path = "/"] = url.split("?")
    const file = files.get(path)
    if (file !== undefined) {
      response.writeHead(200, { "content-type": file.contentType })
      response.end(file.body)
      return
    }
    if (path === "/console" || path.startsWith("/console/")) {
      const data = JSON.stringify({
        page: "console",
        face: "partner",
        basePath: "/console",
        version: "0.1.0",
      })
      response.writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
      })
      response.end(
        document.replace(
          `<meta name="florin-page" content="" />`,
          () => `<meta name="florin-page" content="${escaped(data)}" />`,
        ),
      )
      return
    }
    if (method !== "GET") {
      writes.push({
        what: `${method} ${path}`,
        csrfToken: header(incoming, "csrf-token"),
        idempotencyKey: header(incoming, "idempotency-key"),
      })
    }
    if (path === "/v1/session") {
      if (method === "POST") {
        if (header(incoming, "api-key") !== signInKey) return refuse(response)
        hasEnded = false
      }
      if (hasEnded) return refuse(response)
      if (method === "DELETE") hasEnded = true
      return json(response, 200, session())
    }
    if (hasEnded) return refuse(response)
    return forward(incoming, response)
  }

  const server = createServer(handle)
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    writes,
    end: (has) => {
      hasEnded = has
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
