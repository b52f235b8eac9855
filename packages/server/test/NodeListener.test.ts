import { Buffer } from "node:buffer"
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { setImmediate } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import { Chains } from "@florin/core/ports/Chain"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Fiber, Layer } from "effect"
import * as Scene from "./scene.ts"
import * as Wire from "./wire.ts"

/** Fails unless the listener itself responded with this problem. */
const isRefusal = (answer: Wire.Reply | undefined, status: number, code: string) => {
  assert.strictEqual(answer?.status, status)
  assert.strictEqual(answer?.headers.get("content-type"), "application/json")
  assert.strictEqual(answer?.headers.get("connection"), "close")
  const body: Scene.Json = JSON.parse(answer?.body ?? "")
  assert.strictEqual(Scene.at(body, "code"), code)
  assert.isAbove(Scene.text(body, "message").length, 0)
  assert.strictEqual(Scene.at(body, "requestId"), answer?.headers.get("request-id"))
  assert.deepEqual(Object.keys(JSON.parse(answer?.body ?? "")).toSorted(), [
    "code",
    "message",
    "requestId",
  ])
}

const codeOf = (answer: Wire.Reply | undefined): unknown => {
  const body: Scene.Json = JSON.parse(answer?.body ?? "null")
  return Scene.at(body, "code")
}

const createBody = (referenceId = Scene.fresh("ORDER")): string =>
  JSON.stringify({ referenceId, amount: { unit: "iso4217/USD", value: "1234" } })

const livePath = "/healthz"

/** A head without its end. */
const halfHead = "GET /healthz HTTP/1.1\r\nHost: florin.test\r\nX-Slow: "

describe("the Node listener", () => {
  it.live("reports its URL, and serves requests there", () =>
    Effect.gen(function* () {
      const { host, port, url } = yield* NodeListener.NodeListener
      assert.strictEqual(url, `http://127.0.0.1:${port}`)
      assert.strictEqual(host, "127.0.0.1")
      assert.deepEqual(yield* Wire.ask(`${url}${livePath}`), {
        status: 200,
        text: '{"status":"ok"}',
      })
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("writes an IPv6 address as in a URL", () =>
    Effect.gen(function* () {
      const { port, url } = yield* NodeListener.NodeListener
      assert.strictEqual(url, `http://[::1]:${port}`)
      assert.strictEqual((yield* Wire.ask(`${url}${livePath}`))?.status, 200)
    }).pipe(
      Effect.provide(
        NodeListener.layer({ port: 0, host: "::1" }).pipe(Layer.provide(Scene.layer())),
      ),
    ),
  )

  it.live("reports that the port is in use, and what to do", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const second = NodeListener.layer({ port }).pipe(Layer.provide(Scene.layer()))
      const error = yield* Effect.flip(Effect.scoped(Layer.build(second)))
      assert.strictEqual(error._tag, "ListenFailed")
      assert.strictEqual(
        error.message,
        `port ${port} is in use: choose another, or 0 for any free port`,
      )
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("names the address if it is not one of this machine", () =>
    Effect.gen(function* () {
      const elsewhere = NodeListener.layer({ host: "203.0.113.1", port: 0 })
      const listening = Layer.build(Layer.provide(elsewhere, Scene.layer()))
      const { message } = yield* Effect.flip(Effect.scoped(listening))
      assert.match(
        message,
        /^cannot listen on 203\.0\.113\.1:0 \(EADDRNOTAVAIL\): check the address/u,
      )
    }),
  )
})

describe("an existing server", () => {
  const florinOf = Effect.acquireRelease(
    Effect.sync(() =>
      Florin.createFlorin({
        payLinkHost: "pay.example.com",
        pages: false,
        chains: Layer.provide(Chains.layerShared, SimulatedChain.layer()),
      }),
    ),
    (florin) => Effect.promise(() => florin.dispose()),
  )

  const serve = (listener: RequestListener) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const server = createServer(listener)
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close()),
      ),
      (server) => {
        const address = server.address()
        return typeof address === "object" && address !== null ? address.port : 0
      },
    )

  it.live("serves through a request listener, from the first request", () =>
    Effect.gen(function* () {
      const port = yield* serve(NodeListener.requestListener(yield* florinOf))
      const ask = Wire.ask(`http://127.0.0.1:${port}${livePath}`)
      const answers = yield* Effect.all([ask, ask, ask], { concurrency: "unbounded" })
      assert.deepEqual(
        [...answers, yield* ask].map((answer) => answer?.status),
        [200, 200, 200, 200],
      )
    }).pipe(Effect.scoped),
  )

  it.live("responds with 503 if the service does not start", () =>
    Effect.gen(function* () {
      const florin = { run: () => Promise.reject(new Error("no storage at 10.0.0.1")) }
      const port = yield* serve(NodeListener.requestListener(florin))
      const answer = yield* Wire.ask(`http://127.0.0.1:${port}${livePath}`)
      assert.strictEqual(answer?.status, 503)
      assert.notInclude(answer?.text, "10.0.0.1")
    }).pipe(Effect.scoped),
  )

  it.live("responds with 503 once the service is disposed of", () =>
    Effect.gen(function* () {
      const florin = yield* florinOf
      const listeners = [NodeListener.requestListener(florin), NodeListener.appListener(florin)]
      const urls = yield* Effect.forEach(listeners, (listener) =>
        Effect.map(
          serve((incoming, response) =>
            listener(incoming, response, () => response.writeHead(418).end()),
          ),
          (port) => `http://127.0.0.1:${port}`,
        ),
      )
      const statusesOf = (path: string) =>
        Effect.forEach(urls, (url) => Effect.map(Wire.ask(`${url}${path}`), (each) => each?.status))
      assert.deepStrictEqual(yield* statusesOf("/v1/payments"), [401, 401])
      yield* Effect.promise(() => florin.dispose())
      assert.deepStrictEqual(yield* statusesOf("/v1/payments"), [503, 503])
      const request = new Request("https://pay.example.com/v1/payments")
      const { status } = yield* Effect.promise(() => florin.handler(request))
      assert.strictEqual(status, 503)
    }).pipe(Effect.scoped),
  )

  it.live("reads a body that a parser has read, as bytes or as JSON", () =>
    Effect.gen(function* () {
      const florin = yield* florinOf
      const key = yield* Effect.promise(() => florin.run(Wire.partnerKey))
      const answer = NodeListener.requestListener(florin)
      const parsers: ReadonlyArray<(body: Buffer) => unknown> = [
        (body) => body,
        (body) => body.toString(),
        (body) => JSON.parse(body.toString()),
      ]
      for (const [index, parse] of parsers.entries()) {
        const port = yield* serve((incoming, response) => {
          void buffer(incoming).then((body) =>
            answer(Object.assign(incoming, { body: parse(body) }), response),
          )
        })
        const created = yield* Wire.ask(`http://127.0.0.1:${port}/v1/merchants`, {
          method: "POST",
          headers: {
            "Api-Key": key,
            "Idempotency-Key": `parsed-${index}`,
            "Content-Type": "application/json",
          },
          body: JSON.stringify({ merchantName: "Café ☕", merchantEmail: "till@door.example" }),
        })
        assert.strictEqual(created?.status, 201)
        assert.include(created?.text, "Café ☕")
      }
    }).pipe(Effect.scoped),
  )

  it.live("refuses a parsed body that is not JSON, or too long", () =>
    Effect.gen(function* () {
      const florin = yield* florinOf
      const key = yield* Effect.promise(() => florin.run(Wire.partnerKey))
      const answer = NodeListener.requestListener(florin)
      const statusOf = (body: unknown) =>
        Effect.gen(function* () {
          const port = yield* serve((incoming, response) => {
            void buffer(incoming).then(() => answer(Object.assign(incoming, { body }), response))
          })
          const answered = yield* Wire.ask(`http://127.0.0.1:${port}/v1/merchants`, {
            method: "POST",
            headers: {
              "Api-Key": key,
              "Idempotency-Key": "parsed",
              "Content-Type": "application/json",
            },
            body: "{}",
          })
          return answered?.status
        })
      assert.strictEqual(yield* statusOf({ merchantName: 1n }), 400)
      assert.strictEqual(yield* statusOf(() => "{}"), 400)
      assert.strictEqual(yield* statusOf({ merchantName: "a".repeat(300_000) }), 413)
    }).pipe(Effect.scoped),
  )

  it.live("passes on requests to other paths", () =>
    Effect.gen(function* () {
      const florin = yield* florinOf
      const answer = NodeListener.requestListener(florin)
      const port = yield* serve((incoming, response) =>
        answer(incoming, response, () => response.writeHead(418).end(incoming.url)),
      )
      const statusOf = (path: string) =>
        Effect.map(Wire.ask(`http://127.0.0.1:${port}${path}`), (each) => each?.status)
      assert.strictEqual(yield* statusOf("/shop"), 418)
      assert.strictEqual(yield* statusOf("/"), 418)
      assert.strictEqual(yield* statusOf("/v1/payments"), 401)
      assert.strictEqual(yield* statusOf("/healthz"), 200)
    }).pipe(Effect.scoped),
  )

  it.live("frees the place of a stream that another part of the server ends", () =>
    Effect.gen(function* () {
      const florin = yield* florinOf
      const key = yield* Effect.promise(() => florin.run(Wire.partnerKey))
      const answer = NodeListener.requestListener(florin)
      const port = yield* serve((incoming, response) => {
        const end = async (): Promise<void> => {
          await setImmediate()
          return response.headersSent ? void response.end() : end()
        }
        answer(incoming, response, assert.fail)
        void end()
      })
      for (let count = 0; count <= Limits.eventStreamsPerPartnerMax; count += 1) {
        const stream = yield* Wire.ask(`http://127.0.0.1:${port}/v1/events/stream`, {
          headers: { "Api-Key": key },
        })
        assert.strictEqual(stream?.text, ":\n\n")
      }
    }).pipe(Effect.scoped),
  )

  it.live("keeps running if another part of the server began to respond", () =>
    Effect.gen(function* () {
      const florin = yield* florinOf
      const answer = NodeListener.requestListener(florin)
      let begun: ServerResponse | undefined
      const port = yield* serve((incoming, response) => {
        answer(incoming, response, assert.fail)
        response.writeHead(503).write("busy")
        begun = response
      })
      const asked = yield* Effect.forkChild(Wire.ask(`http://127.0.0.1:${port}${livePath}`))
      yield* Wire.eventually(() => begun !== undefined)
      yield* Effect.promise(() => florin.ready().then(() => setImmediate()))
      begun?.end()
      assert.deepStrictEqual(yield* Fiber.join(asked), { status: 503, text: "busy" })
    }).pipe(Effect.scoped),
  )

  it.live("responds with 400 if the body was consumed before", () =>
    Effect.gen(function* () {
      const florin = yield* florinOf
      const key = yield* Effect.promise(() => florin.run(Wire.partnerKey))
      const answer = NodeListener.requestListener(florin)
      const port = yield* serve((incoming, response) => {
        incoming.resume()
        incoming.once("end", () => answer(incoming, response))
      })
      const created = yield* Wire.ask(`http://127.0.0.1:${port}/v1/payments`, {
        method: "POST",
        headers: { "Api-Key": key },
        body: createBody(),
      })
      assert.strictEqual(created?.status, 400)
      assert.include(created?.text, "another part of this server has already read the body")
    }).pipe(Effect.scoped),
  )

  it.live("is not required: a promise API listens and closes", () =>
    Effect.gen(function* () {
      const florin = yield* florinOf
      const server = yield* Effect.promise(() => NodeListener.listen(florin, { port: 0 }))
      assert.strictEqual((yield* Wire.ask(`${server.url}${livePath}`))?.status, 200)
      const second = yield* Effect.promise(() =>
        NodeListener.listen(florin, { port: server.port }).then(
          () => null,
          (error: unknown) => error,
        ),
      )
      assert.instanceOf(second, NodeListener.ListenFailed)
      yield* Effect.promise(() => server.close())
      yield* Effect.promise(() => server.close())
      assert.isNull(yield* Wire.ask(server.url))
    }).pipe(Effect.scoped),
  )
})

/** Sends text on a new connection; returns what was received. */
const exchange = Effect.fnUntraced(function* (text: string | ReadonlyArray<string>, count = 1) {
  const { port } = yield* NodeListener.NodeListener
  const wire = yield* Wire.open(port)
  for (const piece of typeof text === "string" ? [text] : text) wire.say(piece)
  return yield* wire.answers(count)
})

describe("the target of a request", () => {
  it.live("may include the host", () =>
    Effect.gen(function* () {
      const [answer] = yield* exchange(Wire.request("GET", `http://florin.test:80${livePath}`))
      assert.strictEqual(answer?.status, 200)
    }).pipe(Effect.provide(Wire.layer())),
  )

  for (const target of [
    "*",
    "//florin.test/healthz",
    "http://florin.test",
    "/%00",
    "/?",
    "/..%2f",
  ]) {
    it.live(`is 404 for ${target}`, () =>
      Effect.gen(function* () {
        const [answer] = yield* exchange(Wire.request(target === "*" ? "OPTIONS" : "GET", target))
        assert.strictEqual(answer?.status, 404)
        assert.strictEqual(codeOf(answer), "not_found")
      }).pipe(Effect.provide(Wire.layer())),
    )
  }

  it.live("is refused with CONNECT", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const wire = yield* Wire.open(port)
      wire.say(Wire.request("CONNECT", "florin.test:443"))
      const [answer] = yield* wire.answers(1)
      isRefusal(answer, 405, "method_not_allowed")
      wire.socket.end()
      assert.isFalse((yield* wire.ended).wasReset)
    }).pipe(Effect.provide(Wire.layer())),
  )
})

describe("a response", () => {
  it.live("has a length, but no body for HEAD or with 204", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const [got] = yield* exchange(Wire.request("GET", livePath))
      assert.strictEqual(got?.headers.get("content-length"), String(got?.body.length))
      assert.isFalse(got?.headers.has("transfer-encoding"))

      const wire = yield* Wire.open(port, { isHead: true })
      wire.say(Wire.request("HEAD", livePath) + Wire.request("HEAD", "/nowhere"))
      const [head, missing] = yield* wire.answers(2)
      assert.strictEqual(head?.status, 200)
      assert.strictEqual(head?.headers.get("content-length"), got?.headers.get("content-length"))
      assert.strictEqual(missing?.status, 404)
      assert.isAbove(Number(missing?.headers.get("content-length")), 0)

      const [preflight, next] = yield* exchange(
        Wire.request("OPTIONS", "/v1/gateway/payment/pay_1", {
          Origin: "https://wallet.example",
          "Access-Control-Request-Method": "GET",
        }) + Wire.request("GET", livePath),
        2,
      )
      assert.strictEqual(preflight?.status, 204)
      assert.isFalse(preflight?.headers.has("content-length"))
      assert.strictEqual(next?.status, 200)
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("counts bytes, not characters", () =>
    Effect.gen(function* () {
      const { key } = yield* Wire.make
      const body = JSON.stringify({ merchantName: "Bäckerei 🥨", merchantEmail: "a@b.example" })
      const [answer, next] = yield* exchange(
        Wire.post("/v1/merchants", body, { "Api-Key": key, "Idempotency-Key": "umlaut" }) +
          Wire.request("GET", livePath),
        2,
      )
      assert.strictEqual(answer?.status, 201)
      assert.include(answer?.body, "Bäckerei 🥨")
      assert.strictEqual(next?.status, 200)
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("has both values of a header that was sent twice", () =>
    Effect.gen(function* () {
      const { key } = yield* Wire.make
      const twice = Wire.request("GET", "/v1/payments", { "Api-Key": key }).replace(
        "Api-Key:",
        `api-key: ${key}\r\nApi-Key:`,
      )
      const [answer] = yield* exchange(twice)
      assert.strictEqual(answer?.status, 401)
      assert.strictEqual(codeOf(answer), "invalid_api_key")
    }).pipe(Effect.provide(Wire.layer())),
  )
})

describe("a connection", () => {
  it.live("stays usable after every refusal", () =>
    Effect.gen(function* () {
      const { key, port } = yield* Wire.make
      const wire = yield* Wire.open(port)
      const auth = { "Api-Key": key }
      const gzip = { ...auth, "Content-Encoding": "gzip" }
      const refused = [
        [Wire.request("GET", "/nowhere"), 404],
        [Wire.request("PUT", "/v1/payments"), 405],
        [Wire.request("GET", "/v1/payments"), 401],
        // The body is not read by us: it is still no request.
        [Wire.post("/v1/payments", createBody()), 401],
        [Wire.post("/v1/payments", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"), 401],
        [Wire.post("/v1/payments", "{", auth), 400],
        [Wire.post("/v1/payments", "x=1", { ...auth, "Content-Type": "text/plain" }), 415],
        [Wire.post("/v1/payments", "x", gzip), 415],
      ] as const
      for (const [index, [text, status]] of refused.entries()) {
        wire.say(text)
        const answer = (yield* wire.answers(index + 1))[index]
        assert.strictEqual(answer?.status, status, text)
        assert.strictEqual(answer?.headers.get("connection"), "keep-alive", text)
      }
      wire.say(Wire.request("GET", livePath))
      assert.strictEqual((yield* wire.answers(refused.length + 1)).at(-1)?.status, 200)
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("responds to pipelined requests in order, also if the first one waits", () =>
    Effect.gen(function* () {
      const { key, merchantId, port } = yield* Wire.make
      const id = yield* Scene.createPayment(key, merchantId)
      const status = `/v1/gateway/payment/${id}/status`
      const wire = yield* Wire.open(port)
      wire.say(
        Wire.request("GET", `${status}?maxPollMs=20000`, { "Api-Key": key }) +
          Wire.post("/v1/payments", createBody("SECOND"), { "Api-Key": key }) +
          Wire.request("GET", "/nowhere"),
      )
      yield* Wire.parked(id, 1)
      yield* Scene.send({ method: "POST", path: `/v1/gateway/payment/${id}/cancel`, key })
      const answers = yield* wire.answers(3)
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [200, 201, 404],
      )
      assert.include(answers[0]?.body, '"cancelled"')
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("is closed if the next bytes are not HTTP, after the responses before them", () =>
    Effect.gen(function* () {
      const { key, merchantId, port } = yield* Wire.make
      const id = yield* Scene.createPayment(key, merchantId)
      const wire = yield* Wire.open(port)
      wire.say(
        Wire.request("GET", `/v1/gateway/payment/${id}/status?maxPollMs=20000`, {
          "Api-Key": key,
        }),
      )
      yield* Wire.parked(id, 1)
      wire.say("NO HTTP\r\n\r\n".repeat(3))
      yield* Effect.sleep(50)
      yield* Scene.send({ method: "POST", path: `/v1/gateway/payment/${id}/cancel`, key })
      const { answers, wasReset } = yield* wire.ended
      assert.deepEqual(
        answers.map((answer) => [answer.status, answer.headers.get("connection")]),
        [[200, "close"]],
      )
      assert.isFalse(wasReset)
    }).pipe(Effect.provide(Wire.layer())),
  )

  const tunnel = "CONNECT florin.test:443 HTTP/1.1\r\nHost: florin.test\r\n\r\n"

  it.live.each([
    ["bytes that are not HTTP", "NO HTTP\r\n\r\n", [404, 200, 400]],
    ["CONNECT", tunnel, [404]],
  ] as const)("does not send a refusal of %s in place of a response", ([, ending, expected]) =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const wire = yield* Wire.open(port)
      wire.say(Wire.request("GET", "/nowhere") + Wire.request("GET", "/healthz") + ending)
      const { answers } = yield* wire.ended
      const statuses = answers.map(({ status }) => status)
      assert.deepEqual(statuses.slice(0, expected.length), [...expected])
      assert.notDeepEqual(statuses, [404, 405])
    }).pipe(Effect.provide(Wire.layer())),
  )

  const lastRequests = {
    "HTTP/1.1 with Connection: close": Wire.request("GET", "/healthz", { Connection: "close" }),
    "HTTP/1.0": "GET /healthz HTTP/1.0\r\n\r\n",
    "HTTP/0.9": "GET /healthz\r\n\r\n",
    "HTTP/1.1 without a Host": "GET /healthz HTTP/1.1\r\n\r\n",
  }
  it.live.each(Object.entries(lastRequests))(
    "has no response after the last one, whatever follows: %s",
    ([, last]) =>
      Effect.gen(function* () {
        const { port } = yield* NodeListener.NodeListener
        for (const next of [`${Wire.request("GET", "/healthz")}NO HTTP\r\n\r\n`, tunnel]) {
          const wire = yield* Wire.open(port)
          wire.say(last + next)
          const { answers } = yield* wire.ended
          assert.deepEqual(
            answers.map((answer) => answer.headers.get("connection")),
            ["close"],
          )
        }
      }).pipe(Effect.provide(Wire.layer())),
  )
})

// They wait for connections that are held open for a while.
describe("a body", { concurrent: true }, () => {
  it.live("may arrive byte by byte", () =>
    Effect.gen(function* () {
      const { key, port } = yield* Wire.make
      const body = createBody()
      const wire = yield* Wire.open(port)
      wire.say(Wire.post("/v1/payments", body, { "Api-Key": key }).slice(0, -body.length))
      for (const character of body) {
        wire.say(character)
        yield* Effect.promise(() => setImmediate())
      }
      const [plain] = yield* wire.answers(1)
      assert.strictEqual(plain?.status, 201)
      wire.say(
        Wire.request("POST", "/v1/payments", { "Api-Key": key, "Transfer-Encoding": "chunked" }),
      )
      for (const character of createBody()) wire.say(`1\r\n${character}\r\n`)
      wire.say("0\r\n\r\n")
      const [, chunked] = yield* wire.answers(2)
      assert.strictEqual(chunked?.status, 201)
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("that is missing is a 400", () =>
    Effect.gen(function* () {
      const { key } = yield* Wire.make
      const auth = { "Api-Key": key }
      const answers = yield* exchange(
        [
          Wire.request("POST", "/v1/payments", auth),
          Wire.request("POST", "/v1/payments", { ...auth, "Content-Length": 0 }),
          Wire.request("POST", "/v1/payments", { ...auth, "Transfer-Encoding": "chunked" }),
          "0\r\n\r\n",
        ],
        3,
      )
      assert.deepEqual(
        answers.map((answer) => [answer.status, codeOf(answer)]),
        Array.from({ length: 3 }, () => [400, "invalid_params"]),
      )
    }).pipe(Effect.provide(Wire.layer())),
  )

  const padded = (length: number): string => {
    const body = createBody()
    return body + " ".repeat(length - body.length)
  }

  it.live("is accepted up to the limit, and not a byte beyond", () =>
    Effect.gen(function* () {
      const { key, port } = yield* Wire.make
      const auth = { "Api-Key": key }
      const chunkedOf = (text: string) => [
        Wire.request("POST", "/v1/payments", { ...auth, "Transfer-Encoding": "chunked" }),
        `${text.length.toString(16)}\r\n${text}\r\n`,
        "0\r\n\r\n",
      ]
      const longest = padded(Limits.bodyMaxBytes)
      const tooLong = padded(Limits.bodyMaxBytes + 1)
      const cases = [
        [[Wire.post("/v1/payments", longest, auth)], 201],
        [chunkedOf(longest), 201],
        [[Wire.post("/v1/payments", tooLong, auth)], 413],
        [chunkedOf(tooLong), 413],
      ] as const
      for (const [pieces, status] of cases) {
        const wire = yield* Wire.open(port)
        for (const piece of pieces) wire.say(piece)
        const [answer] = yield* wire.answers(1)
        assert.strictEqual(answer?.status, status)
        if (status === 413) assert.strictEqual(codeOf(answer), "payload_too_large")
      }
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("with a Content-Length beyond the limit is refused before it is sent", () =>
    Effect.gen(function* () {
      const { key } = yield* Wire.make
      const [answer] = yield* exchange(
        Wire.request("POST", "/v1/payments", { "Api-Key": key, "Content-Length": 10_485_760 }),
      )
      assert.strictEqual(answer?.status, 413)
      assert.strictEqual(codeOf(answer), "payload_too_large")
      assert.strictEqual(answer?.headers.get("connection"), "close")
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("that does not end is cut off", () =>
    Effect.gen(function* () {
      const { key, port } = yield* Wire.make
      const wire = yield* Wire.open(port)
      const auth = { "Api-Key": key }
      wire.say(Wire.request("POST", "/v1/payments", { ...auth, "Transfer-Encoding": "chunked" }))
      const piece = `10000\r\n${"a".repeat(0x10000)}\r\n`
      yield* Wire.keepSaying(wire, piece)
      const { answers } = yield* wire.ended
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [413],
      )
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("A9: nested 100,000 levels deep is refused", () =>
    Effect.gen(function* () {
      const { key } = yield* Wire.make
      const depth = 100_000
      for (const body of ["[".repeat(depth) + "]".repeat(depth), '{"a":'.repeat(50_000)]) {
        const [answer] = yield* exchange(Wire.post("/v1/payments", body, { "Api-Key": key }))
        assert.strictEqual(answer?.status, 400)
        assert.strictEqual(codeOf(answer), "invalid_params")
      }
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("A9: is never inflated", () =>
    Effect.gen(function* () {
      const { key, port } = yield* Wire.make
      const bytes = gzipSync(createBody())
      const wire = yield* Wire.open(port)
      wire.say(
        Wire.request("POST", "/v1/payments", {
          "Api-Key": key,
          "Content-Type": "application/json",
          "Content-Encoding": "gzip",
          "Content-Length": bytes.length,
        }),
      )
      wire.say(bytes)
      const [answer] = yield* wire.answers(1)
      assert.strictEqual(answer?.status, 415)
      assert.strictEqual(codeOf(answer), "unsupported_media_type")
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("gets 100 Continue only if it will be read", () =>
    Effect.gen(function* () {
      const { key, port } = yield* Wire.make
      const body = createBody()
      const head = (headers: Readonly<Record<string, string | number>>) =>
        Wire.request("POST", "/v1/payments", { Expect: "100-continue", ...headers })

      const wire = yield* Wire.open(port)
      wire.say(head({ "Api-Key": key, "Content-Length": body.length }))
      assert.strictEqual((yield* wire.answers(1))[0]?.status, 100)
      wire.say(body)
      assert.strictEqual((yield* wire.answers(2))[1]?.status, 201)

      const refusals = [
        [{ "Content-Length": body.length }, 401],
        [{ "Api-Key": key, "Content-Length": Limits.bodyMaxBytes + 1 }, 413],
      ] as const
      yield* Effect.forEach(
        refusals,
        Effect.fnUntraced(function* ([headers, status]) {
          const refused = yield* Wire.open(port)
          refused.say(head(headers))
          const { answers, wasReset } = yield* refused.ended
          assert.deepEqual(
            answers.map((answer) => [answer.status, answer.headers.get("connection")]),
            [[status, "close"]],
          )
          assert.isFalse(wasReset)
        }),
        { concurrency: "unbounded" },
      )
    }).pipe(Effect.provide(Wire.layer())),
  )
})

// One after the other: the server waits only 2 s for what the caller still sends.
describe("a body", () => {
  const tenMegabytes = "a".repeat(10 * 1024 * 1024)

  for (const [how, pieces] of [
    ["a length", (key: string) => [Wire.post("/v1/payments", tenMegabytes, { "Api-Key": key })]],
    [
      "chunks",
      (key: string) => [
        Wire.request("POST", "/v1/payments", { "Api-Key": key, "Transfer-Encoding": "chunked" }),
        `${tenMegabytes.length.toString(16)}\r\n${tenMegabytes}\r\n`,
        "0\r\n\r\n",
      ],
    ],
    ["an unknown key", () => [Wire.post("/v1/payments", tenMegabytes)]],
  ] as const) {
    it.live(`A9: of 10 MB with ${how} is refused, also if the caller reads only at the end`, () =>
      Effect.gen(function* () {
        const { key, port } = yield* Wire.make
        const wire = yield* Wire.open(port)
        wire.socket.pause()
        for (const piece of pieces(key)) wire.say(piece)
        yield* Wire.eventually(() => wire.socket.writableLength === 0)
        wire.socket.resume()
        const { answers, wasReset } = yield* wire.ended
        const [answer] = answers
        assert.strictEqual(answers.length, 1)
        assert.strictEqual(answer?.status, how.includes("key") ? 401 : 413)
        assert.strictEqual(answer?.headers.get("connection"), "close")
        assert.isFalse(wasReset)
      }).pipe(Effect.provide(Wire.layer())),
    )
  }
})

describe("bytes that are not HTTP", () => {
  const malformed: ReadonlyArray<readonly [string, string]> = [
    ["no request at all", "HELLO\r\n\r\n"],
    ["a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["an invalid method", "FROBNICATE / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["an invalid version", "GET / HTTP/9.9\r\nHost: a\r\n\r\n"],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n"],
    ["a space before a colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"],
    ["a header without a name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"],
    ["a NUL in a header", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"],
    ["a folded header", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
    ["a length below zero", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"],
    ["a length that is no number", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1e3\r\n\r\n"],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["an unknown coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n"],
    ["a line feed alone", "GET / HTTP/1.1\nHost: a\n\n"],
  ]
  for (const [what, text] of malformed) {
    it.live(`are refused, and the connection is closed: ${what}`, () =>
      Effect.gen(function* () {
        const { port } = yield* NodeListener.NodeListener
        const wire = yield* Wire.open(port)
        wire.say(Buffer.from(text, "latin1"))
        const [first] = yield* wire.answers(1)
        isRefusal(first, 400, "invalid_params")
        wire.socket.end()
        const { answers, wasReset } = yield* wire.ended
        assert.strictEqual(answers.length, 1)
        assert.isFalse(wasReset)
      }).pipe(Effect.provide(Wire.layer())),
    )
  }

  it.live("are refused, and the connection is closed even if the caller keeps it open", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const wire = yield* Wire.open(port)
      wire.socket.allowHalfOpen = true
      wire.say("HELLO\r\n\r\n")
      yield* Wire.keepSaying(wire, "a")
      const { answers } = yield* wire.ended
      assert.strictEqual(answers.length, 1)
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("are refused in the middle of a body too", () =>
    Effect.gen(function* () {
      const { key } = yield* Wire.make
      const [answer] = yield* exchange([
        Wire.request("POST", "/v1/payments", { "Api-Key": key, "Transfer-Encoding": "chunked" }),
        '5\r\n{"a":\r\nzz\r\n',
      ])
      assert.strictEqual(answer?.status, 400)
      assert.strictEqual(codeOf(answer), "invalid_params")
      assert.strictEqual(answer?.headers.get("connection"), "close")
    }).pipe(Effect.provide(Wire.layer())),
  )

  for (const [what, text] of [
    ["a path", Wire.request("GET", `/${"a".repeat(20_000)}`)],
    ["a header", Wire.request("GET", livePath, { "X-Long": "a".repeat(20_000) })],
    [
      "many headers",
      Wire.request(
        "GET",
        livePath,
        Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`X-${index}`, "a"])),
      ),
    ],
    ["a header of 10 MB", Wire.request("GET", livePath, { "X-Long": "a".repeat(10_000_000) })],
  ] as const) {
    it.live(`are refused beyond the limit: ${what}`, () =>
      Effect.gen(function* () {
        const { port } = yield* NodeListener.NodeListener
        const wire = yield* Wire.open(port)
        wire.say(text)
        const [answer] = yield* wire.answers(1)
        isRefusal(answer, 431, "invalid_params")
      }).pipe(Effect.provide(Wire.layer())),
    )
  }
})

describe("a slow caller", { concurrent: true }, () => {
  const hasty = Wire.layer({ headersInMs: 100, requestInMs: 200 })
  /** Long enough to read a request in, however busy the machine is. */
  const patient = Wire.layer({ headersInMs: 3000, requestInMs: 3000 })

  for (const [how, text] of [
    ["sends nothing", ""],
    ["does not end the first line", "GET /heal"],
    ["does not end the headers", halfHead],
  ] as const) {
    it.live(`gets 408 and is closed if it ${how}`, () =>
      Effect.gen(function* () {
        const { port } = yield* NodeListener.NodeListener
        const wire = yield* Wire.open(port)
        wire.say(text)
        const { answers, wasReset } = yield* wire.ended
        assert.strictEqual(answers.length, 1)
        isRefusal(answers[0], 408, "invalid_params")
        assert.isFalse(wasReset)
      }).pipe(Effect.provide(hasty)),
    )
  }

  it.live("A9: is closed if it sends empty lines after a request, however many", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const wire = yield* Wire.open(port)
      wire.say(Wire.request("GET", "/healthz"))
      yield* wire.answers(1)
      yield* Wire.keepSaying(wire, "\r\n")
      const { answers, rest } = yield* Effect.timeout(wire.ended, "30 seconds")
      assert.strictEqual(answers.length, 1)
      assert.strictEqual(rest.length, 0)
    }).pipe(Effect.provide(Wire.layer({ headersInMs: 100, requestInMs: 200, keepAliveInMs: 100 }))),
  )

  it.live("A9: gets 408 and is closed if it sends a byte now and then", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const wire = yield* Wire.open(port)
      wire.say(halfHead)
      yield* Wire.keepSaying(wire, "a")
      const { answers } = yield* wire.ended
      isRefusal(answers[0], 408, "invalid_params")
    }).pipe(Effect.provide(hasty)),
  )

  it.live("gets 408 and is closed if it does not complete a body", () =>
    Effect.gen(function* () {
      const { key, port } = yield* Wire.make
      const wire = yield* Wire.open(port)
      const body = createBody()
      wire.say(Wire.post("/v1/payments", body, { "Api-Key": key }).slice(0, -10))
      const { answers } = yield* wire.ended
      assert.deepEqual(
        answers.map((answer) => [answer.status, codeOf(answer), answer.headers.get("connection")]),
        [[408, "invalid_params", "close"]],
      )
      assert.match(answers[0]?.headers.get("request-id") ?? "", /^req_/u)
    }).pipe(Effect.provide(hasty)),
  )

  it.live("is closed without a second response if it does not complete an unread body", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const wire = yield* Wire.open(port)
      wire.say(Wire.post("/v1/payments", createBody()).slice(0, -10))
      const { answers } = yield* wire.ended
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [401],
      )
    }).pipe(Effect.provide(patient)),
  )

  it.live("is not one that waits for our response", () =>
    Effect.gen(function* () {
      const { key, merchantId, port } = yield* Wire.make
      const id = yield* Scene.createPayment(key, merchantId)
      const wire = yield* Wire.open(port)
      wire.say(
        Wire.request("GET", `/v1/gateway/payment/${id}/status?maxPollMs=5000`, { "Api-Key": key }),
      )
      const [answer] = yield* wire.answers(1)
      assert.strictEqual(answer?.status, 200)
      assert.include(answer?.body, "requires_action")
    }).pipe(Effect.provide(patient)),
  )

  it.live("is disconnected if nothing is transferred any more", () =>
    Effect.gen(function* () {
      const { key, merchantId, port } = yield* Wire.make
      const id = yield* Scene.createPayment(key, merchantId)
      const wire = yield* Wire.open(port)
      wire.say(
        Wire.request("GET", `/v1/gateway/payment/${id}/status?maxPollMs=20000`, { "Api-Key": key }),
      )
      assert.strictEqual((yield* wire.ended).answers.length, 0)
      yield* Wire.parked(id, 0)
    }).pipe(Effect.provide(Wire.layer({ stalledInMs: 200 }))),
  )
})

describe("a caller that disconnects", () => {
  it.live("A10: frees the place of its held call", () =>
    Effect.gen(function* () {
      const { key, merchantId, port } = yield* Wire.make
      const id = yield* Scene.createPayment(key, merchantId)
      const path = `/v1/gateway/payment/${id}/status?maxPollMs=20000`
      const wires = yield* Effect.forEach(Array.from({ length: 20 }), () => Wire.open(port))
      for (const wire of wires) wire.say(Wire.request("GET", path, { "Api-Key": key }))
      yield* Wire.parked(id, wires.length)
      for (const wire of wires.slice(1)) wire.hangUp()
      yield* Wire.parked(id, 1)
      // Half closed is gone as well: nobody else could tell.
      wires[0]?.socket.end()
      yield* Wire.parked(id, 0)
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("frees the place of its held confirm, which stays accepted", () =>
    Effect.gen(function* () {
      const { key, merchantId, port } = yield* Wire.make
      const id = yield* Scene.createPayment(key, merchantId)
      const option = yield* Scene.firstOption(key, id)
      const body = JSON.stringify(yield* Scene.confirmBody(key, id, option))
      const wire = yield* Wire.open(port)
      wire.say(
        Wire.post(`/v1/gateway/payment/${id}/confirm?maxPollMs=20000`, body, { "Api-Key": key }),
      )
      yield* Wire.parked(id, 1)
      wire.hangUp()
      yield* Wire.parked(id, 0)
      const status = yield* Scene.send({ path: `/v1/gateway/payment/${id}/status`, key })
      assert.strictEqual(Scene.at(status.body, "status"), "processing")
    }).pipe(Effect.provide(Wire.layer())),
  )

  it.live("in the middle of a body causes no call", () =>
    Effect.gen(function* () {
      const { key, port } = yield* Wire.make
      const wire = yield* Wire.open(port)
      wire.say(Wire.post("/v1/payments", createBody(), { "Api-Key": key }).slice(0, -10))
      yield* Effect.sleep(20)
      wire.hangUp()
      yield* Effect.sleep(20)
      const [list] = yield* exchange(Wire.request("GET", "/v1/payments", { "Api-Key": key }))
      const body: Scene.Json = JSON.parse(list?.body ?? "")
      assert.strictEqual(Scene.list(body, "data").length, 0)
    }).pipe(Effect.provide(Wire.layer())),
  )
})
