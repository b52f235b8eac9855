/**
 * Load: connections that each ask again as soon as they are answered, and as little work between as can be.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { connect, type Socket } from "node:net"

export interface Request {
  readonly port: number
  readonly text: string
}

interface Lane {
  readonly socket: Socket
  /** What is missing of the answer; null before its head came. */
  missing: number | null
  head: string
}

const lengthOf = (head: string): number => Number(/\r\ncontent-length: (\d+)/iu.exec(head)?.[1])

/** Takes what came; whether an answer is whole now. */
const take = (lane: Lane, chunk: Buffer): boolean => {
  if (lane.missing === null) {
    lane.head += chunk.toString("latin1")
    const headEndsAt = lane.head.indexOf("\r\n\r\n")
    if (headEndsAt === -1) return false
    if (!lane.head.startsWith("HTTP/1.1 200")) throw new Error(`not answered: ${lane.head}`)
    lane.missing = lengthOf(lane.head.slice(0, headEndsAt)) - (lane.head.length - headEndsAt - 4)
  } else {
    lane.missing -= chunk.length
  }
  if (lane.missing > 0) return false
  lane.missing = null
  lane.head = ""
  return true
}

/** Answers how many requests were answered in a time. */
export const run = (
  { port, text }: Request,
  { connections, inMs }: { readonly connections: number; readonly inMs: number },
): Promise<number> => {
  const { promise, reject, resolve } = Promise.withResolvers<number>()
  const bytes = Buffer.from(text)
  const lanes: Array<Lane> = []
  let answered = 0
  for (let index = 0; index < connections; index += 1) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    const lane: Lane = { socket, missing: null, head: "" }
    lanes.push(lane)
    socket.on("error", reject)
    socket.on("connect", () => socket.write(bytes))
    socket.on("data", (chunk) => {
      if (!take(lane, chunk)) return
      answered += 1
      socket.write(bytes)
    })
  }
  setTimeout(() => {
    for (const { socket } of lanes) socket.destroy()
    resolve(answered)
  }, inMs)
  return promise
}
