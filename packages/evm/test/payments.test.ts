import { assert, layer } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Timing from "../src/read/Timing.ts"
import * as Send from "../test-support/send.ts"
import * as Service from "../test-support/service.ts"
import * as Signers from "../test-support/signers.ts"
import { comes, until } from "../test-support/until.ts"

/** A service with its workers. */
const running = Effect.fnUntraced(function* (options: Service.Options) {
  const service = yield* Service.make({
    everyInMs: 100,
    florin: { worker: { idleInMs: 50 } },
    ...options,
  })
  yield* Effect.promise(() => service.florin.workers.start())
  return service
})

class World extends Context.Service<World, Service.Service>()("@florin/evm/test/payments/World") {
  static readonly layer = (options: Service.Options) => Layer.effect(World, running(options))
}

const ethereum = Eip155.chainId(1)
const permitChains = [137, 42161].map((number) => Eip155.chainId(number))

const everywhere = World.layer({
  chainIds: [...new Set(BuiltIn.catalog.assets.map(({ token }) => token.chainId))],
})
const eitherWay = World.layer({ chainIds: [ethereum], flow: () => ["transfer", "permit2"] })
const byPermit = World.layer({
  chainIds: permitChains,
  flow: ({ flow, symbol }) => (symbol.startsWith("USDT") ? ["permit", flow] : "permit"),
})
const withoutPermits = World.layer({ chainIds: [ethereum], flow: () => "transfer" })

const readSender = Schema.decodeUnknownSync(Schema.Struct({ from: Schema.String }))

const treasury = Wallet.make(2_200_000)
const signers = [Signers.viem, Signers.ethers, Signers.metaMask]

/** 12.34 of a token. */
const priceOf = ({ decimals }: Asset.Asset): bigint => 1234n * 10n ** BigInt(decimals - 2)

/** Pays a new payment of so much of a token, which must succeed; returns its id and its outcome. */
const payIn = Effect.fnUntraced(function* (
  { client, merchantId, pay }: Service.Service,
  token: Caip.Token,
  value: bigint,
  payer: Service.Signer,
) {
  const { gatewayUrl, paymentId } = yield* Effect.promise(() =>
    client.payments.create({
      merchantId,
      referenceId: payer.address,
      amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: value.toString() },
    }),
  )
  const paid = yield* Effect.promise(() => pay(gatewayUrl, payer))
  if (paid._tag !== "Succeeded") return assert.fail(JSON.stringify(paid))
  return { paid, paymentId }
})

layer(everywhere, { excludeTestServices: true, timeout: 240_000 })(
  "a service on all chains",
  (it) => {
    const assets = Counts.some([...BuiltIn.catalog.assets.entries()], 8)
    for (const [index, asset] of assets) {
      const { token } = asset

      it.effect(
        `collects, settles and refunds ${asset.symbol} on chain ${token.chainId}, to the last unit`,
        () =>
          Effect.gen(function* () {
            const service = yield* World
            const { client, held, local, merchantId, netOf } = service
            const chain = local(token.chainId)
            const payer = (signers[index % signers.length] ?? Signers.viem)(2_100_000 + index)
            const payerAddress = Caip.Address.make(payer.address.toLowerCase())
            const price = priceOf(asset)
            const before = yield* held(token, treasury.address)
            yield* chain.fund(token.address, payerAddress, price)
            const destination = { chainId: token.chainId, address: treasury.address }
            yield* Effect.promise(() =>
              client.settlements.create(merchantId, {
                settlements: [
                  {
                    asset: Eip155.formatToken(token),
                    destination: Eip155.formatAccount(destination),
                  },
                ],
              }),
            )

            const { paymentId } = yield* payIn(service, token, price, payer)
            assert.strictEqual(yield* held(token, payerAddress), 0n)

            const details = () => client.payments.get(paymentId, { merchantId })
            yield* until("the settlement", async () => (await details()).settlement)
            assert.strictEqual((yield* held(token, treasury.address)) - before, netOf(price))

            // The merchant has the money: what the payer gets back comes from the operator's float.
            const payTo = service.payTo(paymentId)
            yield* chain.fund(token.address, payTo, price)
            yield* Effect.promise(() =>
              service.florin.operator.float.put({
                mode: "live",
                key: `float-${index}`,
                account: Eip155.formatAccount({ chainId: token.chainId, address: payTo }),
                amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: String(price) },
              }),
            )
            const refund = yield* Effect.promise(() => client.refunds.create({ paymentId }))
            yield* until("the refund", async () => {
              const { status } = await client.refunds.get(refund.refundId)
              return status === "succeeded" ? status : null
            })
            assert.strictEqual(yield* held(token, payerAddress), price)
          }),
        // Each waits for blocks most of the time.
        { concurrent: true },
      )
    }

    it.effect("has a ledger that equals the balances on the chains", () =>
      Effect.gen(function* () {
        const { reconciled } = yield* World
        const { differences, lines, unsound } = yield* reconciled
        assert.deepStrictEqual(differences, [])
        assert.deepStrictEqual(unsound, [])
        assert.isAtLeast(lines.length, assets.length)
      }),
    )
  },
)

layer(withoutPermits, { excludeTestServices: true, timeout: 240_000 })(
  "a service without permits",
  (it) => {
    it.effect(
      "shows the expected duration of payments, and the measured one once there are enough samples",
      () =>
        Effect.gen(function* () {
          const service = yield* World
          const { local, onChain } = service
          // One that no other test here pays in.
          const { token } =
            Catalog.assetsOf(BuiltIn.catalog, ethereum)[signers.length] ?? assert.fail()
          const table = BuiltIn.catalog.network(token.chainId)?.etaInS ?? assert.fail("no network")
          const told = Effect.map(
            onChain(({ offered }) => offered),
            (each) => [...new Set(each.map(({ etaInS }) => etaInS))],
          )
          const payOnce = Effect.fnUntraced(function* (index: number) {
            const payer = Signers.viem(2_500_000 + index)
            yield* local(ethereum).fund(
              token.address,
              Caip.Address.make(payer.address.toLowerCase()),
              1n,
            )
            yield* payIn(service, token, 1n, payer)
          })
          const payers = Array.from({ length: Timing.samplesMin }, (_, index) => index)
          const all = { concurrency: "unbounded", discard: true } as const

          const startedAt = yield* Clock.currentTimeMillis
          yield* Effect.forEach(payers.slice(1), payOnce, all)
          assert.deepStrictEqual(yield* told, [table])
          yield* Effect.forEach(payers.slice(0, 1), payOnce, all)
          const tookInMs = (yield* Clock.currentTimeMillis) - startedAt
          const [etaInS = assert.fail("nothing is offered"), ...others] = yield* told
          assert.deepStrictEqual(others, [])
          // None of them took longer than all of them.
          assert.isAtMost(etaInS, Math.ceil(tookInMs / 1000))
          assert.notStrictEqual(etaInS, table)
        }),
    )

    for (const [index, signer] of signers.entries()) {
      it.effect(
        `accepts a transfer that the wallet sends itself, signed by software ${index}`,
        () =>
          Effect.gen(function* () {
            const service = yield* World
            const { held, local } = service
            const asset = Catalog.assetsOf(BuiltIn.catalog, ethereum)[index]
            if (asset === undefined) return assert.fail("there is no such asset")
            const { token } = asset
            const payer = signer(2_400_000 + index)
            const address = Caip.Address.make(payer.address.toLowerCase())
            const price = priceOf(asset)
            yield* local(ethereum).fund(token.address, address, price)
            const { paymentId } = yield* payIn(service, token, price, payer)
            assert.strictEqual(yield* held(token, address), 0n)
            assert.strictEqual(yield* held(token, service.payTo(paymentId)), price)
            const { differences, unsound } = yield* service.reconciled
            assert.deepStrictEqual([...differences, ...unsound], [])
          }),
      )
    }
  },
)

layer(eitherWay, { excludeTestServices: true, timeout: 240_000 })(
  "a service with two flows for a token",
  (it) => {
    it.effect("offers the payer's own transfer, and Permit2 if it is approved already", () =>
      Effect.gen(function* () {
        const service = yield* World
        const { held, local } = service
        const asset = Catalog.assetsOf(BuiltIn.catalog, ethereum).find(
          ({ symbol }) => symbol === "USDT",
        )
        if (asset === undefined) return assert.fail("there is no such asset")
        const { token } = asset
        const price = priceOf(asset)
        for (const isApproved of [false, true]) {
          const payer = Signers.viem(2_500_000 + Number(isApproved))
          const address = Caip.Address.make(payer.address.toLowerCase())
          yield* local(ethereum).fund(token.address, address, price)
          if (isApproved) {
            const data = Actions.approveData(
              Eip155.permit2Address,
              Money.Quantity.make(Limits.maxQuantity),
            )
            yield* Send.from(local(ethereum), payer, { to: token.address, data })
            const account = { chainId: token.chainId, address }
            yield* comes(
              "the approval",
              Effect.map(
                service.onChain((chain) =>
                  Effect.flatMap(chain.offered, (offered) =>
                    chain.holdings([{ account, accountText: "text" }], offered),
                  ),
                ),
                (holdings) =>
                  holdings.find(
                    (each) => Caip.sameToken(each.token, token) && each.allowance > 0n,
                  ) ?? null,
              ),
            )
          }
          const { paid, paymentId } = yield* payIn(service, token, price, payer)
          assert.strictEqual(yield* held(token, address), 0n)
          const hash = paid.paid?.txId
          const { from } = readSender(
            yield* local(ethereum).request("eth_getTransactionByHash", [hash]),
          )
          const payTo = service.payTo(paymentId)
          assert.strictEqual(from, isApproved ? payTo : address)
        }
      }),
    )
  },
)

layer(byPermit, { excludeTestServices: true, timeout: 240_000 })("a service with permits", (it) => {
  const taken = BuiltIn.catalog.assets.filter(({ token }) => permitChains.includes(token.chainId))
  for (const [index, asset] of Counts.some([...taken.entries()], 2)) {
    const { symbol, token } = asset
    it.effect(`collects ${symbol} on ${token.chainId} twice from a payer without gas`, () =>
      Effect.gen(function* () {
        const service = yield* World
        const { held, local } = service
        const payer = (signers[index % signers.length] ?? Signers.viem)(2_600_000 + index)
        const address = Caip.Address.make(payer.address.toLowerCase())
        const price = priceOf(asset)
        for (const _ of [1, 2]) {
          yield* local(token.chainId).fund(token.address, address, price)
          yield* payIn(service, token, price, payer)
          assert.strictEqual(yield* held(token, address), 0n)
          const coins = yield* local(token.chainId).request("eth_getBalance", [address, "latest"])
          assert.strictEqual(coins, "0x0")
        }
        const { differences, unsound } = yield* service.reconciled
        assert.deepStrictEqual(unsound, [])
        assert.isEmpty(differences.filter((each) => Caip.sameToken(each.token, token)))
      }),
    )
  }
})
