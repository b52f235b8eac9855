/**
 * A fake node that returns a test's responses over real HTTP, and records its requests.
 *
 * @module
 */
import { once } from "node:events"
import * as Http from "node:http"
import { text } from "node:stream/consumers"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect, Redacted, Schema } from "effect"

const Call = Schema.Struct({
  id: Schema.Int,
  method: Schema.String,
  params: Schema.Array(Schema.Unknown),
})
export type Call = typeof Call.Type
const decodeBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Union([Schema.Array(Call), Call])),
)
/** The calls of a request; one of a node that takes no lists stands by itself. */
const decodeCalls = (body: string): ReadonlyArray<Call> => {
  const calls = decodeBody(body)
  return "method" in calls ? [calls] : calls
}

/** What goes back over the wire. */
export type Reply =
  | {
      readonly status?: number
      readonly type?: string
      readonly coding?: string
      readonly body: string | Uint8Array
    }
  /** Nothing, for as long as the caller waits. */
  | "hang"
  /** The connection ends in the middle of an answer. */
  | "cut"
  /** The connection ends without an answer, as an idle one that a node closes. */
  | "closed"
  /** Another protocol instead of an answer. */
  | "switched"

export type Responder = (
  calls: ReadonlyArray<Call>,
  body: string,
  headers?: Http.IncomingHttpHeaders,
) => Reply | Promise<Reply>

export interface Node {
  readonly url: Redacted.Redacted
  /** Every request, with the calls in it. */
  readonly asked: ReadonlyArray<ReadonlyArray<Call>>
  /** Requests that are not answered yet. */
  readonly open: () => number
  readonly answer: (answer: Responder) => void
}

/** Part of the address, as providers put their keys there. */
export const secret = "c0ffee-secret-key"

const send = (reply: Reply, response: Http.ServerResponse) => {
  if (reply === "hang") return
  if (reply === "closed") {
    response.destroy()
    return
  }
  if (reply === "switched") {
    response.writeHead(101, { connection: "upgrade", upgrade: "websocket" }).end()
    return
  }
  if (reply === "cut") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
    response.write("[", () => response.destroy())
    return
  }
  const { body, coding, status = 200, type = "application/json" } = reply
  const headers = {
    "content-type": type,
    ...(coding !== undefined && { "content-encoding": coding }),
  }
  response.writeHead(status, headers).end(body)
}

/** Starts a node; it ends with its scope. */
export const make = Effect.fnUntraced(function* (answer: Responder) {
  const asked: Array<ReadonlyArray<Call>> = []
  let current = answer
  let open = 0
  const take = async (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    open++
    response.once("close", () => open--)
    const body = await text(request)
    const calls = decodeCalls(body)
    asked.push(calls)
    send(await current(calls, body, request.headers), response)
  }
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = Http.createServer((request, response) => {
        take(request, response).catch(() => response.destroy())
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
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  const node: Node = {
    url: Redacted.make(`http://127.0.0.1:${port}/v2/${secret}`),
    asked,
    open: () => open,
    answer: (next) => {
      current = next
    },
  }
  return node
})

/** What a call comes to. */
export interface Outcome {
  readonly result?: unknown
  readonly error?: unknown
}

export const json = (value: unknown) => ({ body: JSON.stringify(value) })

/** The answers of a node of a chain; where nothing else is said, each is a text that names its method. */
export const answersOf = (
  chainId: Caip.ChainId,
  calls: ReadonlyArray<Call>,
  outcome: (call: Call) => Outcome | undefined = () => undefined,
): ReadonlyArray<Outcome & { readonly id: number }> =>
  calls.map((call) => {
    const { id, method } = call
    const usual =
      method === "eth_chainId" ? `0x${Eip155.numberOf(chainId).toString(16)}` : `${method} answered`
    const { error, result } = outcome(call) ?? { result: usual }
    return { id, error, result }
  })
