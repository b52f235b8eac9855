import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as PrivateSocket from "../../src/node/PrivateSocket.ts"

const directory = (): string => mkdtempSync(join(tmpdir(), "florin-"))

/** A server that says a word to each caller. */
const saying = (word: string): Server => createServer((socket) => socket.end(word))

const heard = async (place: PrivateSocket.Place): Promise<string> => {
  const socket = PrivateSocket.connect(place)
  let text = ""
  socket.on("data", (chunk) => (text += String(chunk)))
  await once(socket, "close")
  return text
}

describe("a private socket", () => {
  it("is for its owner only, and leaves nothing else in its directory", async () => {
    const place = { directory: directory(), name: "a.sock" }
    const server = saying("one")
    const remove = await PrivateSocket.listen(server, place)
    assert.strictEqual(statSync(join(place.directory, place.name)).mode & 0o777, 0o600)
    assert.deepStrictEqual(readdirSync(place.directory), ["a.sock"])
    assert.strictEqual(await heard(place), "one")
    remove()
    assert.deepStrictEqual(readdirSync(place.directory), [])
    server.close()
  })

  it("is reached in a directory whose path is too long for an address", async () => {
    const long = join(directory(), "x".repeat(120))
    mkdirSync(long)
    const place = { directory: long, name: "a.sock" }
    const server = saying("far")
    await PrivateSocket.listen(server, place)
    assert.strictEqual(await heard(place), "far")
    server.close()
  })

  it("belongs to the process that came last, also when an earlier one ends", async () => {
    const place = { directory: directory(), name: "a.sock" }
    const [first, second] = [saying("first"), saying("second")]
    const removeFirst = await PrivateSocket.listen(first, place)
    const removeSecond = await PrivateSocket.listen(second, place)
    removeFirst()
    first.close()
    assert.strictEqual(await heard(place), "second")
    removeSecond()
    assert.isFalse(existsSync(join(place.directory, place.name)))
    second.close()
  })
})
