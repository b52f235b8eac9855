import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Chain, ChainUnavailable } from "@florin/core/ports/Chain"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Evm from "../src/Evm.ts"
import * as Patience from "../src/node/Patience.ts"
import * as Logs from "../src/read/Logs.ts"
import * as Link from "../test-support/link.ts"
import * as Node from "../test-support/node.ts"

const chain = (
  number: number,
  isSilent: boolean,
  ask: Patience.Asking<string>["ask"],
): Patience.Asking<string> => ({
  rpc: { chainId: Eip155.chainId(number), isSilent: () => isSilent },
  ask,
})

const well = chain(10, false, Effect.succeed(["well"]))
const failure = new ChainUnavailable({ chainId: Eip155.chainId(10), message: "it failed" })

describe("a chain that does not respond", () => {
  it.effect("S9: is waited for no longer than the others", () =>
    Effect.gen(function* () {
      const ask = Patience.make()
      const answer = yield* ask([well, chain(1, true, Effect.never)])
      assert.deepStrictEqual(answer, ["well"])
    }),
  )

  it.effect("S9: is tried by one caller at a time", () =>
    Effect.gen(function* () {
      const ask = Patience.make()
      let tries = 0
      const hung = chain(
        1,
        true,
        Effect.suspend(() => {
          tries += 1
          return Effect.never
        }),
      )
      for (let call = 0; call < 3; call++) yield* ask([well, hung])
      assert.strictEqual(tries, 1)
    }),
  )

  it.effect("S9: is used again as soon as it responds", () =>
    Effect.gen(function* () {
      const ask = Patience.make()
      const back = chain(1, true, Effect.succeed(["back"]))
      for (let call = 0; call < 2; call++) {
        assert.sameMembers([...(yield* ask([well, back]))], ["well", "back"])
      }
    }),
  )

  it.effect("is waited for if no other chain responds, and its error is then returned", () =>
    Effect.gen(function* () {
      const ask = Patience.make()
      const slow = Effect.as(Effect.yieldNow, ["slow"])
      const failing = chain(10, false, Effect.fail(failure))
      assert.deepStrictEqual(yield* ask([chain(1, true, slow)]), ["slow"])
      assert.deepStrictEqual(yield* ask([failing, chain(1, true, slow)]), ["slow"])
      const error = yield* Effect.flip(ask([failing, chain(1, true, Effect.fail(failure))]))
      assert.strictEqual(error, failure)
    }),
  )
})

describe("a chain whose first node does not respond", () => {
  // A request times out on the machine's clock, as each node has its own connection.
  it.live(
    "S9: still shows what one of our accounts sent, by its last node",
    () =>
      Effect.gen(function* () {
        const chainId = Eip155.chainId(8453)
        const [ours = assert.fail()] = Link.collecting
        const txHash = Fixtures.hash("sent")
        const place = { blockNumber: "0x5", blockHash: Fixtures.hash("block") }
        const topics = Logs.transferTopics({ from: ours.address, to: ours.address })
        const log = {
          ...place,
          address: ours.address,
          topics,
          data: `0x${"7".padStart(64, "0")}`,
          logIndex: "0x0",
          transactionHash: txHash,
        }
        const receipt = {
          ...place,
          transactionHash: txHash,
          status: "0x1",
          from: ours.address,
          to: ours.address,
          gasUsed: "0x1",
          effectiveGasPrice: "0x1",
          logs: [log],
        }
        const hang = () => "hang" as const
        const silent = yield* Node.make(hang)
        const last = yield* Node.make((calls) =>
          Node.json(
            Node.answersOf(chainId, calls, ({ method }) =>
              method === "eth_getTransactionReceipt" ? { result: receipt } : undefined,
            ),
          ),
        )
        const accounts = [{ address: ours.address }]
        const rpcUrls = [silent, last].map(({ url }) => url)
        const context = yield* Layer.build(Evm.layer([{ chainId: 8453, rpcUrls, accounts }]))
        const [found] = yield* Context.get(context, Chain).outgoing(txHash)
        assert.strictEqual(found?.from, ours.address)
      }),
    60_000,
  )
})
