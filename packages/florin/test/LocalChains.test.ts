import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LocalChains from "../src/dev/LocalChains.ts"

/** A port that something listens on. */
const taken = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ port, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close),
)

describe("the RPC port of a local chain", () => {
  it("is the chain's own, so that a wallet has to be told once", () => {
    assert.deepStrictEqual(
      [1, 56, 137, 8453, 42_220].map(LocalChains.rpcPort),
      [20_001, 20_056, 20_137, 28_453, 62_220],
    )
  })

  it.effect("is any free one if something else listens there", () =>
    Effect.gen(function* () {
      const { port } = yield* taken
      assert.strictEqual(yield* LocalChains.ifFree(port), 0)
    }),
  )

  it("is named if it had to change", () => {
    assert.deepStrictEqual(
      LocalChains.movedNotes([
        { chainId: 1, rpcUrl: "http://127.0.0.1:20001" },
        { chainId: 8453, rpcUrl: "http://127.0.0.1:40123" },
      ]),
      [
        "Port 28453 is in use. The RPC URL of chain 8453 is http://127.0.0.1:40123 until the next start.",
      ],
    )
  })
})
