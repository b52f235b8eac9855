/**
 * Which callers a local chain responds to: the node behind it obeys everybody.
 *
 * @module
 */
import { createServer, request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect } from "effect"
import { WebSocket } from "ws"
import * as LocalChains from "../src/dev/LocalChains.ts"
import * as Directory from "./directory.ts"

const chainId = Eip155.chainId(8453)

const directory = Effect.acquireRelease(Effect.sync(Directory.make), (path) =>
  Effect.sync(() => Directory.remove(path)),
)

/** The chain of a start with this directory. */
const start = Effect.fnUntraced(function* (path: string | null) {
  const [chain, ...others] = yield* LocalChains.start([chainId], path)
  return chain === undefined || others.length > 0 ? assert.fail("not one chain") : chain
})

type Headers = Readonly<Record<string, string>>

const json = { "content-type": "application/json" }

/** Calls the chain with any headers, as `fetch` does not let us. */
const send = (rpcUrl: string, rpcMethod: string, headers: Headers, method = "POST") =>
  Effect.callback<{ readonly status: number; readonly body: string; readonly headers: object }>(
    (resume) => {
      const sent = request(rpcUrl, { method, headers, agent: false }, (response) => {
        let body = ""
        response.setEncoding("utf8").on("data", (text) => (body += text))
        response.on("end", () =>
          resume(
            Effect.succeed({ status: response.statusCode ?? 0, body, headers: response.headers }),
          ),
        )
      })
      sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: rpcMethod, params: [] }))
    },
  )

/** What a page learns if it resets the chain over a WebSocket, which asks for no CORS. */
const resetByWebSocket = (rpcUrl: string) =>
  Effect.callback<string>((resume) => {
    const socket = new WebSocket(rpcUrl.replace("http", "ws"), { origin: "https://evil.example" })
    socket.once("open", () => socket.send('{"jsonrpc":"2.0","id":1,"method":"anvil_reset"}'))
    socket.once("message", (data) => {
      resume(Effect.succeed(`the chain answered ${String(data)}`))
      socket.close()
    })
    socket.once("error", () => resume(Effect.succeed("refused")))
  })

const block = (rpcUrl: string) =>
  Effect.map(send(rpcUrl, "eth_blockNumber", json), ({ body }) => body)

const evil = { ...json, origin: "https://evil.example" }

describe("a local chain", () => {
  it.live("S35: cannot be reset by a web page in any way", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* start(null)
      const before = yield* block(rpcUrl)
      const attacks: ReadonlyArray<readonly [name: string, headers: Headers, method?: string]> = [
        ["a page", evil],
        ["a page on this machine", { ...json, origin: "http://localhost:5173" }],
        ["a frame without an origin", { ...json, origin: "null" }],
        ["no preflight", { "content-type": "text/plain", origin: "https://evil.example" }],
        ["a name that leads here", { ...json, host: "evil.example" }],
        ["a tunnel", { ...json, "x-forwarded-for": "192.0.2.1" }],
        ["a preflight", { ...evil, "access-control-request-method": "POST" }, "OPTIONS"],
      ]
      for (const [name, headers, method] of attacks) {
        const answer = yield* send(rpcUrl, "anvil_reset", headers, method)
        assert.isAtLeast(answer.status, 400, name)
        const allowed = Object.keys(answer.headers).filter((each) => each.startsWith("access-"))
        assert.deepStrictEqual(allowed, [], name)
      }
      assert.strictEqual(yield* resetByWebSocket(rpcUrl), "refused")
      assert.strictEqual(yield* block(rpcUrl), before)
    }).pipe(Effect.scoped),
  )

  it.live("responds to programs, and to wallets in a browser", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* start(null)
      for (const origin of ["chrome-extension://abc", "moz-extension://a-b", undefined]) {
        const headers = { ...json, ...(origin !== undefined && { origin }) }
        const { body, status } = yield* send(rpcUrl, "eth_chainId", headers)
        assert.strictEqual(status, 200)
        assert.include(body, '"0x2105"')
      }
    }).pipe(Effect.scoped),
  )

  it.live("S35: has a port that nobody can guess, and keeps it across restarts", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const portOf = (at: string) =>
        Effect.scoped(Effect.map(start(at), ({ rpcUrl }) => Number(new URL(rpcUrl).port)))
      const port = yield* portOf(path)
      assert.strictEqual(yield* portOf(path), port)
      const others = [yield* portOf(yield* directory), yield* portOf(yield* directory)]
      assert.isAbove(new Set([port, ...others]).size, 1)
      // Something else listens there.
      const taken = createServer()
      yield* Effect.callback<void>((resume) => {
        taken.listen(port, "127.0.0.1", () => resume(Effect.void))
      })
      yield* Effect.gen(function* () {
        const moved = yield* start(path)
        assert.deepStrictEqual(LocalChains.movedNotes(path, [moved]), [
          `Port ${port} is in use. The RPC URL of chain 8453 is ${moved.rpcUrl} until the next start.`,
        ])
      }).pipe(Effect.scoped)
      taken.close()
      const again = yield* start(path)
      assert.strictEqual(Number(new URL(again.rpcUrl).port), port)
      assert.deepStrictEqual(LocalChains.movedNotes(path, [again]), [])
    }).pipe(Effect.scoped),
  )
})
