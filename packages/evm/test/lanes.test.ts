import { assert, layer } from "@effect/vitest"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Counts from "@florin/testing/Counts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { parseTransaction } from "viem/utils"
import * as Queries from "../src/read/Queries.ts"
import { hex } from "../src/read/Queries.ts"
import * as ByHand from "../test-support/byHand.ts"
import * as Shop from "../test-support/shop.ts"

const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const gwei = 10n ** 9n
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
