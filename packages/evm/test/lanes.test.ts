import { assert, describe, it as test, layer } from "@effect/vitest"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Spending from "@florin/core/domain/outflow/Spending"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin } from "@florin/server/Florin"
import * as Counts from "@florin/testing/Counts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { privateKeyToAccount } from "viem/accounts"
import { parseTransaction } from "viem/utils"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Queries from "../src/Queries.ts"
import { hex } from "../src/Queries.ts"
import * as ByHand from "../test-support/byHand.ts"
import * as Service from "../test-support/service.ts"
import * as Shop from "../test-support/shop.ts"

const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const gwei = 10n ** 9n
const hourInMs = 60 * 60 * 1000
/** How long one of our transactions waits before more is bid for it. */
const outbidAfterInMs = 20_000

const maxFeePerGas = 40n * gwei

class World extends Context.Service<World, Shop.Shop>()("@florin/evm/test/lanes/World") {
  static readonly layer = Layer.effect(World, Shop.make({ evm: () => ({ maxFeePerGas }) }))
}

/** The next block asks this for gas, and so do those after it, a little less each. */
const baseFee = (shop: Shop.Shop, fee: bigint) =>
  shop.local
    .request("anvil_setNextBlockBaseFeePerGas", [`0x${fee.toString(16)}`])
    .pipe(Effect.andThen(shop.local.mine(1)), Effect.orDie)

const feesOf = ({ raw }: Lane.Transaction) => {
  const { maxFeePerGas: most = 0n, maxPriorityFeePerGas: tip = 0n } = parseTransaction(hex(raw))
  return { most, tip }
}

/** What collects a payment, as it is stored. */
const relayedOf = Effect.fnUntraced(function* (shop: Shop.Shop, { id }: Shop.Order) {
  const { state } = yield* shop.stored(id)
  return state._tag === "Processing" && state.slot !== null
    ? yield* shop.transactionAt(state.slot)
    : null
})

/** A payment that was sent, and that no block takes, as gas became ten times as expensive. */
const stuck = Effect.fnUntraced(function* (shop: Shop.Shop, hand: ByHand.ByHand) {
  yield* baseFee(shop, gwei)
  const made = yield* shop.confirmed("eip3009")
  yield* hand.round
  const first = yield* relayedOf(shop, made)
  assert.isNotNull(first)
  yield* baseFee(shop, 10n * gwei)
  assert.isNull(yield* shop.ask(Queries.receipt(first.hash)))
  return { made, first }
})

layer(World.layer, { excludeTestServices: true, timeout })("a transaction that is stuck", (it) => {
  it.effect("M14: is replaced with a bid that is at least a tenth higher, and mined", () =>
    Effect.gen(function* () {
      const shop = yield* World
      const hand = ByHand.make(shop.florin)
      const { first, made } = yield* stuck(shop, hand)
      yield* hand.round
      assert.strictEqual((yield* relayedOf(shop, made))?.hash, first.hash, "not at once")
      yield* hand.pass(outbidAfterInMs)
      yield* hand.round
      const next = yield* relayedOf(shop, made)
      assert.isNotNull(next)
      assert.deepStrictEqual(Lane.hashes(next), [next.hash, first.hash])
      assert.strictEqual(next.nonce, first.nonce)
      const [before, after] = [feesOf(first), feesOf(next)]
      assert.isTrue(after.most * 10n >= before.most * 11n && after.tip * 10n >= before.tip * 11n)
      assert.isTrue(after.most <= maxFeePerGas)
      yield* shop.finish(hand, [made])
      const { state } = yield* shop.stored(made.id)
      assert.strictEqual(state._tag === "Succeeded" ? state.transfer.txHash : null, next.hash)
      yield* shop.agreed([made])
    }),
  )

  it.effect("M14: pays if an older version of it is mined", () =>
    Effect.gen(function* () {
      const shop = yield* World
      const hand = ByHand.make(shop.florin)
      const { first, made } = yield* stuck(shop, hand)
      yield* hand.pass(outbidAfterInMs)
      yield* hand.round
      const next = yield* relayedOf(shop, made)
      assert.notStrictEqual(next?.hash, first.hash)
      yield* shop.local.request("anvil_dropAllTransactions")
      yield* shop.local.request("anvil_setNextBlockBaseFeePerGas", ["0x1"])
      yield* shop.local.request("eth_sendRawTransaction", [first.raw])
      yield* shop.local.mine(1)
      yield* shop.finish(hand, [made])
      const { state } = yield* shop.stored(made.id)
      assert.strictEqual(state._tag === "Succeeded" ? state.transfer.txHash : null, first.hash)
      yield* shop.agreed([made])
    }),
  )

  it.effect("M14: is never bid higher than the operator allows, and waits", () =>
    Effect.gen(function* () {
      const shop = yield* World
      const hand = ByHand.make(shop.florin)
      const { made } = yield* stuck(shop, hand)
      for (let round = 0; round < 20; round++) {
        yield* baseFee(shop, 2n * maxFeePerGas)
        yield* hand.pass(outbidAfterInMs)
        yield* hand.round
        const relayed = yield* relayedOf(shop, made)
        assert.isNotNull(relayed)
        assert.isTrue(feesOf(relayed).most <= maxFeePerGas)
      }
      yield* baseFee(shop, gwei)
      yield* shop.finish(hand, [made])
      assert.strictEqual(yield* shop.statusOf(made.id), "succeeded")
      yield* shop.agreed([made])
    }),
  )

  it.effect("is not sent at all while gas costs more than the operator allows", () =>
    Effect.gen(function* () {
      const shop = yield* World
      const hand = ByHand.make(shop.florin)
      const made = yield* shop.confirmed("eip3009")
      for (let round = 0; round < 5; round++) {
        yield* baseFee(shop, 2n * maxFeePerGas)
        yield* hand.round
      }
      assert.isNull(yield* relayedOf(shop, made))
      assert.strictEqual(yield* shop.statusOf(made.id), "processing")
      yield* baseFee(shop, gwei)
      yield* shop.finish(hand, [made])
      assert.strictEqual(yield* shop.statusOf(made.id), "succeeded")
      yield* shop.agreed([made])
      yield* shop.contiguous
    }),
  )
})

/** What one transaction may cost here is less, and two cost more. */
const spendPerHour = 300_000n * 4n * gwei

class Frugal extends Context.Service<Frugal, Shop.Shop>()("@florin/evm/test/lanes/Frugal") {
  static readonly layer = Layer.effect(
    Frugal,
    Shop.make({
      evm: () => ({
        spendPerHour,
        accounts: Service.collecting
          .slice(0, 1)
          .map(({ privateKey }) => privateKeyToAccount(hex(privateKey))),
      }),
    }),
  )
}

layer(Frugal.layer, { excludeTestServices: true, timeout })("the gas budget of an hour", (it) => {
  it.effect("is not exceeded, and sending resumes in the next hour", () =>
    Effect.gen(function* () {
      const shop = yield* Frugal
      const hand = ByHand.make(shop.florin)
      const [account] = Service.collecting
      assert.isDefined(account)
      const made = [yield* shop.confirmed("eip3009"), yield* shop.confirmed("eip3009")]
      for (let hour = 0; hour < 4; hour++) {
        for (let round = 0; round < 3; round++) {
          yield* baseFee(shop, 2n * gwei)
          yield* hand.round
        }
        yield* hand.pass(hourInMs)
      }
      const spent = new Map<number, bigint>()
      for (const { feeMax = 0n, signedAt } of yield* shop.committed(account.address)) {
        const hour = Spending.hourOf(signedAt)
        spent.set(hour, (spent.get(hour) ?? 0n) + feeMax)
      }
      assert.isAtLeast(spent.size, 2, "it took several hours")
      for (const quantity of spent.values()) assert.isTrue(quantity <= spendPerHour)
      yield* shop.finish(hand, made)
    }),
  )
})

const processes = 3
const payments = Counts.of({ usual: 30, full: 1000 })
const atOnce = 16

describe("one key in several services", () => {
  test.live(
    `uses every nonce once, without gaps: ${payments} payments by ${processes} services`,
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const url = Redacted.make(yield* Databases.address("migrated"))
          const florin = () => {
            const database = Postgres.layer({ url })
            return {
              storage: database,
              signals: database,
              sealKey: Service.sealKey,
              vault: Service.vault,
              worker: { idleInMs: 50, batch: 4 },
            }
          }
          const shop = yield* Shop.make({ everyInMs: 100, florin: florin() })
          const { finality, flowOf: flow } = Shop
          const others = Array.from({ length: processes - 1 }, () =>
            createFlorin({
              payLinkHost: Service.payLinkHost,
              pages: false,
              chains: Service.chainsOf(shop.chains, { finality, flow }),
              payouts: { live: PayoutPolicy.immediate },
              ...florin(),
            }),
          )
          yield* Effect.addFinalizer(() =>
            Effect.promise(() => Promise.all(others.map((each) => each.dispose()))),
          )
          yield* Effect.promise(() =>
            Promise.all([shop.florin, ...others].map((each) => each.workers.start())),
          )
          const made = yield* Effect.forEach(
            Array.from({ length: payments }),
            () => shop.confirmed("eip3009"),
            { concurrency: atOnce },
          )
          for (const { paid } of made) {
            assert.strictEqual((yield* Effect.promise(() => paid))._tag, "Succeeded")
          }
          yield* shop.over(made)
          yield* shop.agreed(made)
          yield* shop.contiguous
          const lanes = yield* Effect.forEach(Service.collecting, ({ address }) =>
            shop.committed(address),
          )
          // One to collect each, and fewer to pay out: what waits for one destination goes out together.
          const sent = lanes.flat().length
          assert.isAbove(sent, payments)
          assert.isAtMost(sent, 2 * payments)
        }),
      ),
    timeout,
  )
})
