/**
 * The functions of a local chain, with exact reorganisations.
 *
 * @module
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Hex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { encodeFunctionData, hexToNumber, keccak256, stringToHex, toHex } from "viem/utils"
import * as Contracts from "../src/Contracts.ts"
import * as LocalChain from "../src/LocalChain.ts"
import * as Scene from "./scene.ts"

const base = Eip155.chainId(8453)
const usdc = Catalog.assetsOf(BuiltIn.catalog, base)[0]?.token.address ?? Eip155.permit2Address
const owner = Caip.Address.make(`0x${"ab".repeat(20)}`)
const payer = privateKeyToAccount(keccak256(stringToHex("payer")))

const Block = Schema.Struct({
  number: Contracts.HexText,
  hash: Schema.String,
  parentHash: Schema.String,
  timestamp: Contracts.HexText,
  transactions: Schema.Array(Schema.String),
})
const decodeBlock = Schema.decodeUnknownEffect(Block)
const decodeHex = Schema.decodeUnknownEffect(Contracts.HexText)

const make = (options: Partial<LocalChain.Options> = {}) =>
  Effect.map(LocalChain.make({ chainId: base, blocks: "byHand", ...options }), (chain) => {
    const block = Effect.fnUntraced(function* (which: string | number) {
      const tag = typeof which === "number" ? toHex(which) : which
      const { number, timestamp, ...rest } = yield* decodeBlock(
        yield* chain.request("eth_getBlockByNumber", [tag, false]),
      )
      return { ...rest, number: hexToNumber(number), at: hexToNumber(timestamp) }
    })
    const quantity = Effect.fnUntraced(function* (
      method: string,
      ...params: ReadonlyArray<unknown>
    ) {
      return BigInt(yield* decodeHex(yield* chain.request(method, params)))
    })
    return {
      ...chain,
      block,
      head: Effect.map(block("latest"), ({ number }) => number),
      quantity,
      held: (account: Caip.Address, tag = "latest") =>
        quantity("eth_getStorageAt", usdc, Contracts.balanceSlot(account), tag),
      /** Signs a transaction of a numbered nonce and hands it in. */
      transact: Effect.fnUntraced(function* (
        nonce: number,
        to: Caip.Address,
        data: Hex = "0x",
        from: PrivateKeyAccount = payer,
      ) {
        const raw = yield* Effect.promise(() =>
          from.signTransaction({
            type: "eip1559",
            chainId: Eip155.numberOf(base),
            nonce,
            to: Scene.hexOf(to),
            data,
            value: data === "0x" ? 1n : 0n,
            gas: 200_000n,
            maxFeePerGas: 100n * 10n ** 9n,
            maxPriorityFeePerGas: 0n,
          }),
        )
        return yield* decodeHex(yield* chain.request("eth_sendRawTransaction", [raw]))
      }),
      isMined: (hash: Hex) =>
        Effect.map(chain.request("eth_getTransactionReceipt", [hash]), (each) => each !== null),
      pending: Effect.map(block("pending"), ({ transactions }) => transactions),
    }
  })

const withPayer = (options: Partial<LocalChain.Options> = {}) =>
  Effect.tap(make(options), (chain) => chain.fundGas(Scene.addressOf(payer), 10n ** 20n))

const transfer = (value: bigint) =>
  encodeFunctionData({
    abi: Scene.token,
    functionName: "transfer",
    args: [Scene.hexOf(owner), value],
  })

describe("blocks", () => {
  it.live("by hand are made only on request", () =>
    Effect.gen(function* () {
      const chain = yield* withPayer()
      const hash = yield* chain.transact(0, owner)
      assert.strictEqual(yield* chain.head, 1)
      assert.isFalse(yield* chain.isMined(hash))
      yield* chain.mine(3)
      assert.strictEqual(yield* chain.head, 4)
      assert.deepStrictEqual((yield* chain.block(2)).transactions, [hash])
    }),
  )

  it.live("at intervals are made by themselves, with pending transactions", () =>
    Effect.gen(function* () {
      const chain = yield* withPayer({ blocks: { everyInMs: 20 } })
      const hash = yield* chain.transact(0, owner)
      yield* Effect.repeat(chain.isMined(hash), { until: (mined) => mined })
      const before = yield* chain.head
      yield* Effect.repeat(chain.head, { until: (head) => head > before + 2 })
    }),
  )

  it.live("are safe after one epoch, and final after two", () =>
    Effect.gen(function* () {
      const chain = yield* make({ epochBlocks: 3 })
      yield* chain.mine(9)
      assert.strictEqual(yield* chain.head, 10)
      assert.strictEqual((yield* chain.block("safe")).number, 7)
      assert.strictEqual((yield* chain.block("finalized")).number, 4)
      const shorter = yield* make()
      yield* shorter.mine(9)
      assert.strictEqual((yield* shorter.block("safe")).number, 9)
      assert.strictEqual((yield* shorter.block("finalized")).number, 8)
      const none = yield* make({ epochBlocks: 0 })
      yield* none.mine(1)
      assert.strictEqual((yield* none.block("finalized")).number, 2)
    }),
  )

  it.live("show the time that has passed", () =>
    Effect.gen(function* () {
      const chain = yield* make()
      const before = yield* chain.nowInS
      yield* chain.pass(100_000)
      yield* chain.pass(1000)
      assert.isAtLeast(yield* chain.nowInS, before + 101_000)
      assert.isBelow((yield* chain.block("latest")).at, before + 100_000)
      yield* chain.mine(1)
      assert.isAtLeast((yield* chain.block("latest")).at, before + 101_000)
    }),
  )
})

describe("funding", () => {
  it.live("adds to the balance without a block", () =>
    Effect.gen(function* () {
      const chain = yield* make()
      yield* chain.fund(usdc, owner, 5n)
      yield* chain.fund(usdc, owner, 7n)
      yield* chain.fundGas(owner, 11n)
      yield* chain.fundGas(owner, 2n)
      assert.strictEqual(yield* chain.held(owner), 12n)
      assert.strictEqual(yield* chain.quantity("eth_getBalance", owner, "latest"), 13n)
      assert.strictEqual(yield* chain.head, 1)
    }),
  )

  it.live("loses nothing during transactions that are mined at intervals", () =>
    Effect.gen(function* () {
      const chain = yield* withPayer({ blocks: { everyInMs: 5 } })
      yield* chain.fund(usdc, Scene.addressOf(payer), 100n)
      yield* Effect.all(
        [
          Effect.forEach([...Array(20).keys()], () => chain.fund(usdc, owner, 1000n)),
          Effect.forEach([...Array(20).keys()], (nonce) =>
            chain.transact(nonce, usdc, transfer(1n)),
          ),
        ],
        { concurrency: "unbounded" },
      )
      yield* Effect.repeat(chain.held(Scene.addressOf(payer)), { until: (held) => held === 80n })
      assert.strictEqual(yield* chain.held(owner), 20_020n)
    }),
  )

  it.live("deploys contracts where there are none", () =>
    Effect.gen(function* () {
      const chain = yield* make()
      const accounts = yield* Effect.forEach([1, 2, 3], () => chain.deploy("SmartAccount", owner), {
        concurrency: "unbounded",
      })
      assert.strictEqual(new Set(accounts).size, 3)
      for (const account of accounts) {
        assert.strictEqual(
          yield* chain.quantity("eth_getStorageAt", account, "0x0", "latest"),
          BigInt(owner),
        )
      }
    }),
  )
})

describe("a reorganisation", () => {
  it.live("replaces as many blocks with others of the same times", () =>
    Effect.gen(function* () {
      const chain = yield* make()
      for (const seconds of [10, 1000, 7, 0]) {
        yield* chain.pass(seconds)
        yield* chain.mine(1)
      }
      yield* chain.pass(500)
      const now = yield* chain.nowInS
      const numbers = [1, 2, 3, 4, 5]
      const before = yield* Effect.forEach(numbers, chain.block)
      yield* chain.reorg(3, "forgotten")
      const after = yield* Effect.forEach(numbers, chain.block)
      assert.deepStrictEqual(
        after.map(({ at }) => at),
        before.map(({ at }) => at),
      )
      assert.deepStrictEqual(
        after.map(({ hash }, index) => hash === before[index]?.hash),
        [true, true, false, false, false],
      )
      assert.strictEqual(after[2]?.parentHash, after[1]?.hash)
      assert.strictEqual(yield* chain.head, 5)
      assert.isAtLeast(yield* chain.nowInS, now)
    }),
  )

  it.live("with forgotten transactions reverses everything that they did", () =>
    Effect.gen(function* () {
      const chain = yield* withPayer()
      yield* chain.fund(usdc, Scene.addressOf(payer), 100n)
      const kept = yield* chain.transact(0, usdc, transfer(1n))
      yield* chain.mine(1)
      const lost = yield* chain.transact(1, usdc, transfer(10n))
      yield* chain.mine(1)
      yield* chain.reorg(1, "forgotten")
      assert.isTrue(yield* chain.isMined(kept))
      assert.isFalse(yield* chain.isMined(lost))
      assert.strictEqual(yield* chain.request("eth_getTransactionByHash", [lost]), null)
      yield* chain.mine(1)
      assert.isFalse(yield* chain.isMined(lost))
      assert.strictEqual(yield* chain.held(owner), 1n)
      const nonce = yield* chain.quantity("eth_getTransactionCount", payer.address, "latest")
      assert.strictEqual(nonce, 1n)
      const other = yield* chain.transact(1, usdc, transfer(20n))
      yield* chain.mine(1)
      assert.isTrue(yield* chain.isMined(other))
      assert.strictEqual(yield* chain.held(owner), 21n)
    }),
  )

  it.live("with pending transactions mines them again in the next block, in order", () =>
    Effect.gen(function* () {
      const chain = yield* withPayer()
      yield* chain.fund(usdc, Scene.addressOf(payer), 100n)
      const hashes = yield* Effect.forEach([0, 1, 2], (nonce) =>
        Effect.tap(chain.transact(nonce, usdc, transfer(10n)), chain.mine(1)),
      )
      yield* chain.reorg(2, "waiting")
      assert.deepStrictEqual(yield* Effect.forEach(hashes, chain.isMined), [true, false, false])
      assert.strictEqual(yield* chain.held(owner), 10n)
      assert.deepStrictEqual(yield* chain.pending, hashes.slice(1))
      yield* chain.mine(1)
      assert.strictEqual(yield* chain.held(owner), 30n)
      assert.deepStrictEqual((yield* chain.block("latest")).transactions, hashes.slice(1))
    }),
  )

  for (const orphans of ["forgotten", "waiting"] as const) {
    it.live(`keeps pending transactions pending, with orphans ${orphans}`, () =>
      Effect.gen(function* () {
        const chain = yield* withPayer()
        const stranger = privateKeyToAccount(keccak256(stringToHex("stranger")))
        yield* chain.fundGas(Scene.addressOf(stranger), 10n ** 20n)
        const mined = yield* chain.transact(0, owner)
        yield* chain.mine(1)
        const waits = yield* chain.transact(0, owner, "0x", stranger)
        yield* chain.reorg(1, orphans)
        assert.isFalse(yield* chain.isMined(waits))
        yield* chain.mine(1)
        assert.isTrue(yield* chain.isMined(waits))
        assert.strictEqual(yield* chain.isMined(mined), orphans === "waiting")
      }),
    )
  }

  it.live("keeps changes from outside, before and after the cut, repeatedly", () =>
    Effect.gen(function* () {
      const chain = yield* make()
      yield* chain.fund(usdc, owner, 1n)
      yield* chain.mine(2)
      yield* chain.fund(usdc, owner, 10n)
      yield* chain.fundGas(owner, 5n)
      yield* chain.mine(1)
      yield* chain.fund(usdc, owner, 100n)
      yield* chain.pause(usdc, true)
      const account = yield* chain.deploy("SmartAccount", owner)
      yield* chain.mine(1)
      yield* chain.pause(usdc, false)
      yield* chain.fund(usdc, owner, 1000n)
      for (const depth of [1, 3, 2, 4, 4]) {
        yield* chain.reorg(depth, "forgotten")
        assert.strictEqual(yield* chain.held(owner), 1111n)
        assert.strictEqual(yield* chain.quantity("eth_getBalance", owner, "latest"), 5n)
        assert.strictEqual(yield* chain.quantity("eth_getStorageAt", usdc, toHex(7), "latest"), 0n)
        assert.strictEqual(
          yield* chain.request("eth_getCode", [account, "latest"]),
          Contracts.code("SmartAccount"),
        )
        assert.strictEqual(yield* chain.head, 5)
      }
    }),
  )

  it.live("is refused if there are not so many blocks", () =>
    Effect.gen(function* () {
      const chain = yield* make()
      yield* chain.mine(1)
      const { message } = yield* Effect.flip(chain.reorg(2, "forgotten"))
      assert.strictEqual(message, "Only the newest 1 blocks can be replaced, not 2.")
      assert.strictEqual(yield* chain.head, 2)
      yield* chain.fund(usdc, owner, 3n)
      yield* chain.mine(300)
      yield* chain.reorg(128, "forgotten")
      const tooDeep = yield* Effect.flip(chain.reorg(129, "forgotten"))
      assert.strictEqual(tooDeep.message, "Only the newest 128 blocks can be replaced, not 129.")
      assert.strictEqual(yield* chain.head, 302)
      assert.strictEqual(yield* chain.held(owner), 3n)
    }),
  )

  it.live("fails if a transaction that shall be pending was never signed", () =>
    Effect.gen(function* () {
      const chain = yield* make()
      yield* chain.fundGas(owner, 10n ** 20n)
      yield* chain.request("anvil_autoImpersonateAccount", [true])
      yield* chain.request("eth_sendTransaction", [{ from: owner, to: owner, gas: "0x5208" }])
      yield* chain.mine(1)
      yield* Effect.flip(chain.reorg(1, "waiting"))
    }),
  )
})

describe("a state file", () => {
  const directory = Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "florin-localnet-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  )

  it.live("keeps a chain between runs, with its past states", () =>
    Effect.gen(function* () {
      const stateFile = join(yield* directory, "state.json")
      const hash = yield* Effect.scoped(
        Effect.gen(function* () {
          const chain = yield* withPayer({ stateFile })
          yield* chain.fund(usdc, Scene.addressOf(payer), 100n)
          yield* chain.mine(1)
          const made = yield* chain.transact(0, usdc, transfer(7n))
          yield* chain.mine(3)
          return made
        }),
      )
      const chain = yield* make({ stateFile })
      assert.strictEqual(yield* chain.head, 5)
      assert.strictEqual(yield* chain.held(owner), 7n)
      assert.strictEqual(yield* chain.held(owner, "0x2"), 0n)
      assert.isTrue(yield* chain.isMined(hash))
      yield* chain.mine(2)
      yield* chain.fund(usdc, owner, 1n)
      yield* Effect.flip(chain.reorg(3, "forgotten"))
      yield* chain.reorg(2, "forgotten")
      yield* chain.stop
      yield* chain.start
      assert.strictEqual(yield* chain.held(owner), 8n)
      assert.strictEqual(yield* chain.head, 7)
      const code = yield* chain.request("eth_getCode", [usdc, "latest"])
      assert.strictEqual(code, Contracts.code("FiatToken"))
    }),
  )

  it.live("keeps states that a chain without a state file forgets", () =>
    Effect.gen(function* () {
      const chain = yield* make()
      yield* chain.mine(5)
      yield* chain.fund(usdc, owner, 5n)
      yield* chain.stop
      yield* chain.start
      yield* chain.mine(3)
      yield* chain.reorg(2, "forgotten")
      assert.strictEqual(yield* chain.head, 4)
      assert.strictEqual(yield* chain.held(owner), 0n)
    }),
  )
})
