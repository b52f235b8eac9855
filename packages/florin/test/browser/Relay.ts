/**
 * A relay of WalletConnect: carries sealed messages between clients that subscribe to the same topic, and keeps them
 * for those that are away.
 *
 * @module
 */
import { createServer } from "node:http"
import { setTimeout } from "node:timers/promises"
import { assert, beforeAll } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { type WebSocket, WebSocketServer } from "ws"

/** How a client came: its address, and the origin of the page that it is on. */
interface Visit {
  readonly url: string
  readonly origin: string | undefined
}

export interface Relay {
  readonly url: string
  /** Every connection until now, in order. */
  readonly visits: ReadonlyArray<Visit>
}

interface Message {
  readonly message: string
  readonly tag: number
  readonly attestation: string
  readonly publishedAt: number
  /** The clients that have it: who sent it, and to whom it was sent. */
  readonly at: Set<WebSocket>
}

const Call = Schema.Struct({
  id: Schema.Unknown,
  method: Schema.optionalKey(Schema.String),
  params: Schema.optionalKey(
    Schema.Struct({
      topic: Schema.optionalKey(Schema.String),
      topics: Schema.optionalKey(Schema.Array(Schema.String)),
      message: Schema.optionalKey(Schema.String),
      tag: Schema.optionalKey(Schema.Number),
      attestation: Schema.optionalKey(Schema.String),
      pairingTopic: Schema.optionalKey(Schema.String),
      sessionTopic: Schema.optionalKey(Schema.String),
      sessionProposal: Schema.optionalKey(Schema.String),
      sessionProposalResponse: Schema.optionalKey(Schema.String),
      sessionSettlementRequest: Schema.optionalKey(Schema.String),
    }),
  ),
})
const readCall = Schema.decodeUnknownSync(Schema.fromJsonString(Call))

type Params = NonNullable<(typeof Call.Type)["params"]>

/** What each message is about, by the numbers of WalletConnect. */
const proposal = 1100
const proposalResponse = 1101
const settlement = 1102
const deletionResponse = 1113

/** What a network takes to acknowledge that a client heard of the end, which only then forgets the connection. */
const acknowledgesInMs = 500

/**
 * Starts one, which ends with the process: a client of WalletConnect that still has something to say connects again, and
 * what then fails is nobody's to catch.
 */
const start = async (): Promise<Relay> => {
  const visits: Array<Visit> = []
  const subscribers = new Map<string, Set<WebSocket>>()
  const mailboxes = new Map<string, Set<Message>>()
  const delivered = new Map<number, () => void>()
  let deliveries = 0

  const of = <A>(all: Map<string, Set<A>>, topic: string): Set<A> => {
    const found = all.get(topic) ?? new Set<A>()
    all.set(topic, found)
    return found
  }
  const deliver = (topic: string, message: Message, to: WebSocket) => {
    if (message.at.has(to)) return
    message.at.add(to)
    const id = ++deliveries
    delivered.set(id, () => of(mailboxes, topic).delete(message))
    const { at: _at, ...data } = message
    const params = { id: topic, data: { topic, ...data } }
    to.send(JSON.stringify({ id, jsonrpc: "2.0", method: "irn_subscription", params }))
  }
  const publish = (from: WebSocket, topic: string, message: string, tag: number, said = "") => {
    const all = { message, tag, attestation: said, publishedAt: Date.now(), at: new Set([from]) }
    of(mailboxes, topic).add(all)
    for (const to of of(subscribers, topic)) deliver(topic, all, to)
  }
  const subscribe = (socket: WebSocket, topic: string): string => {
    of(subscribers, topic).add(socket)
    for (const message of of(mailboxes, topic)) deliver(topic, message, socket)
    return topic
  }

  const answer = (socket: WebSocket, method: string, params: Params): unknown => {
    const { attestation, message = "", pairingTopic = "", sessionTopic = "", topic = "" } = params
    switch (method) {
      case "irn_publish":
        publish(socket, topic, message, params.tag ?? 0, attestation)
        return true
      case "irn_subscribe":
        return subscribe(socket, topic)
      case "irn_batchSubscribe":
        return (params.topics ?? []).map((each) => subscribe(socket, each))
      case "irn_unsubscribe":
        of(subscribers, topic).delete(socket)
        return true
      // What is kept for a client comes when it subscribes.
      case "irn_fetchMessages":
      case "irn_batchFetchMessages":
        return { messages: [], hasMore: false }
      case "wc_proposeSession":
        subscribe(socket, pairingTopic)
        publish(socket, pairingTopic, params.sessionProposal ?? "", proposal, attestation)
        return true
      case "wc_approveSession":
        subscribe(socket, sessionTopic)
        publish(socket, pairingTopic, params.sessionProposalResponse ?? "", proposalResponse)
        publish(socket, sessionTopic, params.sessionSettlementRequest ?? "", settlement)
        return true
      default:
        return assert.fail(`the relay was asked for ${method}`)
    }
  }

  const http = createServer()
  const sockets = new WebSocketServer({ server: http })
  sockets.on("connection", (socket, { headers, url = "" }) => {
    visits.push({ url, origin: headers.origin })
    const hear = async (text: string) => {
      const { id, method, params = {} } = readCall(text)
      if (method === undefined) {
        delivered.get(Number(id))?.()
        return
      }
      const result = answer(socket, method, params)
      if (params.tag === deletionResponse) await setTimeout(acknowledgesInMs)
      // A client's id may have more digits than a number, so it is returned as it was written.
      const [, written = "0"] = /"id":\s*("[^"]*"|\d+)/u.exec(text) ?? []
      socket.send(`{"id":${written},"jsonrpc":"2.0","result":${JSON.stringify(result)}}`)
    }
    socket.on("message", (data) => void hear(String(data)))
    socket.on("close", () => {
      for (const all of subscribers.values()) all.delete(socket)
    })
  })
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve)
  })
  const address = http.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  http.unref()
  return { url: `ws://127.0.0.1:${port}`, visits }
}

/** One relay for all tests of a file. */
export const inFile = () => {
  let relay: Relay | undefined
  beforeAll(async () => {
    relay = await start()
  })
  return (): Relay => relay ?? assert.fail("no relay was started")
}
