import { assert } from "@effect/vitest"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Rpc from "../src/node/Rpc.ts"
import * as LogRange from "../src/read/LogRange.ts"
import * as Queries from "../src/read/Queries.ts"
import * as Authorization from "../src/token/Authorization.ts"
import * as Payers from "../test-support/payers.ts"

const { call, on, price, sign, stranger } = Payers

/** The transaction that was found; null if there is none. */
const hashOf = (
  found: Effect.Success<
    ReturnType<typeof Authorization.usedIn> | ReturnType<typeof Authorization.revokedIn>
  >,
): string | null => {
  if (found === null || found === LogRange.noLogs) return null
  return found.transactionHash
}

/** An authorization that was handed in by its option's collecting account. */
const collected = Effect.fnUntraced(function* (
  chain: Payers.Ground,
  symbol: string,
  overrides: Partial<PaymentOption.PaymentOption> = {},
) {
  const { option, payer, signature } = yield* Payers.signed(chain, symbol, overrides)
  const txHash = yield* chain.collect(option, signature)
  return { option, payer, txHash }
})

on(42161)("Authorization.usedIn and revokedIn, of EIP-3009", (it) => {
  for (const symbol of ["USDC", "USDT0", "PYUSD"]) {
    it.effect(`find the transaction that used an authorization of ${symbol}`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { option, txHash } = yield* collected(chain, symbol)
        yield* collected(chain, symbol)
        const used = yield* Authorization.usedIn(chain.link, option)
        assert.strictEqual(hashOf(used), txHash)
        assert.isNull(yield* Authorization.revokedIn(chain.link, option))
      }),
    )

    it.effect(`find the log that revoked an authorization of ${symbol}`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const payer = chain.unused()
        const option = yield* chain.optionFor(symbol, payer.address)
        assert.isNull(yield* Authorization.revokedIn(chain.link, option))
        const data = call.cancel(option, Payers.cancellation(option, payer))
        const txHash = yield* chain.mined(stranger.address, option.token.address, data)
        const revoked = yield* Authorization.revokedIn(chain.link, option)
        assert.strictEqual(hashOf(revoked), txHash)
        assert.isNull(yield* Authorization.usedIn(chain.link, option))
      }),
    )
  }

  it.effect("find a use that moved something else", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const option = yield* chain.optionFor("USDC", payer.address)
      const data = call.transferElsewhere(option, payer, stranger.address)
      const txHash = yield* chain.mined(stranger.address, option.token.address, data)
      const used = yield* Authorization.usedIn(chain.link, option)
      assert.strictEqual(hashOf(used), txHash)
    }),
  )

  it.effect("find nothing for another payer's authorization, or for an unused one", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option } = yield* collected(chain, "USDC")
      const account = chain.unused().account(chain.chainId)
      assert.isNull(yield* Authorization.usedIn(chain.link, { ...option, account }))
      assert.isNull(
        yield* Authorization.usedIn(chain.link, { ...option, issuedAt: option.issuedAt + 1 }),
      )
    }),
  )
})

on(137)("Authorization.usedIn and revokedIn, of Permit2", (it) => {
  it.effect("distinguish several payments of one payer by their nonces", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const optionOf = chain.optionFor("USDT", payer.address)
      const options = [yield* optionOf, yield* optionOf, yield* optionOf]
      yield* chain.approve(options[0] ?? (yield* optionOf), 3n * price)
      const hashes: Array<string> = []
      for (const option of options) hashes.push(yield* chain.collect(option, sign(option, payer)))
      for (const [index, option] of options.entries()) {
        const used = yield* Authorization.usedIn(chain.link, option)
        assert.strictEqual(hashOf(used), hashes[index])
      }
      assert.isNull(yield* Authorization.usedIn(chain.link, yield* optionOf))
    }),
  )

  it.effect("find no ordinary transfer of the same amount", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const option = yield* chain.optionFor("USDT", payer.address)
      const data = call.transfer(option.payTo, price)
      yield* chain.mined(payer.address, option.token.address, data)
      assert.isNull(yield* Authorization.usedIn(chain.link, option))
    }),
  )

  it.effect("find the log that revoked a nonce, among other logs of the same payer", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const option = yield* chain.optionFor("USDT", payer.address)
      const revoke = (words: bigint, bits: bigint) =>
        chain.mined(payer.address, Eip155.permit2Address, call.invalidate(option, words, bits))
      yield* revoke(0n, 1n)
      yield* revoke(1n, 0n)
      assert.isNull(yield* Authorization.revokedIn(chain.link, option))
      const txHash = yield* revoke(0n, 0n)
      yield* revoke(0n, 1n)
      yield* revoke(1n, 0n)
      const revoked = yield* Authorization.revokedIn(chain.link, option)
      assert.strictEqual(hashOf(revoked), txHash)
    }),
  )

  it.effect("ignore transactions that call another contract, and logs without a transaction", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, txHash } = yield* collected(chain, "USDT")
      const { hash, from, input } = (yield* chain.link.rpc.ask(Queries.transaction(txHash))) ?? {}
      const instead = (transaction: unknown) =>
        Authorization.usedIn(
          chain.linkAnswering(({ method }) =>
            method === "eth_getTransactionByHash" ? transaction : undefined,
          ),
          option,
        )
      const same = { hash, from, input, nonce: "0x0", to: Eip155.permit2Address }
      assert.strictEqual(hashOf(yield* instead(same)), txHash)
      assert.isNull(yield* instead({ ...same, to: stranger.address }))
      assert.isNull(yield* instead({ ...same, input: call.invalidate(option) }))
      assert.strictEqual((yield* Effect.flip(instead(null)))._tag, "ChainUnavailable")
    }),
  )

  it.effect("find the use of a permit that was revoked later", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, payer, txHash } = yield* collected(chain, "USDT")
      yield* chain.mined(payer.address, Eip155.permit2Address, call.invalidate(option))
      const used = yield* Authorization.usedIn(chain.link, option)
      assert.strictEqual(hashOf(used), txHash)
    }),
  )
})

on(8453)("Authorization.usedIn, over many blocks", (it) => {
  const Filter = Schema.Struct({ fromBlock: Schema.String, toBlock: Schema.String })
  const readFilter = Schema.decodeUnknownSync(Filter)
  const rangeOf = ({ params }: Payers.Asked) => {
    const { fromBlock, toBlock } = readFilter(params[0])
    return { from: Number(fromBlock), to: Number(toBlock) }
  }
  const hexOf = (value: number): string => `0x${value.toString(16)}`
  const newest = 7_000
  const usedAt = 2_500

  it.effect(
    "searches back in ranges that providers accept, and no further than the option's issue",
    () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { option, txHash } = yield* collected(chain, "USDC", { issuedAt: 1 })
        const receipt = yield* chain.link.rpc.ask(Queries.receipt(txHash))
        const log = receipt?.logs.find(({ topics }) => topics.length === 3)
        assert.isDefined(log)
        /** A chain with a block each second, in one of which the authorization was used. */
        const link = chain.linkAnswering((asked) => {
          if (asked.method === "eth_getLogs") {
            const { from, to } = rangeOf(asked)
            const found = { ...log, logIndex: "0x0", blockNumber: hexOf(usedAt) }
            return from <= usedAt && usedAt <= to ? [found] : []
          }
          if (asked.method !== "eth_getBlockByNumber") return undefined
          const number = asked.params[0] === "latest" ? newest : Number(asked.params[0])
          return { number: hexOf(number), hash: txHash, timestamp: hexOf(number) }
        })
        const ranges = Effect.fnUntraced(function* (sought: PaymentOption.PaymentOption) {
          const { asked, result } = yield* chain.watch(Authorization.usedIn(link, sought))
          const used = yield* Effect.fromResult(result)
          return {
            used: hashOf(used),
            ranges: asked.filter(({ method }) => method === "eth_getLogs").map(rangeOf),
          }
        })
        const account = chain.unused().account(chain.chainId)
        const all = [
          { from: 5_001, to: 7_000 },
          { from: 3_001, to: 5_000 },
          { from: 1_001, to: 3_000 },
          { from: 0, to: 1_000 },
        ]
        assert.deepStrictEqual(yield* ranges(option), { used: txHash, ranges: all.slice(0, 3) })
        const unused = { ...option, account }
        for (const [notBefore, count] of [
          [6_999, 1],
          [5_002, 1],
          [5_001, 2],
          [3_002, 2],
          [1_001, 4],
          [0, 4],
        ] as const) {
          const issuedAt = notBefore + Limits.chainClockBehindMaxInS
          assert.deepStrictEqual(yield* ranges({ ...unused, issuedAt }), {
            used: null,
            ranges: all.slice(0, count),
          })
        }
      }),
  )

  const refusals = {
    "HTTP words": Payers.refusing("query exceeds max block range"),
    "a plan's words": Payers.refusing("under the Free tier plan, up to a 10 block range is taken"),
    "a code for asking too much": new Rpc.NodeRefused({
      method: "eth_getLogs",
      code: -32005,
      message: "query returned more than 10000 results",
      data: null,
    }),
  }
  for (const [how, refusal] of Object.entries(refusals)) {
    for (const widest of [500, 10, 1]) {
      it.effect(`S19: searches ${widest} blocks at a time if a node refuses more by ${how}`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { option, txHash } = yield* collected(chain, "USDC")
          const payer = chain.unused()
          const revokedOption = yield* chain.optionFor("USDC", payer.address)
          const data = call.cancel(revokedOption, Payers.cancellation(revokedOption, payer))
          const cancelled = yield* chain.mined(stranger.address, option.token.address, data)
          yield* chain.local.mine(widest + 40)
          const link = chain.linkAnswering((asked) => {
            if (asked.method !== "eth_getLogs") return undefined
            const { from, to } = rangeOf(asked)
            return to - from >= widest ? refusal : undefined
          })
          const wide = Effect.fnUntraced(function* () {
            const { asked } = yield* chain.watch(Authorization.usedIn(link, option))
            return asked.filter((each) => {
              if (each.method !== "eth_getLogs") return false
              const { from, to } = rangeOf(each)
              return to - from >= widest
            }).length
          })
          assert.isAbove(yield* wide(), 0)
          assert.strictEqual(yield* wide(), 0)
          assert.strictEqual(hashOf(yield* Authorization.usedIn(link, option)), txHash)
          const revoked = yield* Authorization.revokedIn(link, revokedOption)
          assert.strictEqual(hashOf(revoked), cancelled)
        }),
      )
    }
  }

  it.effect("S19: reports missing logs if no node has them, after it asked the next one", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, txHash } = yield* collected(chain, "USDC")
      for (const refusal of [
        Payers.refusing("the method eth_getLogs is disabled"),
        new Rpc.NodeRefused({ method: "eth_getLogs", code: -32601, message: "no", data: null }),
      ]) {
        const link = chain.linkAnswering(({ method }) =>
          method === "eth_getLogs" ? refusal : undefined,
        )
        assert.strictEqual(yield* Authorization.usedIn(link, option), LogRange.noLogs)
        assert.strictEqual(yield* Authorization.revokedIn(link, option), LogRange.noLogs)
        const nodes = [...link.rpc.nodes, ...chain.link.rpc.nodes]
        const both = { ...link, rpc: { ...link.rpc, nodes } }
        assert.strictEqual(hashOf(yield* Authorization.usedIn(both, option)), txHash)
      }
    }),
  )

  it.effect(
    "sends four requests for a recent use: newest block, logs, their oldest block, receipt",
    () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { option } = yield* collected(chain, "USDC")
        const { requests } = yield* chain.watch(Authorization.usedIn(chain.link, option))
        assert.strictEqual(requests, 4)
      }),
  )

  it.effect("ignores a node that contradicts itself", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option } = yield* collected(chain, "USDC")
      for (const method of ["eth_getBlockByNumber", "eth_getTransactionReceipt"]) {
        const link = chain.linkAnswering((asked) =>
          asked.method === method && asked.params[0] !== "latest" ? null : undefined,
        )
        const error = yield* Effect.flip(Authorization.usedIn(link, option))
        assert.strictEqual(error._tag, "ChainUnavailable")
      }
    }),
  )
})
