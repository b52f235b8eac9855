/**
 * Unix sockets in a directory, to which only the owner may connect (mode 0600).
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { chmodSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs"
import { createConnection, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Place {
  readonly directory: string
  readonly name: string
}

/** The maximum length of a socket's path, on the system with the lowest limit (macOS). */
const pathMaxInBytes = 103

/** Uses the path of a socket. If the path is too long for an address, a link is used. */
const withPath = <A>({ directory, name }: Place, use: (path: string) => A): A => {
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

/** Whether a server listens: a killed one leaves its socket, and that of another user cannot be opened. */
export const look = (place: Place): Promise<"absent" | "forbidden" | "there"> =>
  new Promise((resolve) => {
    const socket = connect(place)
    socket.once("connect", () => {
      socket.destroy()
      resolve("there")
    })
    socket.once("error", (error) => {
      resolve("code" in error && error.code === "EACCES" ? "forbidden" : "absent")
    })
  })

/**
 * Has a server listen. Its socket is created in a private directory, and moved when its mode is right. This also replaces
 * the socket of a killed process, but never one that is in use. Resolves with what removes the socket, unless another
 * process has replaced it.
 */
export const listen = async (server: Server, { directory, name }: Place): Promise<() => void> => {
  const path = join(directory, name)
  const draft = mkdtempSync(join(directory, ".florin-"))
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      withPath({ directory: draft, name }, (at) =>
        server.listen({ path: at, exclusive: true }, resolve),
      )
    })
    chmodSync(join(draft, name), 0o600)
    if ((await look({ directory, name })) === "there") {
      server.close()
      throw new Error(`another process listens on ${path}`)
    }
    renameSync(join(draft, name), path)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  const { ino } = statSync(path)
  return () => {
    if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true })
  }
}

export const connect = (place: Place): Socket => withPath(place, (path) => createConnection(path))
