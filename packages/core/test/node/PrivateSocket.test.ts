import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as PrivateSocket from "../../src/node/PrivateSocket.ts"

const directory = (): string => mkdtempSync(join(tmpdir(), "florin-"))

/** A server that says a word to each caller. */
const saying = (word: string): Server =>
  createServer((socket) => {
    socket.on("error", () => undefined).end(word)
  })

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

  it("is refused to others while its process listens, and replaced after that process", async () => {
    const place = { directory: directory(), name: "a.sock" }
    const [first, second, third] = [saying("first"), saying("second"), saying("third")]
    const removeFirst = await PrivateSocket.listen(first, place)
    const refused = await PrivateSocket.listen(second, place).catch(String)
    assert.include(String(refused), "another process listens on ")
    assert.strictEqual(await heard(place), "first")
    first.close()
    const removeThird = await PrivateSocket.listen(third, place)
    removeFirst()
    assert.strictEqual(await heard(place), "third")
    removeThird()
    assert.isFalse(existsSync(join(place.directory, place.name)))
    third.close()
  })
})
