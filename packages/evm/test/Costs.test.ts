/** The requests that are sent to chains for the options of a payer who has just connected. */
import { assert, describe, it } from "@effect/vitest"
import { makeWallet } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { RateSource } from "@florin/core/ports/RateSource"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer } from "effect"
import * as Proxy from "../test-support/proxy.ts"
import * as Service from "../test-support/service.ts"

const chainIds = [8453, 56, 1].map(Eip155.chainId)
const payer = Wallet.make(4_100_001)
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

/** One coin of any chain costs 2,000 units of any currency. */
const rates = Layer.effect(
  RateSource,
  Effect.map(RateSource, (pegs) => ({
    ...pegs,
    coinRate: (currency) =>
      Effect.succeed({ currency, numerator: 1n, denominator: 2_000n, observedAt: 0 }),
  })),
).pipe(Layer.provide(RateSource.layerPegs))

/** A service whose requests to each chain are counted. */
const start = Effect.gen(function* () {
  const proxies: Array<Proxy.Proxy> = []
  const service = yield* Service.make({
    chainIds,
    florin: { rates },
    urlOf: (local) =>
      Effect.map(Proxy.make(local), (proxy) => {
        proxies.push(proxy)
        return proxy.url
      }),
  })
  const total = () => proxies.reduce((sum, { requests }) => sum + requests(), 0)
  const wallet = makeWallet({ ...service.call, apiKey: service.walletKey })
  const accounts = chainIds.map((chainId) => Eip155.formatAccount(payer.account(chainId)))
  const options = Effect.fnUntraced(function* (includeCosts: boolean) {
    const { paymentId } = yield* Effect.promise(() =>
      service.client.payments.create({
        referenceId: `costs ${includeCosts}`,
        merchantId: service.merchantId,
        amount: { unit: "iso4217/USD", value: "500" },
      }),
    )
    const before = total()
    const { options: offered } = yield* Effect.promise(() =>
      wallet.options(paymentId, { accounts }, { includeCosts }),
    )
    return { offered: offered ?? [], requests: total() - before }
  })
  /** The least that several calls ask for: what the service does behind them may ask at the same time. */
  const least = Effect.fnUntraced(function* (includeCosts: boolean) {
    const calls = yield* Effect.forEach([1, 2, 3, 4], () => options(includeCosts))
    return Math.min(...calls.map(({ requests }) => requests))
  })
  return { service, least, options }
})

describe("the options of a payer who has just connected", () => {
  it.live(
    "need one request to each chain, with and without their costs",
    () =>
      Effect.gen(function* () {
        const { least, options, service } = yield* start
        for (const { asset } of yield* service.onChain((chain) => chain.offered)) {
          const { address, chainId } = asset.token
          yield* service.local(chainId).fund(address, payer.address, 10n ** 21n)
        }
        assert.deepStrictEqual([yield* least(false), yield* least(true)], [3, 3])
        const { offered } = yield* options(true)
        const fees = new Map(
          offered.map(({ actions, networkFee }) => [actions[0]?.type, Number(networkFee?.value)]),
        )
        assert.isAbove(offered.length, 5)
        assert.isTrue(offered.every(({ balance }) => balance === `${10n ** 21n}`))
        // A signature is free; an approval to be built and a transfer cost gas.
        assert.isAbove(fees.get("build") ?? 0, 0)
        const free = offered.filter(({ networkFee }) => networkFee?.value === "0")
        assert.isTrue(free.length > 0 && free.length < offered.length)
        for (const { networkFee } of offered) assert.strictEqual(networkFee?.unit, "iso4217/USD")
      }).pipe(Effect.scoped),
    timeout,
  )
})
