import { assert, describe, it } from "@effect/vitest"
import type { SignerRequest } from "@florin/client"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi, keccak256 } from "viem"
import * as Payer from "../src/pay/Payer.ts"

const chainId = Eip155.chainId(8453)
const wallet = Wallet.make(1)
const to = Wallet.make(2).address
const [asset = assert.fail("nothing is on the chain")] = Catalog.assetsOf(BuiltIn.catalog, chainId)
const token = asset.token.address
const holds = 10n
/** After as many more blocks one is final. */
const untilFinal = 2

const transferOf = (quantity: bigint): SignerRequest => ({
  chainId,
  method: "eth_sendTransaction",
  params: [
    {
      from: wallet.address,
      to: token,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: "transfer",
        args: [`0x${to.slice("0x".length)}`, quantity],
      }),
    },
  ],
})

const count = Schema.decodeUnknownSync(Schema.String)

const make = Effect.fnUntraced(function* (blocks: "atOnce" | "byHand") {
  const chain = yield* LocalChain.make({ chainId, blocks })
  yield* chain.fundGas(wallet.address, 10n ** 18n)
  yield* chain.fund(token, wallet.address, holds)
  const ask = (keeping?: Payer.Keeping, signal?: AbortSignal, quantity = 1n) =>
    Payer.signer(wallet, [{ chainId: Eip155.numberOf(chainId), rpcUrl: chain.rpcUrl }], {
      ...(keeping !== undefined && { keeping }),
      ...(signal !== undefined && { signal }),
    }).request(transferOf(quantity))
  const request = (...how: Parameters<typeof ask>) => Effect.promise(() => ask(...how))
  /** Answers why it came to nothing. */
  const refused = (...how: Parameters<typeof ask>) =>
    Effect.promise(() =>
      ask(...how).then(
        () => assert.fail("it was not refused"),
        (error: unknown) => error,
      ),
    )
  return {
    chain,
    request,
    refused,
    /** How many transactions the wallet has sent; those that wait are counted. */
    sent: Effect.map(
      chain.request("eth_getTransactionCount", [wallet.address, "pending"]),
      (answer) => Number(count(answer)),
    ),
    /** A transaction that was signed and kept, and then not sent. */
    signed: Effect.gen(function* () {
      let kept = ""
      const full = new TypeError("the disk is full")
      const why = yield* refused({
        signed: () => undefined,
        keep: (raw) => {
          kept = raw
          throw full
        },
        standing: () => Promise.resolve("Open"),
        sendsMoney: () => true,
      })
      assert.strictEqual(why, full)
      return kept
    }),
  }
})

const keeping = (
  raw: string,
  stands: Payer.Standing = "Open",
  sendsMoney = true,
): Payer.Keeping => ({
  signed: () => raw,
  keep: () => assert.fail("another transaction was signed"),
  standing: () => Promise.resolve(stands),
  sendsMoney: () => sendsMoney,
})

describe("Payer.signer", () => {
  it.live("saves a transaction before it sends it, and sends a saved one again", () =>
    Effect.gen(function* () {
      const { request, sent, signed } = yield* make("atOnce")
      const raw = yield* signed
      assert.strictEqual(yield* sent, 0)
      const hash = yield* request(keeping(raw))
      assert.strictEqual(yield* request(keeping(raw)), hash)
      assert.strictEqual(yield* sent, 1)
    }),
  )

  it.live(
    "signs and sends nothing after the offer expired, and continues with what is on the chain",
    () =>
      Effect.gen(function* () {
        const { refused, request, sent, signed } = yield* make("atOnce")
        for (const stands of ["Closing", "Over"] as const) {
          const late = yield* refused({ ...keeping("", stands), signed: () => undefined })
          assert.instanceOf(late, Payer.Undone)
        }
        assert.strictEqual(yield* sent, 0)
        const raw = yield* signed
        const hash = yield* request(keeping(raw))
        assert.strictEqual(yield* request(keeping(raw, "Over")), hash)
      }),
  )

  it.live("keeps a transaction that may still be mined, even if the node forgot it", () =>
    Effect.gen(function* () {
      const { chain, refused, request, sent, signed } = yield* make("byHand")
      const raw = yield* signed
      yield* refused(keeping(raw), AbortSignal.abort())
      yield* chain.request("anvil_dropAllTransactions", [])
      const open = yield* refused(keeping(raw, "Over"))
      assert.instanceOf(open, Payer.MayLand)
      assert.include(open.message, keccak256(`0x${raw.slice("0x".length)}`))
      assert.include(open.message, "may still land")
      assert.strictEqual(yield* sent, 0)

      yield* chain.request("eth_sendRawTransaction", [raw])
      yield* chain.mine(1)
      assert.match(yield* request(keeping(raw, "Over")), /^0x[0-9a-f]{64}$/u)
    }),
  )

  it.live("ignores an expired approval, because it moves no money", () =>
    Effect.gen(function* () {
      const { refused, sent, signed } = yield* make("byHand")
      const late = yield* refused(keeping(yield* signed, "Over", false))
      assert.instanceOf(late, Payer.Undone)
      assert.include(late.message, "moves no money")
      assert.strictEqual(yield* sent, 0)
    }),
  )

  it.live("waits for a pending transaction only while it can still pay", () =>
    Effect.gen(function* () {
      const { chain, refused, request, sent, signed } = yield* make("byHand")
      const raw = yield* signed
      const unseen = yield* refused(keeping(raw, "Closing"))
      assert.instanceOf(unseen, Payer.MayLand)
      assert.strictEqual(yield* sent, 0)
      yield* chain.request("eth_sendRawTransaction", [raw])
      const late = yield* refused(keeping(raw, "Over"))
      assert.instanceOf(late, Payer.MayLand)
      assert.include(late.message, "on its way")
      const waited = yield* refused(keeping(raw, "Closing"), AbortSignal.abort())
      assert.notInstanceOf(waited, Payer.MayLand)
      yield* chain.mine(1)
      assert.match(yield* request(keeping(raw, "Closing")), /^0x[0-9a-f]{64}$/u)
    }),
  )

  it.live("reports a transaction that reverted, and one that was replaced", () =>
    Effect.gen(function* () {
      const { chain, refused, request, sent, signed } = yield* make("atOnce")
      const first = yield* signed
      yield* request(undefined, undefined, 2n)
      yield* chain.mine(untilFinal)
      const replaced = yield* refused(keeping(first))
      assert.instanceOf(replaced, Payer.Undone)
      assert.include(replaced.message, "of the wallet replaced")
      const second = yield* signed
      yield* chain.fund(token, wallet.address, 2n - holds)
      yield* chain.request("eth_sendRawTransaction", [second])
      yield* chain.mine(untilFinal)
      const reverted = yield* refused(keeping(second))
      assert.instanceOf(reverted, Payer.Undone)
      assert.include(reverted.message, "reverted")
      assert.strictEqual(yield* sent, 2)
    }),
  )

  it.live("waits no longer than allowed, and continues later with what it sent", () =>
    Effect.gen(function* () {
      const { chain, refused, request, sent, signed } = yield* make("byHand")
      const raw = yield* signed
      const stopped = yield* refused(keeping(raw), AbortSignal.abort())
      assert.notInstanceOf(stopped, Payer.Undone)
      assert.strictEqual(yield* sent, 1)
      yield* chain.mine(1)
      assert.match(yield* request(keeping(raw)), /^0x[0-9a-f]{64}$/u)
      assert.strictEqual(yield* sent, 1)
    }),
  )
})
