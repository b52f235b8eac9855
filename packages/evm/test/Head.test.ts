import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Worker from "@florin/core/workers/Worker"
import * as Counts from "@florin/testing/Counts"
import { Effect } from "effect"
import type { Finality } from "../src/config/ChainConfig.ts"
import type { Query } from "../src/node/Rpc.ts"
import * as Head from "../src/read/Head.ts"
import * as ByHand from "../test-support/byHand.ts"
import * as Scene from "./threats/scene.ts"

const { price, tokens, unused } = Scene
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

const chainId = Eip155.chainId(8453)
const newest = 1000
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`
const blockOf = (number: number) => ({ number, hash: hashOf(number), timestamp: number })

/** The number of the final block, where the chain calls this one finalized; null if it has none. */
const finalOf = (
  finality: Finality,
  { finalized, isLarge }: { readonly finalized: number | null; readonly isLarge?: true },
) => {
  const tags = new Map([
    ["safe", 990],
    ["finalized", finalized],
  ])
  const ask = <A>({ params, read }: Query<A>) => {
    const [at] = params
    const number = tags.has(String(at)) ? (tags.get(String(at)) ?? null) : Number(at)
    const hex = (value: number) => `0x${value.toString(16)}`
    const answer =
      number === null ? null : { number: hex(number), hash: hashOf(number), timestamp: hex(number) }
    return Effect.orDie(Effect.fromOption(read(answer)))
  }
  const config = { chainId, finality, ...(isLarge === true && { isLarge }) }
  return Effect.map(
    Head.read({ ask }, config, blockOf(newest)),
    ({ final }) => final?.number ?? null,
  )
}

describe("Head.read", () => {
  it.effect("S28: treats a block as final only if every policy of the transfer does", () =>
    Effect.gen(function* () {
      for (const finality of [10, "safe"] as const) {
        for (const [finalized, ofLarge] of [
          [900, 900],
          [990, 990],
          // The chain's own word may come first. It makes nothing final earlier.
          [999, 990],
          [null, null],
        ] as const) {
          assert.strictEqual(yield* finalOf(finality, { finalized }), 990)
          assert.strictEqual(yield* finalOf(finality, { finalized, isLarge: true }), ofLarge)
        }
      }
      assert.isNull(yield* finalOf(2000, { finalized: 999, isLarge: true }))
    }),
  )
})

describe("a chain with a policy for large payments", () => {
  it.live(
    "S28: treats a large payment as final later than a small one",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const large = 2n * price
          const scene = yield* Scene.alone({
            finality: 1,
            evm: () => ({ finalizedFrom: Number(large / 1_000_000n) }),
          })
          const paid = Effect.fnUntraced(function* (quantity: bigint) {
            const payer = unused()
            const choice = yield* scene.offer(tokens.eip3009, payer.address, quantity)
            const outputs = yield* scene.execute(choice, payer)
            assert.strictEqual((yield* scene.attemptWith(choice, outputs)).status, 200)
            return choice.paymentId
          })
          const ids = [yield* paid(large - 1n), yield* paid(large)]
          const states = Effect.forEach(ids, scene.tagOf)
          const { due, pass } = ByHand.make(scene.florin)
          const seen: Array<string> = []
          while (seen.at(-1) !== "Succeeded,Succeeded") {
            assert.isBelow(seen.length, 20)
            // Both are looked at in every block: a round by itself may take the one and leave the other.
            yield* pass(Worker.pauseLongestInMs)
            yield* due("collect")
            yield* scene.local.mine(1)
            seen.push((yield* states).join())
          }
          assert.include(seen, "Succeeded,Processing")
          assert.notInclude(seen, "Processing,Succeeded")
        }),
      ),
    timeout,
  )
})
