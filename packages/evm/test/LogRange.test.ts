import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as LogRange from "../src/LogRange.ts"
import * as Rpc from "../src/Rpc.ts"

const make = () => {
  const rpc = Rpc.make({
    chainId: Eip155.chainId(1),
    urls: [1, 2].map((port) => Redacted.make(`http://localhost:${port}`)),
    answerWithinInMs: 1,
    batchMax: 10,
  })
  const [first = assert.fail(), second = assert.fail()] = rpc.nodes
  return { rpc, first, second }
}

const refusal = new Rpc.NodeRefused({
  method: "eth_getLogs",
  code: -32000,
  message: "",
  data: null,
})

describe("LogRange", () => {
  it.effect("S19: shrinks for the node that refuses it, and grows again after a while", () =>
    Effect.gen(function* () {
      const { first, rpc, second } = make()
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

  it("S19: goes down from a block without a gap, a few small ranges at once", () => {
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
