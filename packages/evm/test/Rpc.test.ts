import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect, Fiber, Logger, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { encodeErrorResult } from "viem/utils"
import * as Revert from "../src/node/Revert.ts"
import * as Rpc from "../src/node/Rpc.ts"
import * as Node from "../test-support/node.ts"

const chainId = Eip155.chainId(8453)

const question = (method: string, ...params: ReadonlyArray<unknown>): Rpc.Query<string> => ({
  method,
  params,
  read: (answer) => (typeof answer === "string" ? Option.some(answer) : Option.none()),
})

const honest: Node.Responder = (calls) => Node.json(Node.answersOf(chainId, calls))

const over = (nodes: ReadonlyArray<Node.Node>, options: Partial<Rpc.Options> = {}) =>
  Rpc.make({
    chainId,
    urls: nodes.map(({ url }) => url),
    answerWithinInMs: 10_000,
    batchMax: 100,
    ...options,
  })

/** A node that answers like this, and the way to it. */
const scene = Effect.fnUntraced(function* (answer: Node.Responder, options?: Partial<Rpc.Options>) {
  const node = yield* Node.make(answer)
  return { node, rpc: over([node], options) }
})

const methodsOf = ({ asked }: Node.Node) => asked.map((calls) => calls.map(({ method }) => method))

const all = { concurrency: "unbounded" } as const

/** Fails unless nothing is known afterwards; answers what was said of it. */
const silent = Effect.fnUntraced(function* (asking: ReturnType<Rpc.Rpc["ask"]>) {
  const error = yield* Effect.flip(asking)
  assert.strictEqual(error._tag, "ChainUnavailable")
  assert.strictEqual(error.chainId, chainId)
  assert.match(error.message, /^chain eip155:8453: /u)
  return error.message
})

const logged = (log: Array<string>) =>
  Effect.provide(
    Logger.layer([
      Logger.make(({ logLevel, message }) => void log.push(`${logLevel} ${String(message)}`)),
    ]),
  )

describe("requests of one event-loop turn", () => {
  it.effect("are sent together, after the node was asked once for its chain id", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      const methods = ["a", "b", "c"]
      const ask = Effect.forEach(methods, (method) => rpc.ask(question(method)), all)
      assert.deepStrictEqual(yield* ask, ["a answered", "b answered", "c answered"])
      yield* ask
      assert.deepStrictEqual(methodsOf(node), [["eth_chainId", ...methods], methods])
    }),
  )

  it.effect("are sent once if they are equal, and every caller gets the response", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      const asked = [
        question("a", 1),
        { ...question("a", 1), read: () => Option.some("read otherwise") },
        question("a", 2),
      ]
      assert.deepStrictEqual(yield* Effect.forEach(asked, rpc.ask, all), [
        "a answered",
        "read otherwise",
        "a answered",
      ])
      assert.deepStrictEqual(
        node.asked.map((calls) => calls.map(({ params }) => params)),
        [[[], [1], [2]]],
      )
    }),
  )

  it.effect("are split if they are more than the node accepts", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest, { batchMax: 2 })
      yield* rpc.ask(question("first"))
      const methods = ["a", "b", "c", "d", "e"]
      const answers = yield* Effect.forEach(methods, (method) => rpc.ask(question(method)), all)
      assert.deepStrictEqual(
        answers,
        methods.map((method) => `${method} answered`),
      )
      assert.deepStrictEqual(
        methodsOf(node)
          .slice(1)
          .toSorted(([a = ""], [b = ""]) => a.localeCompare(b)),
        [["a", "b"], ["c", "d"], ["e"]],
      )
    }),
  )

  it.effect("are completed even if one caller was interrupted", () =>
    Effect.gen(function* () {
      const isAsked = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const { rpc } = yield* scene(async (calls, body) => {
        isAsked.resolve()
        await gate.promise
        return honest(calls, body)
      })
      const [first, second] = yield* Effect.forEach(["a", "b"], (method) =>
        Effect.forkChild(rpc.ask(question(method))),
      )
      assert.isDefined(first)
      assert.isDefined(second)
      yield* Effect.promise(() => isAsked.promise)
      yield* Fiber.interrupt(first)
      gate.resolve()
      assert.strictEqual(yield* Fiber.join(second), "b answered")
      assert.strictEqual(yield* rpc.ask(question("c")), "c answered")
    }),
  )

  it.effect("are sent even if the first caller was interrupted immediately", () =>
    Effect.gen(function* () {
      const { rpc } = yield* scene(honest)
      const first = yield* Effect.forkChild(rpc.ask(question("a")))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* rpc.ask(question("b")), "b answered")
    }),
  )
})

describe("a node that accepts few calls in a request", () => {
  const methods = Array.from({ length: 23 }, (_, index) => `m${index}`)
  const answers = methods.map((method) => `${method} answered`)
  const askAll = (rpc: Rpc.Rpc) =>
    Effect.forEach(methods, (method) => rpc.ask(question(method)), all)
  const lengthsOf = ({ asked }: Node.Node) => asked.map(({ length }) => length)
  const overloaded = { code: -32600, message: "Batch of more than 3 requests are not allowed" }

  /** How providers refuse a request of too many calls. */
  const refusals: Readonly<Record<string, (calls: ReadonlyArray<Node.Call>) => Node.Reply>> = {
    "as a whole": () => Node.json({ id: null, error: { code: -32600, message: "too many" } }),
    "with HTTP 400 and a reason": () => ({
      status: 400,
      body: JSON.stringify({ error: { code: -32000, message: "no" } }),
    }),
    "with HTTP 400 and a reason of its own shape": () => ({
      status: 400,
      body: JSON.stringify({ message: "upgrade your plan" }),
    }),
    "with HTTP 413": () => ({ status: 413, body: "" }),
    "with HTTP 500 and a reason": () => ({
      status: 500,
      body: JSON.stringify({ message: overloaded.message, code: 31 }),
    }),
    "at each of them": (calls) => Node.json(calls.map(({ id }) => ({ id, error: overloaded }))),
    "at the first of them": ([first]) => Node.json([{ id: first?.id, error: overloaded }]),
    "as one that asks too often": () =>
      Node.json({ error: { code: -32005, message: "batch size exceeded" } }),
    "by leaving some out": (calls) => Node.json(Node.answersOf(chainId, calls.slice(0, 1))),
    "by answering the first alone": (calls) => Node.json(Node.answersOf(chainId, calls)[0]),
  }
  for (const [how, refuse] of Object.entries(refusals)) {
    for (const most of [3, 1]) {
      it.effect(
        `S26: and refuses more than ${most} ${how} is sent smaller requests from then on`,
        () =>
          Effect.gen(function* () {
            const { node, rpc } = yield* scene(
              (calls, body) => (calls.length > most ? refuse(calls) : honest(calls, body)),
              { batchMax: 10 },
            )
            assert.deepStrictEqual(yield* askAll(rpc), answers)
            assert.isAtMost(node.asked.length, most === 1 ? 36 : 24)
            const before = node.asked.length
            assert.deepStrictEqual(yield* askAll(rpc), answers)
            const later = lengthsOf(node).slice(before)
            assert.isAtMost(Math.max(...later), most)
            assert.isAtMost(later.length, most === 1 ? 23 : 12)
          }).pipe(Effect.provide(Logger.layer([]))),
      )
    }
  }

  it.effect("S26: and no lists is sent each call alone", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(
        (calls, body) =>
          body.startsWith("[")
            ? { status: 400, body: JSON.stringify({ error: "expected an object" }) }
            : Node.json(Node.answersOf(chainId, calls)[0]),
        { batchMax: 10 },
      )
      assert.deepStrictEqual(yield* askAll(rpc), answers)
      const before = node.asked.length
      assert.deepStrictEqual(yield* askAll(rpc), answers)
      assert.strictEqual(node.asked.length - before, methods.length)
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.effect("S26: is sent larger requests again after a while", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(
        (calls, body) => (calls.length > 2 ? { status: 413, body: "" } : honest(calls, body)),
        { batchMax: 10 },
      )
      yield* askAll(rpc)
      node.answer(honest)
      for (const most of [2, 4, 8, 10, 10]) {
        const before = node.asked.length
        yield* askAll(rpc)
        assert.strictEqual(Math.max(...lengthsOf(node).slice(before)), most)
        yield* TestClock.adjust("10 minutes")
      }
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.effect("S26: is not sent smaller requests because it refused one of the calls", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(
        (calls, body) =>
          calls.some(({ method }) => method === "bad")
            ? { status: 400, body: JSON.stringify({ error: { code: -32602, message: "no to" } }) }
            : honest(calls, body),
        { batchMax: 10 },
      )
      const [refused, ...fine] = yield* Effect.all(
        [
          rpc.attempt(question("bad")),
          ...["a", "b", "c", "d"].map((method) => rpc.attempt(question(method))),
        ],
        all,
      )
      assert.isTrue(refused !== undefined && Result.isFailure(refused))
      assert.isTrue(fine.every(Result.isSuccess))
      const before = node.asked.length
      yield* askAll(rpc)
      assert.strictEqual(node.asked.length - before, 3)
    }),
  )

  it.effect("S26: and refuses everything is tried a few times, and its own message is shown", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({
        error: {
          code: -32000,
          message: `key ${Node.secret} of 0x${"ab".repeat(20)} is over\nits plan, see https://a.example/b`,
        },
      })
      const { node, rpc } = yield* scene(() => ({ status: 400, body }), { batchMax: 10 })
      const [error] = yield* Effect.all(
        methods.map((method) => silent(rpc.ask(question(method)))),
        all,
      )
      assert.strictEqual(
        error,
        "chain eip155:8453: the node does not report its chain id: key … of … is over its plan, see …",
      )
      assert.strictEqual(node.asked.length, 6)
    }).pipe(Effect.provide(Logger.layer([]))),
  )
})

describe("a response", () => {
  const swapped: Node.Responder = (calls) => Node.json(Node.answersOf(chainId, calls).toReversed())

  it.effect("belongs to the call with its id, in any order", () =>
    Effect.gen(function* () {
      const { rpc } = yield* scene(swapped)
      const answers = yield* Effect.forEach(["a", "b"], (method) => rpc.ask(question(method)), all)
      assert.deepStrictEqual(answers, ["a answered", "b answered"])
    }),
  )

  it.effect("to a call that was not made is ignored", () =>
    Effect.gen(function* () {
      const { rpc } = yield* scene((calls) =>
        Node.json([{ id: 999, result: "stray" }, ...Node.answersOf(chainId, calls)]),
      )
      assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
    }),
  )

  const worthless: Readonly<Record<string, Node.Responder>> = {
    "that lacks one of them": (calls) => Node.json(Node.answersOf(chainId, calls).slice(0, -1)),
    "that has one of them twice": (calls) => {
      const answers = Node.answersOf(chainId, calls)
      return Node.json([...answers, { id: calls.at(-1)?.id, result: "another" }])
    },
    "with another's id": (calls) =>
      Node.json(Node.answersOf(chainId, calls).map(({ id, result }) => ({ id: id + 7, result }))),
    "with neither a result nor an error": (calls) =>
      Node.json(Node.answersOf(chainId, calls, ({ method }) => (method === "a" ? {} : undefined))),
    "of another shape": (calls) =>
      Node.json(
        Node.answersOf(chainId, calls, ({ method }) =>
          method === "a" ? { result: 7 } : undefined,
        ),
      ),
    "that is one object": () => Node.json({ id: 1, result: "0x2105" }),
    "that refuses the batch": () => Node.json({ error: { code: -32600, message: "no batches" } }),
    "that is no JSON": () => ({ body: "<html>busy</html>" }),
    "that is no JSON, and says so": () => ({ body: "<html>busy</html>", type: "text/html" }),
    "that ends too soon": () => ({ body: '[{"id":1,"result":"0x21' }),
    "that is empty": () => ({ body: "" }),
    "that is cut off": () => "cut",
    "of 500": () => ({ status: 500, body: "" }),
    "of 500 with a good body": (calls) => ({
      status: 500,
      body: JSON.stringify(Node.answersOf(chainId, calls)),
    }),
    "of 404": () => ({ status: 404, body: "not found" }),
  }
  for (const [which, answer] of Object.entries(worthless)) {
    it.effect(`${which} is ignored, and the next call is sent again`, () =>
      Effect.gen(function* () {
        const { node, rpc } = yield* scene(answer)
        yield* silent(rpc.ask(question("a")))
        node.answer(honest)
        assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
      }),
    )
  }

  it.effect(
    "that does not arrive in time is an error, and the chain is silent until one arrives",
    () =>
      Effect.gen(function* () {
        const isAsked = Promise.withResolvers<void>()
        const { node, rpc } = yield* scene(() => {
          isAsked.resolve()
          return "hang"
        })
        const asking = yield* Effect.forkChild(silent(rpc.ask(question("a"))))
        yield* Effect.promise(() => isAsked.promise)
        yield* TestClock.adjust("9999 millis")
        assert.isUndefined(asking.pollUnsafe())
        assert.isFalse(rpc.isSilent())
        yield* TestClock.adjust("1 millis")
        assert.match(yield* Fiber.join(asking), /did not respond within 10000 ms/u)
        assert.isTrue(rpc.isSilent())
        node.answer(honest)
        assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
        assert.isFalse(rpc.isSilent())
      }),
  )

  it.effect("with a null error next to a result is a result", () =>
    Effect.gen(function* () {
      const { rpc } = yield* scene((calls) =>
        Node.json(
          Node.answersOf(chainId, calls).map(({ id, result }) => ({ id, result, error: null })),
        ),
      )
      assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
    }),
  )

  it.effect("of a reverting contract is returned to its caller, and affects no other call", () =>
    Effect.gen(function* () {
      const error = { code: 3, message: "execution reverted: late", data: "0x08c379a0" }
      const { rpc } = yield* scene((calls) =>
        Node.json(
          Node.answersOf(chainId, calls, ({ method }) => (method === "a" ? { error } : undefined)),
        ),
      )
      const [refused, fine] = yield* Effect.all(
        [rpc.attempt(question("a")), rpc.ask(question("b"))],
        all,
      )
      assert.isTrue(Result.isFailure(refused))
      if (Result.isFailure(refused)) {
        const { code, data, message, method } = refused.failure
        assert.deepStrictEqual({ code, data, message }, error)
        assert.strictEqual(method, "a")
        assert.isTrue(Rpc.isRevert(refused.failure))
      }
      assert.strictEqual(fine, "b answered")
      assert.match(
        yield* silent(rpc.ask(question("a"))),
        /a was refused: execution reverted: late/u,
      )
    }),
  )
})

describe("a revert's reason", () => {
  it.effect("S27: is read from the node's data, and scrubbed", () =>
    Effect.gen(function* () {
      const reason = `Pausable: paused, ask 0x${"aa".repeat(20)}`
      const data = encodeErrorResult({ abi: Revert.errors, errorName: "Error", args: [reason] })
      const frozen = encodeErrorResult({ abi: Revert.errors, errorName: "AddressFrozen" })
      const said = {
        a: { message: "VM execution error.", data: `Reverted ${data}` },
        b: { message: "execution reverted", data: frozen },
        c: { message: "execution reverted", data: "0x12345678" },
      }
      const { rpc } = yield* scene((calls) =>
        Node.json(
          Node.answersOf(chainId, calls, ({ method }) => {
            const error = Object.entries(said).find(([name]) => name === method)?.[1]
            return error === undefined ? undefined : { error: { code: 3, ...error } }
          }),
        ),
      )
      const answers = yield* Effect.forEach(Object.keys(said), (name) =>
        rpc.attempt(question(name)),
      )
      assert.deepStrictEqual(
        answers.map((answer) => (Result.isFailure(answer) ? answer.failure.message : answer)),
        [
          "VM execution error.: Pausable: paused, ask …",
          "execution reverted: AddressFrozen",
          "execution reverted",
        ],
      )
    }),
  )
})

describe("a node that limits its requests", () => {
  const error = (code: number) => ({ error: { code, message: "slow down" } })
  const busy: Readonly<Record<string, Node.Responder>> = {
    "says 429": () => ({ status: 429, body: "" }),
    "says 429 with an error of its own": () => ({
      status: 429,
      body: JSON.stringify({ id: null, ...error(-32000) }),
    }),
    "says 503": () => ({ status: 503, body: "" }),
    "refuses the batch": () => Node.json(error(-32005)),
    "refuses one question": (calls) =>
      Node.json(Node.answersOf(chainId, calls, () => error(-32005))),
  }
  for (const [how, answer] of Object.entries(busy)) {
    it.effect(`and ${how} is not used for a while, then tried again`, () =>
      Effect.gen(function* () {
        const { node, rpc } = yield* scene(answer)
        const message = yield* silent(rpc.ask(question("a")))
        assert.match(message, /limits the request rate/u)
        node.answer(honest)
        for (const _ of [1, 2, 3]) {
          yield* TestClock.adjust("100 millis")
          assert.strictEqual(yield* silent(rpc.ask(question("a"))), message)
        }
        assert.strictEqual(node.asked.length, 1)
        yield* TestClock.adjust("300 millis")
        assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
      }),
    )
  }

  it.effect("pauses once for several refusals at the same time", () =>
    Effect.gen(function* () {
      const requests = 8
      const areAll = Promise.withResolvers<void>()
      const { node, rpc } = yield* scene(async () => {
        if (node.asked.length === requests) areAll.resolve()
        await areAll.promise
        return { status: 429, body: "" }
      })
      const asking = yield* Effect.forEach(Array.from({ length: requests }), () =>
        // Each in a turn of its own, so that it is a request of its own.
        Effect.tap(Effect.forkChild(silent(rpc.ask(question("a")))), () =>
          Effect.repeat(Effect.yieldNow, { times: 10 }),
        ),
      )
      yield* Fiber.joinAll(asking)
      node.answer(honest)
      yield* TestClock.adjust("700 millis")
      assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
    }),
  )

  it.effect("starts with a short pause again after it responded", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(() => ({ status: 500, body: "" }))
      yield* silent(rpc.ask(question("a")))
      node.answer(honest)
      yield* rpc.ask(question("a"))
      node.answer(() => ({ status: 429, body: "" }))
      yield* TestClock.adjust("300 millis")
      yield* silent(rpc.ask(question("a")))
      yield* TestClock.adjust("300 millis")
      assert.match(yield* silent(rpc.ask(question("a"))), /limits the request rate/u)
      assert.strictEqual(node.asked.length, 3)
    }),
  )

  it.effect(
    "pauses longer each time, at most half a minute, and briefly again after a response",
    () =>
      Effect.gen(function* () {
        const { node, rpc } = yield* scene(() => ({ status: 429, body: "" }))
        /** Seconds until it is asked again. */
        const rest = Effect.gen(function* () {
          const before = node.asked.length
          yield* silent(rpc.ask(question("a")))
          let seconds = 0
          while (node.asked.length === before) {
            yield* TestClock.adjust("1 second")
            seconds++
            yield* silent(rpc.ask(question("a")))
          }
          return seconds
        })
        const rests: Array<number> = []
        for (let index = 0; index < 12; index++) rests.push(yield* rest)
        assert.isAtMost(Math.max(...rests), 37)
        assert.isAbove(rests.at(-1) ?? 0, 20)
        node.answer(honest)
        yield* TestClock.adjust("1 minute")
        yield* rpc.ask(question("a"))
        node.answer(() => ({ status: 429, body: "" }))
        yield* silent(rpc.ask(question("a")))
        assert.strictEqual(yield* rest, 1)
      }),
  )
})

describe("a node that fails while another request is pending", () => {
  /** Asks once, then twice at a time: the second is answered like this before the first is. */
  const meanwhile = (answer: Node.Responder) =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      yield* rpc.ask(question("a"))
      const isAsked = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      node.answer(async (calls, body) => {
        isAsked.resolve()
        await gate.promise
        return honest(calls, body)
      })
      const first = yield* Effect.forkChild(rpc.ask(question("b")))
      yield* Effect.promise(() => isAsked.promise)
      node.answer(answer)
      yield* silent(rpc.ask(question("c")))
      gate.resolve()
      assert.strictEqual(yield* Fiber.join(first), "b answered")
      node.answer(honest)
      return { node, rpc }
    })

  it.effect("pauses, even though the pending request succeeds afterwards", () =>
    Effect.gen(function* () {
      const { rpc } = yield* meanwhile(() => ({ status: 429, body: "" }))
      assert.match(yield* silent(rpc.ask(question("d"))), /limits the request rate/u)
    }),
  )

  it.effect(
    "is asked for its chain id again, even though the pending request succeeds afterwards",
    () =>
      Effect.gen(function* () {
        const { node, rpc } = yield* meanwhile(() => "cut")
        yield* rpc.ask(question("d"))
        assert.deepStrictEqual(methodsOf(node).at(-1), ["eth_chainId", "d"])
      }),
  )
})

describe("a connection", () => {
  it.effect("that the node closed while it was idle is made again", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      yield* rpc.ask(question("first"))
      node.answer((calls) => {
        node.answer(honest)
        return node.asked.length === 2 ? "closed" : honest(calls, "")
      })
      assert.strictEqual(yield* rpc.ask(question("second")), "second answered")
      assert.deepStrictEqual(methodsOf(node), [["eth_chainId", "first"], ["second"], ["second"]])
    }),
  )

  it.effect("that is closed before the first response is a fault", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(() => "closed")
      assert.match(yield* silent(rpc.ask(question("a"))), /could not be reached/u)
      assert.lengthOf(node.asked, 1)
    }),
  )

  it.effect("that switches to another protocol is a fault", () =>
    Effect.gen(function* () {
      const { rpc } = yield* scene(() => "switched")
      assert.match(yield* silent(rpc.ask(question("a"))), /could not be reached/u)
    }),
  )

  it.effect.each([
    "wss://localhost:1/secret",
    "HTTPS://localhost:1/secret",
    "http://user:%zz@localhost:1",
    "localhost",
  ])("to an address that cannot be called is a fault: %s", (url) =>
    Effect.gen(function* () {
      const rpc = Rpc.make({
        chainId,
        urls: [Redacted.make(url)],
        answerWithinInMs: 10_000,
        batchMax: 100,
      })
      assert.match(yield* silent(rpc.ask(question("a"))), /could not be reached$/u)
    }),
  )

  it.effect("names its client, without which firewalls of providers refuse it", () =>
    Effect.gen(function* () {
      const agents: Array<string | undefined> = []
      const { rpc } = yield* scene((calls, body, headers) => {
        agents.push(headers?.["user-agent"])
        return honest(calls, body)
      })
      yield* rpc.ask(question("a"))
      assert.deepStrictEqual(agents, ["Florin"])
    }),
  )

  it.effect("asks for no compression, and reads gzip all the same", () =>
    Effect.gen(function* () {
      const codings: Array<unknown> = []
      const { rpc } = yield* scene((calls, _, headers) => {
        codings.push(headers?.["accept-encoding"])
        const { body } = Node.json(Node.answersOf(chainId, calls))
        return { body: gzipSync(body), coding: "gzip" }
      })
      assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
      assert.deepStrictEqual(codings, ["identity"])
    }),
  )

  it.effect("cannot fill the memory with a compressed response", () =>
    Effect.gen(function* () {
      const body = gzipSync("x".repeat(17 * 1024 * 1024))
      const { rpc } = yield* scene(() => ({ body, coding: "gzip" }))
      assert.match(yield* silent(rpc.ask(question("a"))), /response is too long/u)
    }),
  )

  for (const [which, body] of [
    ["is cut", gzipSync("[]").subarray(0, 15)],
    ["is none", "[]"],
  ] as const) {
    it.effect(`is a fault if the gzip ${which}`, () =>
      Effect.gen(function* () {
        const { rpc } = yield* scene(() => ({ body, coding: "gzip" }))
        assert.match(yield* silent(rpc.ask(question("a"))), /response is not valid/u)
      }),
    )
  }

  it.effect("is not followed to another address", () =>
    Effect.gen(function* () {
      const { rpc } = yield* scene(() => ({ status: 308, body: "" }))
      assert.match(yield* silent(rpc.ask(question("a"))), /the node responded with HTTP 308$/u)
    }),
  )

  it.effect("cannot fill the memory with a response", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      yield* rpc.ask(question("first"))
      const body = `"${"x".repeat(16 * 1024 * 1024)}"`
      node.answer(() => ({ body }))
      assert.match(yield* silent(rpc.ask(question("a"))), /response is too long/u)
    }),
  )

  it.effect("reads no more than the beginning of a node's words", () =>
    Effect.gen(function* () {
      const { rpc } = yield* scene(() => ({ status: 500, body: `${" ".repeat(1000)}more` }))
      assert.match(yield* silent(rpc.ask(question("a"))), /the node responded with HTTP 500$/u)
    }),
  )

  it.effect("fails only the call whose response is too long", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      yield* rpc.ask(question("first"))
      node.answer((calls, body) =>
        calls.some(({ method }) => method === "long")
          ? { body: `"${"x".repeat(16 * 1024 * 1024)}"` }
          : honest(calls, body),
      )
      const asked = ["a", "long", "b"].map((method) => Effect.result(rpc.ask(question(method))))
      const responses = yield* Effect.all(asked, all)
      assert.deepStrictEqual(responses.map(Result.getOrNull), ["a answered", null, "b answered"])
    }),
  )

  it.effect("gets smaller log searches if the response is too long", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      const logs = question("eth_getLogs")
      yield* rpc.ask(logs)
      const body = `"${"x".repeat(16 * 1024 * 1024)}"`
      node.answer(() => ({ body }))
      const response = yield* rpc.attempt(logs)
      assert.isTrue(Result.isFailure(response))
    }),
  )
})

describe("several nodes", () => {
  it.effect("are used in their order: the second only if the first fails", () =>
    Effect.gen(function* () {
      const first = yield* Node.make(() => ({ status: 500, body: "" }))
      const second = yield* Node.make(honest)
      const rpc = over([first, second])
      assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
      first.answer(honest)
      assert.strictEqual(yield* rpc.ask(question("b")), "b answered")
      assert.deepStrictEqual(methodsOf(first), [["eth_chainId", "a"]])
      assert.deepStrictEqual(methodsOf(second), [["eth_chainId", "a"], ["b"]])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* rpc.ask(question("c")), "c answered")
      // It is asked for its chain again: it may be another one now.
      assert.deepStrictEqual(methodsOf(first).at(-1), ["eth_chainId", "c"])
      assert.strictEqual(second.asked.length, 2)
    }),
  )

  it.effect("that all fail return the last error", () =>
    Effect.gen(function* () {
      const nodes = yield* Effect.forEach([500, 502], (status) =>
        Node.make(() => ({ status, body: "" })),
      )
      assert.match(yield* silent(over(nodes).ask(question("a"))), /HTTP 502/u)
    }),
  )

  it.effect("can be asked individually", () =>
    Effect.gen(function* () {
      const first = yield* Node.make(honest)
      const second = yield* Node.make((calls) =>
        Node.json(
          Node.answersOf(chainId, calls, ({ method }) =>
            method === "a" ? { result: "another word" } : undefined,
          ),
        ),
      )
      const answers = yield* Effect.forEach(over([first, second]).nodes, ({ ask }) =>
        ask(question("a")),
      )
      assert.deepStrictEqual(answers, ["a answered", "another word"])
    }),
  )
})

describe("a node that refuses some methods", () => {
  const logs = question("eth_getLogs")
  const send = question("eth_sendRawTransaction")
  const refusing =
    (refusal: Node.Reply, ...methods: ReadonlyArray<string>): Node.Responder =>
    (calls, body) =>
      calls.some(({ method }) => methods.includes(method)) ? refusal : honest(calls, body)

  it.effect("S36: gets calls for logs and for sending in requests of their own", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      yield* Effect.forEach([question("a"), logs, send, question("b")], rpc.ask, all)
      assert.sameDeepMembers(methodsOf(node), [
        ["eth_chainId", "a", "b"],
        ["eth_chainId", "eth_getLogs"],
        ["eth_chainId", "eth_sendRawTransaction"],
      ])
    }),
  )

  it.effect(
    "S36: gets smaller log searches if one exceeds its limit, and pauses if there are too many",
    () =>
      Effect.gen(function* () {
        const { node, rpc } = yield* scene(honest)
        yield* rpc.ask(logs)
        node.answer((calls) =>
          Node.json(Node.answersOf(chainId, calls, () => ({ error: errors["asks for too much"] }))),
        )
        assert.isTrue(Result.isFailure(yield* rpc.attempt(logs)))
        node.answer((calls) =>
          Node.json(
            Node.answersOf(chainId, calls, () => ({ error: errors["is too much for now"] })),
          ),
        )
        assert.match(yield* silent(rpc.ask(logs)), /limits the request rate/u)
        const before = node.asked.length
        assert.match(yield* silent(rpc.ask(logs)), /limits the request rate/u)
        assert.strictEqual(node.asked.length, before)
      }),
  )

  for (const [how, refusal] of Object.entries({
    "too many requests": { status: 429, body: "" },
    "another status": { status: 403, body: JSON.stringify({ message: "not on your plan" }) },
    silence: "hang",
  } satisfies Record<string, Node.Reply>)) {
    it.effect(`S36: pauses only these calls if it refuses logs with ${how}`, () =>
      Effect.gen(function* () {
        const isAsked = Promise.withResolvers<void>()
        const { rpc } = yield* scene((calls, body) => {
          if (calls.some(({ method }) => method === "eth_getLogs")) isAsked.resolve()
          return refusing(refusal, "eth_getLogs")(calls, body)
        })
        const searching = yield* Effect.forkChild(silent(rpc.ask(logs)))
        yield* Effect.promise(() => isAsked.promise)
        if (refusal === "hang") yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(searching)
        for (const query of [question("a"), send, question("a")]) {
          assert.strictEqual(yield* rpc.ask(query), `${query.method} answered`)
        }
        assert.isFalse(rpc.isSilent())
      }),
    )
  }

  /** Refuses some calls of a request, and responds to the others. */
  const picking =
    (error: object, ...methods: ReadonlyArray<string>): Node.Responder =>
    (calls) =>
      Node.json(
        Node.answersOf(chainId, calls, ({ method }) =>
          methods.includes(method) ? { error } : undefined,
        ),
      )
  const errors = {
    "asks for too much": { code: -32005, message: "limit exceeded" },
    "is too much for now": { code: 429, message: "too many requests" },
    "is not known": { code: -32601, message: "the method does not exist" },
    "is not on the plan": { code: -32000, message: "upgrade your plan" },
  }
  for (const [why, error] of Object.entries(errors)) {
    it.effect(`S36: leaves to the next node what ${why}, and serves the rest`, () =>
      Effect.gen(function* () {
        const first = yield* Node.make(picking(error, "a", "b"))
        const second = yield* Node.make(picking(error, "b"))
        const rpc = over([first, second])
        const [a, b, c] = yield* Effect.forEach(
          ["a", "b", "c"],
          (method) => Effect.result(rpc.ask(question(method))),
          all,
        )
        assert.deepStrictEqual(a, Result.succeed("a answered"))
        assert.deepStrictEqual(c, Result.succeed("c answered"))
        assert.isTrue(b !== undefined && Result.isFailure(b))
        assert.deepStrictEqual(methodsOf(second), [["eth_chainId", "a", "b"]])
        assert.strictEqual(yield* rpc.ask(question("c")), "c answered")
        assert.deepStrictEqual(methodsOf(first).at(-1), ["c"])
        // Limits of the moment do not show that a node lacks something.
        const isOver = error.code === -32005 || error.code === 429
        const attempted = yield* Effect.result(rpc.attempt(question("b")))
        assert.strictEqual(Result.isFailure(attempted), isOver)
      }),
    )

    it.effect(`S36: is still used if the price of gas ${why}`, () =>
      Effect.gen(function* () {
        const prices = ["eth_maxPriorityFeePerGas", "eth_feeHistory"]
        // It takes single calls only, so nothing else in the request shows that it responds.
        const { rpc } = yield* scene(picking(error, ...prices), { batchMax: 1 })
        yield* rpc.ask(question("a"))
        for (const method of prices) {
          assert.isTrue(Result.isFailure(yield* rpc.attempt(question(method))))
        }
        assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
      }),
    )
  }

  it.effect("S36: returns a contract's revert without asking another node", () =>
    Effect.gen(function* () {
      const first = yield* Node.make(picking({ code: 3, message: "execution reverted" }, "a"))
      const second = yield* Node.make(honest)
      const reverted = yield* over([first, second]).attempt(question("a"))
      assert.isTrue(Result.isFailure(reverted))
      assert.deepStrictEqual(second.asked, [])
    }),
  )
})

describe("a node of another chain", () => {
  const ofChain =
    (outcome: Node.Outcome): Node.Responder =>
    (calls) =>
      Node.json(
        Node.answersOf(chainId, calls, ({ method }) =>
          method === "eth_chainId" ? outcome : undefined,
        ),
      )
  const wrong: Readonly<Record<string, Node.Responder>> = {
    "another id": ofChain({ result: "0x1" }),
    "no id": ofChain({ result: "mainnet" }),
  }
  for (const [told, answer] of Object.entries(wrong)) {
    it.effect(`is never used if it reports ${told}`, () => {
      const log: Array<string> = []
      return Effect.gen(function* () {
        const node = yield* Node.make(answer)
        const right = yield* Node.make(honest)
        const rpc = over([node, right])
        for (const _ of [1, 2, 3]) {
          assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
          yield* TestClock.adjust("1 minute")
        }
        assert.deepStrictEqual(
          new Set(methodsOf(node).map(([method]) => method)),
          new Set(["eth_chainId"]),
        )
        assert.isAbove(node.asked.length, 1)
        assert.match(yield* silent(over([node]).ask(question("a"))), /another chain/u)
        assert.isTrue(log.every((line) => line.startsWith("Error a node serves another chain")))
        assert.strictEqual(log.length, node.asked.length)
      }).pipe(logged(log))
    })
  }

  it.effect(
    "is distinguished from a node that refuses to report its chain id; neither is used",
    () =>
      Effect.gen(function* () {
        const refusal = { error: { code: -32601, message: "no such method" } }
        const { node, rpc } = yield* scene(ofChain(refusal))
        assert.match(
          yield* silent(rpc.ask(question("a"))),
          /the node does not report its chain id: no such method/u,
        )
        node.answer(honest)
        assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
      }),
  )

  it.effect("is logged once in a while, however often it is tried", () => {
    const log: Array<string> = []
    return Effect.gen(function* () {
      const { node, rpc } = yield* scene((calls) =>
        Node.json(Node.answersOf(Eip155.chainId(1), calls)),
      )
      for (let index = 0; index < 20; index++) yield* silent(rpc.ask(question("a")))
      assert.strictEqual(log.length, 1)
      node.answer(honest)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* rpc.ask(question("a")), "a answered")
    }).pipe(logged(log))
  })

  it.effect("is detected even if it changes behind its address", () =>
    Effect.gen(function* () {
      const { node, rpc } = yield* scene(honest)
      yield* rpc.ask(question("a"))
      node.answer(() => "cut")
      yield* silent(rpc.ask(question("a")))
      node.answer((calls) => Node.json(Node.answersOf(Eip155.chainId(1), calls)))
      assert.match(yield* silent(rpc.ask(question("a"))), /another chain/u)
    }).pipe(Effect.provide(Logger.layer([]))),
  )
})

describe("the error message about a node", () => {
  const raw = `0x02f8${"ab".repeat(120)}`
  const says: Readonly<Record<string, Node.Responder>> = {
    "that refuses in many words": (calls) =>
      Node.json(
        Node.answersOf(chainId, calls, ({ method }) =>
          method === "eth_chainId"
            ? undefined
            : {
                error: {
                  code: -32000,
                  message: `cannot decode ${raw} for http://node.internal/v2/${Node.secret}?key=1 and ${Node.secret}`,
                },
              },
        ),
      ),
    "that is down": () => ({ status: 500, body: `${Node.secret} ${raw}` }),
    // Only the beginning of many words is read, which must not end within the key.
    "that is down, in many words": () => ({
      status: 500,
      body: `${`${"ab".repeat(16)} `.repeat(30)}${Node.secret}`,
    }),
    "that answers nonsense": () => ({ body: `${Node.secret} ${raw}` }),
    "that is cut off": () => "cut",
    "of another chain": (calls) => Node.json(Node.answersOf(Eip155.chainId(1), calls)),
  }
  for (const [which, answer] of Object.entries(says)) {
    it.effect(`A16: ${which} contains neither its address, nor a key, nor a transaction`, () => {
      const log: Array<string> = []
      return Effect.gen(function* () {
        const { rpc } = yield* scene(answer)
        const message = yield* silent(rpc.ask(question("eth_sendRawTransaction", raw)))
        for (const text of [message, ...log]) {
          assert.notInclude(text, Node.secret.slice(0, 6))
          assert.notInclude(text, "abab")
          assert.notMatch(text, /http:|127\.0\.0\.1|node\.internal/u)
        }
      }).pipe(logged(log))
    })
  }

  it.effect("that is not running contains no address", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(Node.make(honest))
      const rpc = Rpc.make({ chainId, urls: [url], answerWithinInMs: 10_000, batchMax: 1 })
      assert.strictEqual(
        yield* silent(rpc.ask(question("a"))),
        "chain eip155:8453: the node could not be reached",
      )
    }),
  )
})
