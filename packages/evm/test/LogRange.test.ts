import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect, Logger, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Rpc from "../src/node/Rpc.ts"
import * as LogRange from "../src/read/LogRange.ts"
import * as Node from "../test-support/node.ts"

const chainId = Eip155.chainId(1)

const make = (urls: ReadonlyArray<Redacted.Redacted>) =>
  Rpc.make({ chainId, urls, answerWithinInMs: 10_000, batchMax: 10 })

const refusal = new Rpc.NodeRefused({
  method: "eth_getLogs",
  code: -32000,
  message: "",
  data: null,
})

describe("LogRange", () => {
  it.effect("S19: shrinks for the node that refuses it, and grows again later", () =>
    Effect.gen(function* () {
      const rpc = make([1, 2].map((port) => Redacted.make(`http://localhost:${port}`)))
      const [first = assert.fail(), second = assert.fail()] = rpc.nodes
      const shrunk: Array<number> = []
      for (let blocks = LogRange.most; blocks > 0; blocks = yield* LogRange.of(rpc, first)) {
        shrunk.push(blocks)
        yield* LogRange.recordRefusal(rpc, first, blocks, refusal)
      }
      assert.deepStrictEqual(shrunk, [2_000, 500, 125, 31, 7, 1])
      assert.strictEqual(yield* LogRange.of(rpc, second), LogRange.most)
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(yield* LogRange.of(rpc, first), 0)
      for (const blocks of [1, 4, 16, 64, 256, 1024, 2_000, 2_000]) {
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* LogRange.of(rpc, first), blocks)
      }
    }),
  )

  it.effect(
    "S36: treats a node that serves everything else as a node without logs, after a minute",
    () =>
      Effect.gen(function* () {
        const refused: Node.Reply = { status: 403, body: "not on your plan" }
        let isRefused = true
        let isDown = false
        const node = yield* Node.make((calls) => {
          if (isDown || (isRefused && calls.some(({ method }) => method === "eth_getLogs")))
            return refused
          return Node.json(
            Node.answersOf(chainId, calls, ({ method }) => {
              if (method === "eth_chainId") return undefined
              const block = { number: "0x1", hash: `0x${"1".repeat(64)}`, timestamp: "0x1" }
              return { result: method === "eth_getLogs" ? [] : block }
            }),
          )
        })
        const rpc = make([node.url])
        const [only = assert.fail()] = rpc.nodes
        const filter = { address: Eip155.permit2Address, topics: [] }
        const search = Effect.gen(function* () {
          const blocks = yield* LogRange.of(rpc, only)
          if (blocks === 0) return "no logs"
          const ranges = LogRange.below(10, blocks)
          const found = yield* Effect.result(LogRange.search(rpc, only, blocks, filter, ranges))
          return Result.isSuccess(found) ? "logs" : "silent"
        })
        assert.strictEqual(yield* search, "silent")
        yield* TestClock.adjust("59 seconds")
        assert.strictEqual(yield* search, "silent")
        // A response in between: it was a limit of the moment.
        isRefused = false
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* search, "logs")
        isRefused = true
        assert.strictEqual(yield* search, "silent")
        // A node that is down shows nothing about its logs.
        isDown = true
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* search, "silent")
        assert.notStrictEqual(yield* LogRange.of(rpc, only), 0)
        isDown = false
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* search, "silent")
        assert.strictEqual(yield* search, "no logs")
        isRefused = false
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* LogRange.of(rpc, only), LogRange.most)
        assert.strictEqual(yield* search, "logs")
      }).pipe(Effect.provide(Logger.layer([]))),
  )

  const behind = {
    "which it says": { newest: 10, message: "block range extends beyond current head block" },
    "in words that we do not know": { newest: 9, message: "invalid params" },
  }
  for (const [how, { message, newest }] of Object.entries(behind)) {
    it.effect(`S19: does not shrink for a node that is behind, ${how}`, () =>
      Effect.gen(function* () {
        const node = yield* Node.make((calls) =>
          Node.json(
            Node.answersOf(chainId, calls, ({ method, params: [asked] }) => {
              if (method === "eth_chainId") return undefined
              if (method === "eth_getLogs") return { error: { code: -32_602, message } }
              const block = { number: asked, hash: `0x${"1".repeat(64)}`, timestamp: "0x1" }
              return { result: Number(asked) > newest ? null : block }
            }),
          ),
        )
        const rpc = make([node.url])
        const [only = assert.fail()] = rpc.nodes
        const filter = { address: Eip155.permit2Address, topics: [] }
        const ranges = LogRange.below(10, 5)
        const search = LogRange.search(rpc, only, LogRange.most, filter, ranges)
        assert.strictEqual((yield* Effect.flip(search))._tag, "ChainUnavailable")
        assert.strictEqual(yield* LogRange.of(rpc, only), LogRange.most)
      }),
    )
  }

  it("S19: searches down from a block without gaps, a few small ranges at a time", () => {
    assert.deepStrictEqual(LogRange.below(2_500, LogRange.most), [
      { fromBlock: 501, toBlock: 2_500 },
    ])
    assert.deepStrictEqual(LogRange.below(12, 5), [
      { fromBlock: 8, toBlock: 12 },
      { fromBlock: 3, toBlock: 7 },
      { fromBlock: 0, toBlock: 2 },
    ])
    assert.strictEqual(LogRange.below(10_000, 7).length, 8)
  })
})
