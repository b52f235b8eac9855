import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import { Effect, Option, Redacted, Result } from "effect"
import * as Rpc from "../src/node/Rpc.ts"
import * as Checkpoints from "../src/read/Checkpoints.ts"
import * as Link from "../test-support/link.ts"

const chainId = Eip155.chainId(8453)
const hash = (digit: string) => `0x${digit.repeat(64)}`
const checkpoint = { number: 7, hash: hash("a") }

const silent = new ChainUnavailable({ chainId, message: "silent" })

/** A node that shows this block at the checkpoint's height: none where it is behind, and nothing where it does not answer. */
const node = (shown: string | null | undefined): Rpc.Rpc["nodes"][number] => {
  const ask: Rpc.Ask["ask"] = ({ read }) => {
    if (shown === undefined) return silent
    const block = { number: "0x7", hash: shown, timestamp: "0x1" }
    const answer = read(shown === null ? null : block)
    return Option.isSome(answer) ? Effect.succeed(answer.value) : silent
  }
  return { host: "", ask, attempt: (query) => Effect.map(ask(query), Result.succeed) }
}

/** What is told of the checkpoint by a first node that answers, and others beside it. */
const told = (
  first: string | null | undefined,
  ...others: ReadonlyArray<string | null | undefined>
) => {
  const { config } = Link.make(chainId, Redacted.make("http://localhost:1"))
  const nodes = [first, ...others].map(node)
  const rpc = {
    chainId,
    learnt: Rpc.nothingLearnt(),
    ...node(first),
    nodes,
    hosts: [],
    isSilent: () => false,
  }
  return Effect.result(Checkpoints.stands({ config, rpc }, checkpoint))
}

describe("Checkpoints.stands", () => {
  it.effect("is true if one node shows the block", () =>
    Effect.gen(function* () {
      for (const others of [[], [hash("b")], [null], [undefined]]) {
        assert.deepStrictEqual(yield* told(hash("a"), ...others), Result.succeed(true))
      }
    }),
  )

  it.effect("is false if nodes show another block at its height, and none shows this one", () =>
    Effect.gen(function* () {
      for (const others of [[], [hash("b")], [hash("c")], [null], [undefined]]) {
        assert.deepStrictEqual(yield* told(hash("b"), ...others), Result.succeed(false))
      }
    }),
  )

  it.effect("is undecided if nodes contradict each other, are behind, or do not respond", () =>
    Effect.gen(function* () {
      const answers = [
        [hash("b"), hash("a")],
        [null],
        [null, hash("a")],
        [null, null],
        [undefined, hash("b")],
      ] as const
      for (const [first, ...others] of answers) {
        const result = yield* told(first, ...others)
        assert.isTrue(Result.isFailure(result) && result.failure._tag === "ChainUnavailable")
      }
    }),
  )
})
