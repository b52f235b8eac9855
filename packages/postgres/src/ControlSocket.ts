/**
 * Lets other processes of the same user work in an embedded database while one process has it open, over a Unix socket
 * in its directory with the PostgreSQL protocol. Only the owner may connect (mode 0600).
 *
 * @module
 */
import { createServer, type Socket } from "node:net"
import * as PrivateSocket from "@florin/core/node/PrivateSocket"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Bridge from "./Bridge.ts"

const name = "florin.sock"

/** A client that hangs in a transaction must not block the others, who wait for 10 s. */
const transactionMaxInMs = 5000

const listen = (directory: string, bridge: Bridge.Bridge) =>
  Effect.tryPromise(async () => {
    const guests = new Set<Socket>()
    const server = createServer((socket) => {
      const connection = bridge.connect(transactionMaxInMs)
      guests.add(socket)
      socket.pipe(connection).pipe(socket)
      socket.on("error", () => {})
      connection.on("error", () => {})
      connection.once("close", () => socket.destroy())
      socket.once("close", () => {
        guests.delete(socket)
        connection.destroy()
      })
    })
    const remove = await PrivateSocket.listen(server, { directory, name })
    return () => {
      remove()
      server.close()
      for (const guest of guests) guest.destroy()
    }
  })

/**
 * Serves the database of a directory to other processes until the scope closes. If there is no socket, the owner works
 * without it.
 */
export const serve = (
  directory: string,
  bridge: Bridge.Bridge,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(listen(directory, bridge), (close) => Effect.sync(close)).pipe(
    Effect.asVoid,
    Effect.catch(({ cause }) =>
      Effect.logWarning(
        "there is no control socket, so no command can work next to this process: check that the file system of the directory supports Unix sockets",
        { directory, cause: String(cause) },
      ),
    ),
  )

/** Connects to the process that has the directory. */
export const connect = (directory: string): Socket => PrivateSocket.connect({ directory, name })
