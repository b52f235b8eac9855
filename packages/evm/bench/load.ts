/**
 * Load: connections that each ask again as soon as they are answered, and as little work between as can be.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { connect, type Socket } from "node:net"

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

/** Connects lanes to a port; each writes what `next` has whenever it is free, until that has nothing. */
const open = (
  port: number,
  connections: number,
  {
    fail,
    next,
  }: { readonly fail: (error: Error) => void; readonly next: () => Buffer | undefined },
): ReadonlyArray<Socket> =>
  Array.from({ length: connections }, () => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    const lane: Lane = { socket, missing: null, head: "" }
    const ask = () => {
      const bytes = next()
      if (bytes !== undefined) socket.write(bytes)
    }
    socket.on("error", fail)
    socket.on("connect", ask)
    socket.on("data", (chunk) => {
      if (take(lane, chunk)) ask()
    })
    return socket
  })

/** Asks each request once; answers how many milliseconds that took. */
export const each = (
  port: number,
  texts: ReadonlyArray<string>,
  { connections }: { readonly connections: number },
): Promise<number> => {
  const { promise, reject, resolve } = Promise.withResolvers<number>()
  const waiting = texts.map((text) => Buffer.from(text))
  let idle = 0
  const beganAt = performance.now()
  const next = () => {
    const bytes = waiting.pop()
    if (bytes === undefined) idle += 1
    if (idle === connections) {
      for (const socket of sockets) socket.destroy()
      resolve(performance.now() - beganAt)
    }
    return bytes
  }
  const sockets = open(port, connections, { fail: reject, next })
  return promise
}
