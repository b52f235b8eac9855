import { Buffer } from "node:buffer"
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type * as Outbound from "../src/http/Outbound.ts"
import * as LogoHttp from "../src/pages/LogoHttp.ts"
import * as Certificate from "../test-support/certificate.ts"
import * as Pictures from "../test-support/pictures.ts"
import * as Receiver from "../test-support/receiver.ts"

const host = "shop.example.com"
const trusted = Certificate.selfSigned(host)
const maxBytes = 256 * 1024

interface Options {
  readonly allowPrivate?: boolean
  readonly resolve?: Outbound.Resolve
}

const toLoopback: Outbound.Resolve = () => Promise.resolve(["127.0.0.1"])

const fetch = (url: string, { allowPrivate = true, resolve = toLoopback }: Options = {}) =>
  LogoHttp.makeFetch({ allowPrivate }, resolve)(url)

/** A merchant's server, whose certificate is believed. */
const listen = Effect.fnUntraced(function* (answer: (socket: Socket) => void) {
  yield* Certificate.trust(trusted)
  return yield* Receiver.listen(answer, trusted)
})

const at = (port: number) => `https://${host}:${port}/logo.png?size=1`

/** An answer of these bytes, under a head of one's own. */
const answers =
  (body: Uint8Array, status = "200 OK", ...lines: ReadonlyArray<string>) =>
  (socket: Socket) => {
    const length = `content-length: ${body.length}`
    Receiver.says([`HTTP/1.1 ${status}`, length, ...lines, "", ""].join("\r\n"))(socket)
    Receiver.says(body)(socket)
  }

const picture = answers(Pictures.png)

describe("fetching a logo", () => {
  it.effect("sends a GET over TLS without data about the payer, and returns the bytes", () =>
    Effect.gen(function* () {
      const { connections, heard, port } = yield* listen(picture)
      const bytes = yield* fetch(at(port))
      assert.deepStrictEqual(Buffer.from(bytes ?? []), Buffer.from(Pictures.png))
      const [requestLine, ...lines] = (yield* heard).trimEnd().split("\r\n")
      assert.strictEqual(requestLine, "GET /logo.png?size=1 HTTP/1.1")
      assert.sameMembers(
        lines.map((line) => line.toLowerCase()),
        [
          "accept: image/*",
          "accept-encoding: identity",
          "user-agent: florin",
          `host: ${host}:${port}`,
          "connection: close",
        ],
      )
      assert.strictEqual(connections(), 1)
    }),
  )

  it.effect("accepts up to 256 KiB, and stops at the next byte", () =>
    Effect.gen(function* () {
      for (const [length, isTaken] of [
        [maxBytes, true],
        [maxBytes + 1, false],
      ] as const) {
        const { port } = yield* listen(answers(new Uint8Array(length).fill(7)))
        assert.strictEqual((yield* fetch(at(port)))?.length, isTaken ? length : undefined)
      }
      const { closed, port } = yield* listen((socket) => {
        Receiver.says("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")(socket)
        Receiver.endlessly(`400\r\n${"x".repeat(1024)}\r\n`)(socket)
      })
      assert.isNull(yield* fetch(at(port)))
      yield* closed
    }),
  )

  it.effect("refuses a response that is cut off, or whose head is endless", () =>
    Effect.gen(function* () {
      for (const answer of [
        (socket: Socket) => {
          Receiver.says("HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\nGIF89a")(socket)
          socket.end()
        },
        (socket: Socket) => {
          Receiver.says("HTTP/1.1 200 OK\r\n")(socket)
          Receiver.endlessly(`x-header: ${"x".repeat(100)}\r\n`)(socket)
        },
        (socket: Socket) => void socket.destroy(),
        Receiver.says("220 mail.example.com ESMTP\r\n"),
      ]) {
        const { closed, port } = yield* listen(answer)
        assert.isNull(yield* fetch(at(port)))
        yield* closed
      }
    }),
  )

  for (const status of ["201 Created", "206 Partial Content", "404 Not Found", "500 Oh"]) {
    it.effect(`refuses the status ${status}`, () =>
      Effect.gen(function* () {
        const { port } = yield* listen(answers(Pictures.png, status))
        assert.isNull(yield* fetch(at(port)))
      }),
    )
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it.effect(`A6: does not follow the redirect ${status}`, () =>
      Effect.gen(function* () {
        const other = yield* listen(picture)
        const { connections, port } = yield* listen(
          answers(Pictures.png, `${status} Moved`, `location: ${at(other.port)}`),
        )
        assert.isNull(yield* fetch(at(port)))
        assert.deepStrictEqual([connections(), other.connections()], [1, 0])
      }),
    )
  }

  for (const [name, answer] of [
    ["sends nothing", Receiver.silent],
    ["stops in its head", Receiver.says("HTTP/1.1 200 OK\r\nx-slow: ")],
    ["stops in its body", Receiver.says("HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\nGIF89a")],
  ] as const) {
    it.effect(`A6: gives up on a server that ${name} after 5 s`, () =>
      Effect.gen(function* () {
        const { closed, heard, port } = yield* listen(answer)
        const fetching = yield* Effect.forkChild(fetch(at(port)))
        yield* heard
        yield* TestClock.adjust("4999 millis")
        assert.isUndefined(fetching.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.isNull(yield* Fiber.join(fetching))
        yield* closed
      }),
    )
  }

  it.effect("refuses an untrusted certificate, or one of another name", () =>
    Effect.gen(function* () {
      const { port } = yield* listen(() => assert.fail("something was asked"))
      assert.isNull(yield* fetch(`https://other.example.com:${port}/`))
      const stranger = yield* Receiver.listen(
        () => assert.fail("something was asked"),
        Certificate.selfSigned(host),
      )
      assert.isNull(yield* fetch(at(stranger.port)))
      assert.strictEqual(stranger.connections(), 1)
    }),
  )

  it.effect("A6: refuses any other scheme, also if private addresses are allowed", () =>
    Effect.gen(function* () {
      const plain = yield* Receiver.listen(picture)
      for (const allowPrivate of [true, false]) {
        for (const url of [
          `http://${host}:${plain.port}/`,
          `http://127.0.0.1:${plain.port}/`,
          `HTTP://127.0.0.1:${plain.port}/`,
          `ftp://${host}:${plain.port}/`,
          `//${host}:${plain.port}/`,
          `https:/${host}:${plain.port}/`,
          `https:\\\\${host}:${plain.port}\\`,
          `https://somebody:secret@${host}:${plain.port}/`,
          `https://${host}.:${plain.port}/`,
          `https://shop%2eexample.com:${plain.port}/`,
          `https://ｓhop.example.com:${plain.port}/`,
          "file:///etc/passwd",
          "data:image/gif,GIF89a",
          "javascript:alert(1)",
          "",
        ]) {
          assert.isNull(yield* fetch(url, { allowPrivate }), url)
        }
      }
      assert.strictEqual(plain.connections(), 0)
    }),
  )
})

// Names and addresses are checked as those of webhooks are: WebhookHttp.test.ts has every kind of them.
describe("A6: a logo's host", () => {
  it.effect("is not called if it is private, or resolves to a private address", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* listen(picture)
      for (const addresses of [["127.0.0.1"], ["8.8.8.8", "::ffff:10.0.0.1"], []]) {
        const resolve = () => Promise.resolve(addresses)
        assert.isNull(yield* fetch(at(port), { allowPrivate: false, resolve }))
      }
      const resolve = () => assert.fail("the resolver was asked")
      for (const written of ["127.0.0.1", "[::1]", "0x7f.1", "localhost"]) {
        const url = `https://${written}:${port}/`
        assert.isNull(yield* fetch(url, { allowPrivate: false, resolve }), written)
      }
      assert.strictEqual(connections(), 0)
    }),
  )

  it.effect(
    "is called at the address that was checked, even if it resolves differently later",
    () =>
      Effect.gen(function* () {
        const { connections, port } = yield* listen(picture)
        const later = ["127.0.0.1"]
        const resolve = () => Promise.resolve([later.shift() ?? "192.0.2.1"])
        assert.isNotNull(yield* fetch(at(port), { resolve }))
        assert.deepStrictEqual([connections(), later], [1, []])
      }),
  )
})
