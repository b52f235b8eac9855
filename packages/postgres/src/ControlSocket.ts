/**
 * Lets other processes of the same user work in an embedded database while one process has it open, over a Unix socket
 * in its directory with the PostgreSQL protocol. Only the owner may connect (mode 0600).
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { createConnection, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Bridge from "./Bridge.ts"

const name = "florin.sock"

/** The maximum length of a socket's path, on the system with the lowest limit (macOS). */
const pathMaxInBytes = 103

/** A client that hangs in a transaction must not block the others, who wait for 10 s. */
const transactionMaxInMs = 5000

/** Uses the path of the socket in a directory. If the path is too long for an address, a link is used. */
const withPath = <A>(directory: string, use: (path: string) => A): A => {
  const path = join(directory, name)
  if (Buffer.byteLength(path) <= pathMaxInBytes) return use(path)
  const own = mkdtempSync(join(tmpdir(), "florin-"))
  try {
    symlinkSync(directory, join(own, "d"))
    return use(join(own, "d", name))
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

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
    // Created in a private directory, and moved when its mode is right. This also replaces the socket of a killed
    // process.
    const draft = mkdtempSync(join(directory, ".florin-"))
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject)
        withPath(draft, (path) => server.listen({ path, exclusive: true }, resolve))
      })
      chmodSync(join(draft, name), 0o600)
      renameSync(join(draft, name), join(directory, name))
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
    return () => {
      rmSync(join(directory, name), { force: true })
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
export const connect = (directory: string): Socket => withPath(directory, createConnection)
