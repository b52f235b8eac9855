/**
 * Receivers of calls on this machine, over plain text or TLS, with responses that a test chooses.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { assert } from "@effect/vitest"
import { Deferred, Effect } from "effect"

/** Whether a request has arrived with all of its body. */
const isWhole = (text: string): boolean => {
  const bodyAt = text.indexOf("\r\n\r\n") + 4
  const length = Number(/^content-length: (\d+)\r$/imu.exec(text)?.[1] ?? 0)
  return bodyAt > 3 && Buffer.byteLength(text.slice(bodyAt)) >= length
}

/** A receiver on this machine, which says what it likes to a call once it heard all of it. */
export const listen = Effect.fnUntraced(function* (
  answer: (socket: Net.Socket) => void,
  certificate?: Tls.TlsOptions,
) {
  const heard = yield* Deferred.make<string>()
  const closed = yield* Deferred.make<void>()
  const sockets: Array<Net.Socket> = []
  const server = certificate === undefined ? Net.createServer() : Tls.createServer(certificate)
  server.on("connection", (socket: Net.Socket) => {
    sockets.push(socket)
    // A caller hangs up whenever it likes.
    socket.on("error", () => socket.destroy())
    socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
  })
  server.on(certificate === undefined ? "connection" : "secureConnection", (socket: Net.Socket) => {
    let text = ""
    socket.on("error", () => socket.destroy())
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      if (!isWhole(text)) return
      Deferred.doneUnsafe(heard, Effect.succeed(text))
      answer(socket)
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        assert.isObject(address)
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }),
  )
  return {
    port,
    server,
    /** The first call, as it stood on the wire. */
    heard: Deferred.await(heard),
    /** Until the first connection is over. */
    closed: Deferred.await(closed),
    connections: () => sockets.length,
  }
})

export const says = (text: string | Uint8Array) => (socket: Net.Socket) => void socket.write(text)
export const answers = (status: number, ...lines: ReadonlyArray<string>) =>
  says([`HTTP/1.1 ${status} Told`, ...lines, "content-length: 0", "", ""].join("\r\n"))
export const silent = () => {}

/** Talks for as long as it is listened to. */
export const endlessly = (text: string) => (socket: Net.Socket) => {
  const talk = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on("drain", talk)
  talk()
}
