import { assert, describe, it } from "@effect/vitest"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import {
  encodeFunctionData,
  erc20Abi,
  parseTransaction,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from "viem"
import * as OwnTransaction from "../src/pay/OwnTransaction.ts"

const chainId = Eip155.chainId(8453)
const wallet = Wallet.make(1)
const to = OwnTransaction.hex(Wallet.make(2).address)
const [asset = assert.fail("nothing is on the chain")] = Catalog.assetsOf(BuiltIn.catalog, chainId)
const token = OwnTransaction.hex(asset.token.address)
const holds = 10n
const untilFinal = 2
const pollInMs = 50
/** A price of gas beyond what was bid before. */
const dear = `0x${(10n ** 12n).toString(16)}`

const never: OwnTransaction.Instead = {
  kept: () => [],
  keep: () => assert.fail("another transaction was signed"),
}

/** Keeps as a file does. */
const keeper = () => {
  const all: Array<string> = []
  return {
    /** All that were kept, one for the other. */
    all,
    kept: () => all,
    keep: (signed: string) => {
      all.push(signed)
    },
  }
}

const stopped = new Error("killed before it was sent")

const make = Effect.gen(function* () {
  const chain = yield* LocalChain.make({ chainId, blocks: "byHand" })
  yield* chain.fundGas(wallet.address, 10n ** 18n)
  yield* chain.fund(asset.token.address, wallet.address, holds)
  const client = OwnTransaction.connect(
    wallet,
    { chainId: Eip155.numberOf(chainId), rpcUrl: chain.rpcUrl },
    pollInMs,
  )
  const sign = (quantity: bigint) =>
    Effect.promise(async () => {
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: "transfer",
        args: [to, quantity],
      })
      return client.signTransaction(await client.prepareTransactionRequest({ to: token, data }))
    })
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const send = (signed: OwnTransaction.Hex) => chain.request("eth_sendRawTransaction", [signed])
  return {
    chain,
    client,
    sign,
    send,
    /** What has arrived. */
    arrived: Effect.promise(() =>
      client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [to] }),
    ),
    /** Whenever the account's transactions have been counted at a block, does something before the answer is read. */
    counting: (blockTag: string, act: Effect.Effect<unknown, unknown>): OwnTransaction.Client => ({
      ...client,
      getTransactionCount: async (asked) => {
        const count = await client.getTransactionCount(asked)
        if (asked.blockTag === blockTag) await run(act)
        return count
      },
    }),
    /** Makes blocks once the empty transaction is with the node. */
    minedOnceSent: (instead: OwnTransaction.Instead): OwnTransaction.Client => ({
      ...client,
      sendRawTransaction: async (sent) => {
        const hash = await client.sendRawTransaction(sent)
        assert.strictEqual(sent.serializedTransaction, instead.kept().at(-1))
        await run(chain.mine(1 + untilFinal))
        return hash
      },
    }),
    /** Keeps an empty transaction, and ends before it is sent. */
    died: (signed: OwnTransaction.Hex, instead: OwnTransaction.Instead) =>
      Effect.gen(function* () {
        const dying: OwnTransaction.Client = {
          ...client,
          sendRawTransaction: () => Promise.reject(stopped),
        }
        const why = yield* Effect.flip(
          Effect.tryPromise((signal) => OwnTransaction.takeBack(dying, signed, instead, signal)),
        )
        assert.strictEqual(why.cause, stopped)
      }),
    /** Knows nothing of one transaction at some of the times that it is asked for it, or for its receipt. */
    lagging: (
      isUnknown: (times: number) => boolean,
      isUnconfirmed: (times: number) => boolean,
    ): OwnTransaction.Client => {
      const asked = { transaction: 0, receipt: 0 }
      return {
        ...client,
        getTransaction: async (one) => {
          asked.transaction += 1
          if (isUnknown(asked.transaction)) throw new TransactionNotFoundError({})
          return client.getTransaction(one)
        },
        getTransactionReceipt: async (one) => {
          asked.receipt += 1
          if (isUnconfirmed(asked.receipt)) throw new TransactionReceiptNotFoundError(one)
          return client.getTransactionReceipt(one)
        },
      }
    },
    takeBack: (over: OwnTransaction.Client, signed: OwnTransaction.Hex, instead = never) =>
      Effect.promise((signal) => OwnTransaction.takeBack(over, signed, instead, signal)),
  }
})

describe("OwnTransaction.takeBack", () => {
  it.live(
    "replaces the transaction with an empty one, whether it is pending or unknown to the node",
    () =>
      Effect.gen(function* () {
        const { arrived, minedOnceSent, send, sign, takeBack } = yield* make
        for (const isSent of [true, false]) {
          const signed = yield* sign(1n)
          if (isSent) yield* send(signed)
          const instead = keeper()
          assert.strictEqual(yield* takeBack(minedOnceSent(instead), signed, instead), "Emptied")
          const [empty = "0x"] = instead.all
          assert.strictEqual(instead.all.length, 1)
          assert.strictEqual(parseTransaction(OwnTransaction.hex(empty)).data, undefined)
          assert.strictEqual(yield* arrived, 0n)
        }
      }),
  )

  it.live("signs nothing if the transaction, or another one with its nonce, is mined", () =>
    Effect.gen(function* () {
      const { arrived, chain, client, send, sign, takeBack } = yield* make
      const [first, second] = [yield* sign(1n), yield* sign(2n)]
      yield* send(first)
      yield* chain.mine(1)
      assert.strictEqual(yield* takeBack(client, first), "Succeeded")
      yield* chain.mine(untilFinal)
      assert.strictEqual(yield* takeBack(client, second), "Replaced")
      assert.strictEqual(yield* arrived, 1n)
    }),
  )

  it.live("leaves another pending transaction of the wallet with its nonce", () =>
    Effect.gen(function* () {
      const { arrived, chain, counting, send, sign, takeBack } = yield* make
      const [other, signed] = [yield* sign(2n), yield* sign(1n)]
      yield* send(other)
      const mining = counting("pending", chain.mine(1 + untilFinal))
      assert.strictEqual(yield* takeBack(mining, signed), "Replaced")
      assert.strictEqual(yield* arrived, 2n)
    }),
  )

  it.live("leaves that one even if an empty transaction was saved but never sent", () =>
    Effect.gen(function* () {
      const { arrived, chain, counting, died, send, sign, takeBack } = yield* make
      const [other, signed] = [yield* sign(2n), yield* sign(1n)]
      const instead = keeper()
      yield* died(signed, instead)
      yield* send(other)
      const mining = counting("pending", chain.mine(1 + untilFinal))
      assert.strictEqual(yield* takeBack(mining, signed, instead), "Replaced")
      assert.strictEqual(yield* arrived, 2n)
      assert.strictEqual(instead.all.length, 1)
    }),
  )

  it.live("outbids its own pending empty transaction, even if the last bid was never sent", () =>
    Effect.gen(function* () {
      const { client, died, minedOnceSent, send, sign, takeBack } = yield* make
      const signed = yield* sign(1n)
      const instead = keeper()
      yield* died(signed, instead)
      const [low = "0x"] = instead.all
      yield* send(OwnTransaction.hex(low))
      const { maxFeePerGas = 0n, nonce } = parseTransaction(OwnTransaction.hex(low))
      const high = yield* Effect.promise(async () =>
        client.signTransaction(
          await client.prepareTransactionRequest({
            to: client.account.address,
            nonce,
            maxFeePerGas: 2n * maxFeePerGas,
            maxPriorityFeePerGas: 2n * maxFeePerGas,
          }),
        ),
      )
      instead.keep(high)
      assert.strictEqual(yield* takeBack(minedOnceSent(instead), signed, instead), "Emptied")
      assert.strictEqual(instead.all.length, 2)
    }),
  )

  it.live("sends the saved empty transaction again, and bids more only if that is too low", () =>
    Effect.gen(function* () {
      const { chain, died, minedOnceSent, sign, takeBack } = yield* make
      const signed = yield* sign(1n)
      const instead = keeper()
      yield* died(signed, instead)
      yield* died(signed, instead)
      assert.strictEqual(instead.all.length, 1)

      yield* chain.request("anvil_setNextBlockBaseFeePerGas", [dear])
      yield* chain.mine(1)
      assert.strictEqual(yield* takeBack(minedOnceSent(instead), signed, instead), "Emptied")
      const [low, high] = instead.all.map((each) => parseTransaction(OwnTransaction.hex(each)))
      assert.strictEqual(instead.all.length, 2)
      assert.isAbove(Number(high?.maxFeePerGas), Number(low?.maxFeePerGas) * 1.1)
    }),
  )

  it.live("reports that the wallet cannot pay for it", () =>
    Effect.gen(function* () {
      const { chain, client, sign } = yield* make
      const signed = yield* sign(1n)
      yield* chain.request("anvil_setBalance", [wallet.address, "0x0"])
      const why = yield* Effect.flip(
        Effect.tryPromise((signal) => OwnTransaction.takeBack(client, signed, keeper(), signal)),
      )
      assert.match(String(why.cause), /insufficient funds|exceeds the balance/iu)
    }),
  )
})

describe("OwnTransaction.fate", () => {
  it.live("reports nothing as settled that a reorganisation can reverse", () =>
    Effect.gen(function* () {
      const { arrived, chain, counting, send, sign } = yield* make
      const [signed, other] = [yield* sign(1n), yield* sign(2n)]
      yield* send(other)
      yield* chain.mine(1)
      let times = 0
      const reorganised = counting(
        "finalized",
        Effect.gen(function* () {
          times += 1
          if (times !== 2) return
          yield* chain.reorg(1, "forgotten")
          yield* send(signed)
          yield* chain.mine(1 + untilFinal)
        }),
      )
      assert.strictEqual(
        yield* Effect.promise(() => OwnTransaction.fate(reorganised, signed)),
        "Succeeded",
      )
      assert.strictEqual(yield* arrived, 1n)
    }),
  )

  it.live("reports nothing as replaced because a node is behind", () =>
    Effect.gen(function* () {
      const { arrived, chain, lagging, send, sign } = yield* make
      const signed = yield* sign(1n)
      yield* send(signed)
      yield* chain.mine(1 + untilFinal)
      const always = () => true
      const nodes = [
        lagging(always, (times) => times < 10),
        // What one has once found, though without a receipt, nobody has replaced.
        lagging(
          (times) => times % 9 !== 0,
          (times) => times < 30,
        ),
      ]
      for (const node of nodes) {
        assert.strictEqual(
          yield* Effect.promise(() => OwnTransaction.fate(node, signed)),
          "Succeeded",
        )
      }
      assert.strictEqual(yield* arrived, 1n)
    }),
  )

  it.live("reports a reverted transaction once that is final", () =>
    Effect.gen(function* () {
      const { chain, counting, send, sign } = yield* make
      const signed = yield* sign(1n)
      yield* chain.fund(asset.token.address, wallet.address, -holds)
      yield* send(signed)
      yield* chain.mine(1)
      const looksBefore = 20
      let times = 0
      const mining = counting(
        "finalized",
        Effect.suspend(() => {
          times += 1
          return times > looksBefore ? chain.mine(1) : Effect.void
        }),
      )
      assert.strictEqual(
        yield* Effect.promise(() => OwnTransaction.fate(mining, signed)),
        "Reverted",
      )
      assert.isAtLeast(times, looksBefore + untilFinal)
    }),
  )
})
