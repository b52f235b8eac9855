import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { type CallFailed, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Service from "@florin/testing/Service"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type * as Outbound from "../src/http/Outbound.ts"
import * as Certificate from "../test-support/certificate.ts"
import * as Receiver from "../test-support/receiver.ts"
import * as Addresses from "./addresses.ts"

const body = '{"type":"payment.created","note":"Ünïcödé"}'
const headers = {
  "webhook-id": "evt_1",
  "webhook-timestamp": "1790000000",
  "webhook-signature": "v1,c2lnbmVk",
}

const toLoopback: Outbound.Resolve = () => Promise.resolve(["127.0.0.1"])
const host = "hooks.example.com"

interface Options {
  readonly allowPrivate?: boolean
  readonly resolve?: Outbound.Resolve
}

const post = (url: string, { allowPrivate = true, resolve = toLoopback }: Options = {}) =>
  Effect.flatMap(WebhookTransport, (transport) => transport.post({ url, headers, body })).pipe(
    Effect.provide(
      Layer.provide(
        WebhookHttp.layerResolving(resolve),
        Layer.orDie(Service.layer({ settings: { allowPrivateWebhooks: allowPrivate } })),
      ),
    ),
  )

/** Fails unless a call fails with these words, which repeat nothing of where it went. */
const failsWith = Effect.fnUntraced(function* <R>(
  call: Effect.Effect<number, CallFailed, R>,
  words: RegExp,
) {
  const { _tag, message } = yield* Effect.flip(call)
  assert.strictEqual(_tag, "CallFailed")
  assert.match(message, words)
  assert.notMatch(message, /127\.0\.0\.1|localhost|example|E[A-Z]{4}/u)
})

const isPrivate = /^the host (?:has a|is) private, local or reserved/u

describe("a call to the operator's own webhook", () => {
  const postOwn = (url: string) =>
    Effect.flatMap(WebhookTransport, (transport) => transport.post({ url, headers, body })).pipe(
      Effect.provide(WebhookHttp.layerOwn),
    )

  it.effect("may go to a private address, over http too", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* Receiver.listen(Receiver.answers(204))
      assert.strictEqual(yield* postOwn(`http://127.0.0.1:${port}/`), 204)
      assert.include(yield* heard, body)
    }),
  )

  it.effect("must be https to a public address", () =>
    failsWith(postOwn("http://hooks.example.com/"), /must begin with https/u),
  )
})

describe("a webhook call", () => {
  it.effect("is a POST of the signed body, with the URL's host", () =>
    Effect.gen(function* () {
      const { connections, heard, port } = yield* Receiver.listen(Receiver.answers(204))
      assert.strictEqual(yield* post(`http://shop.localhost:${port}/hook?a=b#c`), 204)
      const [head = "", sent] = (yield* heard).split("\r\n\r\n")
      assert.strictEqual(sent, body)
      const [requestLine, ...lines] = head.split("\r\n")
      assert.strictEqual(requestLine, "POST /hook?a=b HTTP/1.1")
      const named = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(":")).toLowerCase(),
          line.replace(/^.*?: /u, ""),
        ]),
      )
      assert.deepStrictEqual(named, {
        ...headers,
        "content-type": "application/json",
        "content-length": new TextEncoder().encode(body).length.toString(),
        "user-agent": "Florin",
        host: `shop.localhost:${port}`,
        connection: "close",
      })
      assert.strictEqual(connections(), 1)
    }),
  )

  for (const status of [200, 299, 400, 410, 500, 503]) {
    it.effect(`returns the status ${status}`, () =>
      Effect.gen(function* () {
        const { port } = yield* Receiver.listen(Receiver.answers(status))
        assert.strictEqual(yield* post(`http://127.0.0.1:${port}/`), status)
      }),
    )
  }

  it.effect("ignores an interim response", () =>
    Effect.gen(function* () {
      const { port } = yield* Receiver.listen((socket) => {
        Receiver.says("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")(socket)
        Receiver.answers(202)(socket)
      })
      assert.strictEqual(yield* post(`http://127.0.0.1:${port}/`), 202)
    }),
  )

  for (const status of [301, 302, 303, 307, 308]) {
    it.effect(`A6: does not follow the redirect ${status}`, () =>
      Effect.gen(function* () {
        const other = yield* Receiver.listen(Receiver.answers(200))
        const { connections, port } = yield* Receiver.listen(
          Receiver.answers(status, `location: http://127.0.0.1:${other.port}/latest/meta-data`),
        )
        assert.strictEqual(yield* post(`http://127.0.0.1:${port}/`), status)
        assert.deepStrictEqual([connections(), other.connections()], [1, 0])
      }),
    )
  }

  it.effect("uses the system's resolver by default", () =>
    Effect.gen(function* () {
      const { port } = yield* Receiver.listen(Receiver.answers(200))
      const transport = yield* WebhookTransport
      const url = `http://localhost:${port}/`
      assert.strictEqual(yield* transport.post({ url, headers, body }), 200)
      yield* failsWith(
        transport.post({ url: "https://nowhere.invalid/", headers, body }),
        /^the host has no address$/u,
      )
    }).pipe(
      Effect.provide(
        Layer.provide(
          WebhookHttp.layer,
          Service.layer({ settings: { allowPrivateWebhooks: true } }),
        ),
      ),
    ),
  )
})

describe("A6: a name", () => {
  for (const address of Addresses.privateAddresses) {
    it.effect(`that resolves to ${address} is not called, alone or next to a public address`, () =>
      Effect.gen(function* () {
        const { connections, port } = yield* Receiver.listen(Receiver.answers(200))
        for (const addresses of [[address], ["8.8.8.8", address], [address, "2606:4700::1111"]]) {
          const resolve = () => Promise.resolve(addresses)
          const call = post(`https://${host}:${port}/`, { allowPrivate: false, resolve })
          yield* failsWith(call, isPrivate)
        }
        assert.strictEqual(connections(), 0)
      }),
    )
  }

  it.effect("is resolved once: a later address is never called", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* Receiver.listen(Receiver.answers(200))
      // Global unicast that belongs to nobody, and then this machine.
      const later = ["2000::1"]
      let asked = 0
      const resolve = () => {
        asked += 1
        return Promise.resolve([later.shift() ?? "127.0.0.1"])
      }
      const call = yield* Effect.forkChild(
        Effect.flip(post(`https://${host}:${port}/`, { allowPrivate: false, resolve })),
        { startImmediately: true },
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(call)
      assert.deepStrictEqual([asked, connections()], [1, 0])
      // The next call is judged by what is answered then.
      yield* failsWith(
        post(`https://${host}:${port}/`, { allowPrivate: false, resolve }),
        isPrivate,
      )
      assert.deepStrictEqual([asked, connections()], [2, 0])
    }),
  )

  it.effect(
    "is called at the address that was checked, even if the name resolves differently later",
    () =>
      Effect.gen(function* () {
        const { connections, port } = yield* Receiver.listen(Receiver.answers(200))
        const later = ["127.0.0.1"]
        const resolve = () => Promise.resolve([later.shift() ?? "192.0.2.1"])
        assert.strictEqual(yield* post(`http://shop.localhost:${port}/`, { resolve }), 200)
        assert.deepStrictEqual([connections(), later], [1, []])
      }),
  )

  it.effect("with several addresses is called at one that responds", () =>
    Effect.gen(function* () {
      const { port } = yield* Receiver.listen(Receiver.answers(200))
      // Nothing listens there: the receiver has the one address only.
      const resolve = () => Promise.resolve(["::1", "127.0.0.1"])
      assert.strictEqual(yield* post(`http://shop.localhost:${port}/`, { resolve }), 200)
    }),
  )

  it.effect("that has no address, or cannot be resolved, is not called", () =>
    Effect.gen(function* () {
      for (const resolve of [
        () => Promise.resolve([]),
        () => Promise.reject(new Error(`getaddrinfo ENOTFOUND ${host}`)),
      ]) {
        yield* failsWith(post(`https://${host}/`, { resolve }), /^the host has no address$/u)
      }
    }),
  )
})

describe("A6: an address in the URL", () => {
  for (const written of Addresses.privateHosts) {
    it.effect(`is not called as ${written}, by https or http`, () =>
      Effect.gen(function* () {
        const { connections, port } = yield* Receiver.listen(Receiver.answers(200))
        let asked = 0
        const resolve = () => {
          asked += 1
          return Promise.resolve(["8.8.8.8"])
        }
        for (const scheme of ["https", "http"]) {
          const call = post(`${scheme}://${written}:${port}/`, { allowPrivate: false, resolve })
          yield* failsWith(call, isPrivate)
        }
        assert.deepStrictEqual([connections(), asked], [0, 0])
      }),
    )
  }

  it.effect("is called in every notation if private addresses are allowed", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* Receiver.listen(Receiver.answers(200))
      for (const written of ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"]) {
        const resolve = () => Promise.reject(new Error("asked for an address"))
        assert.strictEqual(yield* post(`http://${written}:${port}/`, { resolve }), 200)
      }
      assert.strictEqual(connections(), 4)
    }),
  )

  it.effect("must be valid, and https if it is public, under either policy", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* Receiver.listen(Receiver.answers(200))
      for (const allowPrivate of [true, false]) {
        for (const [url, words] of [
          [`http://${host}:${port}/`, /^a URL must begin with https:\/\/$/u],
          [`ftp://${host}:${port}/`, /^a URL begins with https:\/\/ in lower case$/u],
          [`https://user:secret@${host}:${port}/`, /^a URL must not contain a user name/u],
        ] as const) {
          yield* failsWith(post(url, { allowPrivate }), words)
        }
      }
      assert.strictEqual(connections(), 0)
    }),
  )
})

const tooSlow = /^no response within 10 s$/u

describe("A6: a receiver that keeps a call", () => {
  for (const [name, answer] of [
    ["sends nothing", Receiver.silent],
    ["stops in the head of its response", Receiver.says("HTTP/1.1 200 OK\r\nx-slow: ")],
    ["sends interim responses only", Receiver.says("HTTP/1.1 102 Processing\r\n\r\n")],
  ] as const) {
    it.effect(`and ${name} is abandoned after 10 s`, () =>
      Effect.gen(function* () {
        const { closed, heard, port } = yield* Receiver.listen(answer)
        const call = yield* Effect.forkChild(failsWith(post(`http://127.0.0.1:${port}/`), tooSlow))
        yield* heard
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(call)
        yield* closed
      }),
    )
  }

  it.effect("and responds just in time is successful", () =>
    Effect.gen(function* () {
      const { promise, resolve: answer } = Promise.withResolvers<Socket>()
      const { heard, port } = yield* Receiver.listen(answer)
      const call = yield* Effect.forkChild(post(`http://127.0.0.1:${port}/`))
      yield* heard
      yield* TestClock.adjust("9999 millis")
      Receiver.answers(200)(yield* Effect.promise(() => promise))
      assert.strictEqual(yield* Fiber.join(call), 200)
    }),
  )

  it.effect("by a name that does not resolve is abandoned after 10 s", () =>
    Effect.gen(function* () {
      const { promise } = Promise.withResolvers<ReadonlyArray<string>>()
      const call = yield* Effect.forkChild(
        failsWith(post(`https://${host}/`, { resolve: () => promise }), tooSlow),
        { startImmediately: true },
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(call)
    }),
  )

  it.effect("with an endless body is disconnected after the status", () =>
    Effect.gen(function* () {
      const { closed, port } = yield* Receiver.listen((socket) => {
        Receiver.says("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")(socket)
        Receiver.endlessly(`400\r\n${"x".repeat(1024)}\r\n`)(socket)
      })
      assert.strictEqual(yield* post(`http://127.0.0.1:${port}/`), 200)
      yield* closed
    }),
  )

  it.effect("with an endless head is disconnected after 16 KiB", () =>
    Effect.gen(function* () {
      const { closed, port } = yield* Receiver.listen((socket) => {
        Receiver.says("HTTP/1.1 200 OK\r\n")(socket)
        Receiver.endlessly(`x-header: ${"x".repeat(100)}\r\n`)(socket)
      })
      yield* failsWith(
        post(`http://127.0.0.1:${port}/`),
        /^the head of the response is longer than 16384 bytes$/u,
      )
      yield* closed
    }),
  )

  it.effect("is disconnected when the worker stops", () =>
    Effect.gen(function* () {
      const { closed, heard, port } = yield* Receiver.listen(Receiver.silent)
      const call = yield* Effect.forkChild(post(`http://127.0.0.1:${port}/`))
      yield* heard
      yield* Fiber.interrupt(call)
      yield* closed
    }),
  )
})

describe("a failed call", () => {
  it.effect("reports that the port is closed", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(Receiver.listen(Receiver.silent))
      const refused = /^the connection failed$/u
      yield* failsWith(post(`http://127.0.0.1:${port}/`), refused)
      const resolve = () => Promise.resolve(["127.0.0.1", "::1"])
      yield* failsWith(post(`http://shop.localhost:${port}/`, { resolve }), refused)
      yield* failsWith(post(`https://shop.localhost:${port}/`, { resolve }), refused)
    }),
  )

  for (const [name, answer, words] of [
    [
      "hangs up",
      (socket: Socket) => socket.destroy(),
      /^the connection was closed without a response$/u,
    ],
    ["resets", (socket: Socket) => socket.resetAndDestroy(), /^the connection was closed without/u],
    [
      "speaks no HTTP",
      Receiver.says("220 mail.example.com ESMTP\r\n"),
      /^the response is not HTTP$/u,
    ],
    [
      "wants another protocol",
      Receiver.says(
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
      ),
      /^the connection was closed without a response$/u,
    ],
  ] as const) {
    it.effect(`reports that the receiver ${name}`, () =>
      Effect.gen(function* () {
        const { closed, port } = yield* Receiver.listen(answer)
        yield* failsWith(post(`http://127.0.0.1:${port}/`), words)
        yield* closed
      }),
    )
  }
})

describe("a call over TLS", () => {
  const trusted = Certificate.selfSigned(host)
  const noTls = /^the TLS handshake failed: check the certificate/u

  it.effect("sends the host's name, and accepts a certificate of that name only", () =>
    Effect.gen(function* () {
      yield* Certificate.trust(trusted)
      const names: Array<string> = []
      const { heard, port } = yield* Receiver.listen(Receiver.answers(200), {
        ...trusted,
        SNICallback: (name, done) => {
          names.push(name)
          done(null)
        },
      })
      assert.strictEqual(yield* post(`https://${host}:${port}/hook`), 200)
      assert.include(yield* heard, `\r\nHost: ${host}:${port}\r\n`)
      assert.deepStrictEqual(names, [host])
      yield* failsWith(post(`https://other.example.com:${port}/`), noTls)
      yield* failsWith(post(`https://127.0.0.1:${port}/`), noTls)
    }),
  )

  it.effect("distinguishes a disconnect from a refused certificate", () =>
    Effect.gen(function* () {
      yield* Certificate.trust(trusted)
      const { port } = yield* Receiver.listen((socket) => socket.destroy(), trusted)
      yield* failsWith(
        post(`https://${host}:${port}/`),
        /^the connection was closed without a response$/u,
      )
    }),
  )

  it.effect("refuses an untrusted certificate before it sends anything", () =>
    Effect.gen(function* () {
      const { closed, connections, port } = yield* Receiver.listen(
        () => assert.fail("the call was sent"),
        Certificate.selfSigned(host),
      )
      yield* failsWith(post(`https://${host}:${port}/`), noTls)
      yield* closed
      assert.strictEqual(connections(), 1)
    }),
  )

  it.effect("does not fall back to plain text", () =>
    Effect.gen(function* () {
      const { closed, port, server } = yield* Receiver.listen(() =>
        assert.fail("the call was sent"),
      )
      server.on("connection", Receiver.says("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))
      yield* failsWith(post(`https://${host}:${port}/`), noTls)
      yield* closed
    }),
  )
})
