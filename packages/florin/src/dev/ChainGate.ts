/**
 * The address at which wallets and programs reach a local chain.
 *
 * The node behind it obeys everybody, and a web page may send requests to this machine: by `fetch`, by WebSocket, which
 * needs no CORS, or under a host name of its own that leads here. So nothing that a page sends passes, and only POST.
 * The wallets of a browser are extensions, whose origin no page can claim.
 *
 * @module
 */
import { randomInt } from "node:crypto"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { createServer, request } from "@florin/core/node/Http"
import * as LocalHost from "@florin/server/LocalHost"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.ts"

const host = "127.0.0.1"

/** Ports that nobody guesses, below those that systems give to outgoing connections: a kept one is usually free. */
const ports = { from: 10_000, to: 32_768 } as const
const attempts = 20

const extension = /^(?:chrome|moz|safari-web)-extension:\/\//u

/** Why a request is refused; undefined if it passes. */
const refusal = ({ headers, method }: IncomingMessage): readonly [number, string] | undefined => {
  if (headers.origin !== undefined && !extension.test(headers.origin)) {
    return [
      403,
      "Web pages may not call a local chain: they could reset it. Call it from a program, or from a wallet.",
    ]
  }
  if (!LocalHost.isDirect((name) => headers[name]?.toString())) {
    return [403, "Call a local chain as http://127.0.0.1 and the port, without a proxy or tunnel."]
  }
  return method === "POST" ? undefined : [405, "Send JSON-RPC by POST."]
}

const end = (response: ServerResponse, status: number, says: string): void => {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${says}\n`)
}

const pass = (rpcUrl: string, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const headers = { "content-type": incoming.headers["content-type"] ?? "" }
  const asked = request(rpcUrl, { method: "POST", headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, { "content-type": "application/json" })
    answer.pipe(outgoing)
  })
  asked.once("error", () => {
    if (outgoing.headersSent) outgoing.destroy()
    else end(outgoing, 502, "The local chain does not respond.")
  })
  outgoing.once("close", () => asked.destroy())
  incoming.pipe(asked)
}

/** Whether it listens now. */
const listen = (server: Server, port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const fail = () => resume(Effect.succeed(false))
    server.once("error", fail).listen(port, host, () => {
      server.off("error", fail)
      resume(Effect.succeed(true))
    })
  })

/** Opens a gate to a node until the scope ends: at this port if it is free, or else at any. Returns its port. */
export const open = Effect.fnUntraced(function* (rpcUrl: string, kept: number | undefined) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((incoming, outgoing) => {
        const refused = refusal(incoming)
        if (refused === undefined) pass(rpcUrl, incoming, outgoing)
        else end(outgoing, ...refused)
      }),
    ),
    (each) =>
      Effect.sync(() => {
        each.close()
        each.closeAllConnections()
      }),
  )
  const found = Array.from({ length: attempts }, () => randomInt(ports.from, ports.to))
  for (const port of kept === undefined ? found : [kept, ...found]) {
    if (yield* listen(server, port)) return port
  }
  return yield* Failure.make(
    `no free port was found for a local chain between ${ports.from} and ${ports.to}`,
  )
})

export const urlOf = (port: number): string => `http://${host}:${port}`
