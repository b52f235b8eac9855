/**
 * The process behind a local chain, and how it ends.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { getHttpRpcClient } from "viem/utils"
import * as Anvil from "../src/Anvil.ts"
import * as LocalChain from "../src/LocalChain.ts"

const options = { chainId: Eip155.chainId(1), blocks: "byHand" } as const

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "florin-localnet-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)

const answers = (rpcUrl: string) =>
  Effect.promise(() =>
    getHttpRpcClient(rpcUrl)
      .request({ body: { method: "eth_chainId" } })
      .then(
        () => true,
        () => false,
      ),
  )

/** Waits for a node's end; the test's own timeout is its limit. */
const gone = (rpcUrl: string) =>
  answers(rpcUrl).pipe(Effect.delay(50), Effect.repeat({ while: (alive) => alive }))

/** A process with a chain, and where that is. */
const holder = Effect.fnUntraced(function* (...stateFile: ReadonlyArray<string>) {
  const script = fileURLToPath(new URL("chainHolder.ts", import.meta.url))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [script, ...stateFile], { stdio: ["ignore", "pipe", "inherit"] }),
    ),
    (each) => Effect.sync(() => each.kill("SIGKILL")),
  )
  const lines = createInterface({ input: child.stdout })
  const [rpcUrl] = yield* Effect.promise(() => once(lines, "line"))
  return { child, rpcUrl: String(rpcUrl) }
})

describe("the binary", () => {
  it("is found where npm installed it", () => {
    assert.isTrue(Result.isSuccess(Anvil.binary()))
  })

  it("is reported as missing, with what to do", () => {
    const other = process.platform === "linux" ? "darwin-arm64" : "linux-x64"
    for (const [platform, words] of [
      [other, "is not installed: install again"],
      ["linux-mips", "There is no anvil for linux-mips"],
    ] as const) {
      const found = Anvil.binary(platform)
      assert.isTrue(Result.isFailure(found) && found.failure.message.includes(words))
    }
  })
})

describe("the process", () => {
  it.live("ends with its scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { rpcUrl } = yield* Scope.provide(LocalChain.make(options), scope)
      assert.isTrue(yield* answers(rpcUrl))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(yield* answers(rpcUrl))
    }),
  )

  it.live("ends when the work next to it fails", () =>
    Effect.gen(function* () {
      let rpcUrl = ""
      const failed = yield* Effect.gen(function* () {
        const chain = yield* LocalChain.make(options)
        rpcUrl = chain.rpcUrl
        return yield* chain.request("eth_noSuchMethod")
      }).pipe(Effect.scoped, Effect.flip)
      assert.include(failed.message, "eth_noSuchMethod: ")
      assert.isFalse(yield* answers(rpcUrl))
    }),
  )

  it.live("ends after its parent was killed, and keeps its state", () =>
    Effect.gen(function* () {
      const stateFile = join(yield* directory, "state.json")
      const { child, rpcUrl } = yield* holder(stateFile)
      assert.isTrue(yield* answers(rpcUrl))
      child.kill("SIGKILL")
      yield* gone(rpcUrl)
      const again = yield* LocalChain.make({ ...options, stateFile })
      assert.strictEqual(yield* again.request("eth_blockNumber"), "0x8")
    }),
  )

  it.live("reports why it could not start", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(Anvil.make(["--chain-id", "none"]))
      assert.match(message, /^anvil ended: .*chain-id/su)
    }),
  )

  it.live("can be stopped and started at the same address", () =>
    Effect.gen(function* () {
      const chain = yield* LocalChain.make(options)
      yield* chain.mine(3)
      yield* chain.stop
      const { message } = yield* Effect.flip(chain.mine(1))
      assert.include(message, "does not respond")
      yield* chain.stop
      yield* chain.start
      yield* chain.start
      // Nothing was kept: it has its tokens, in its first block.
      assert.strictEqual(yield* chain.request("eth_blockNumber"), "0x1")
    }),
  )
})
