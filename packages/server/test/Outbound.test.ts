import { Buffer } from "node:buffer"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Outbound from "../src/http/Outbound.ts"

const typeA = 1
const typeAaaa = 28
const headLength = 12

/** The answer to a question for one address, or that there is no such name. */
const answerTo = (question: Buffer, addresses: ReadonlyMap<number, Buffer>): Buffer => {
  // After the name stand its type and its class, two bytes each.
  const end = question.indexOf(0, headLength) + 5
  const address = addresses.get(question.readUInt16BE(end - 4))
  const head = Buffer.from(question.subarray(0, headLength))
  head.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(address === undefined ? 0 : 1, 6)
  head.fill(0, 8)
  if (address === undefined) return Buffer.concat([head, question.subarray(headLength, end)])
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc00c, 0)
  question.copy(record, 2, end - 4, end)
  record.writeUInt32BE(60, 6)
  record.writeUInt16BE(address.length, 10)
  return Buffer.concat([head, question.subarray(headLength, end), record, address])
}

/** A name server that gives every name the same addresses, by the type that is asked for. */
const nameServer = (addresses: ReadonlyMap<number, Buffer>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      socket.on("message", (question, { address, port }) =>
        socket.send(answerTo(question, addresses), port, address),
      )
      socket.bind(0, "127.0.0.1")
      await once(socket, "listening")
      return socket
    }),
    (socket) => Effect.sync(() => socket.close()),
  ).pipe(Effect.map((socket) => `127.0.0.1:${socket.address().port}`))

const four = Buffer.from([93, 184, 215, 14])
const six = Buffer.from("26062800021fcb070000000000000000", "hex")

describe("name servers", () => {
  it.live("are asked for IPv4 and IPv6 addresses, of which one is enough", () =>
    Effect.gen(function* () {
      const both = yield* nameServer(
        new Map([
          [typeA, four],
          [typeAaaa, six],
        ]),
      )
      const onlyFour = yield* nameServer(new Map([[typeA, four]]))
      const found = yield* Effect.promise(() =>
        Promise.all([both, onlyFour].map((at) => Outbound.byNameServers([at])("shop.example"))),
      )
      assert.deepStrictEqual(found, [["93.184.215.14", "2606:2800:21f:cb07::"], ["93.184.215.14"]])
    }),
  )

  it.live("return nothing for an unknown name", () =>
    Effect.gen(function* () {
      const none = yield* nameServer(new Map())
      const found = yield* Effect.promise(() => Outbound.byNameServers([none])("shop.example"))
      assert.deepStrictEqual(found, [])
    }),
  )
})
