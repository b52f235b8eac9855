import { assert, layer } from "@effect/vitest"
import { makeWallet } from "@florin/client"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queries from "../src/read/Queries.ts"
import * as Accounts from "../test-support/accounts.ts"
import * as ByHand from "../test-support/byHand.ts"
import * as Payers from "../test-support/payers.ts"
import * as Shop from "../test-support/shop.ts"

class World extends Context.Service<World, Shop.Shop>()("@florin/evm/test/late/World") {
  static readonly layer = Layer.effect(World, Shop.make())
}

/** `owner()` */
const owner = "0x8da5cb5b"

/** In hundredths of a percent, and the most of it. */
const fee = { rate: 10n, maximum: 1_000_000n }
const kept = (Shop.price * fee.rate) / 10_000n

/** What the payer's wallet confirms a payment with, whatever transaction it names. */
const confirming = Effect.fnUntraced(function* (
  { payer, signer }: Pick<Shop.Order, "payer" | "signer">,
  { id }: Shop.Order,
) {
  const shop = yield* World
  const wallet = makeWallet({ ...shop.call, apiKey: shop.walletKey })
  const accounts = [`${Shop.chainId}:${payer.address}`]
  const { options } = yield* Effect.promise(() => wallet.options(id, { accounts }))
  const [option] = options ?? []
  assert.isDefined(option)
  const statement = option.actions.flatMap((action) =>
    action.type === "walletRpc" && action.data.method === "personal_sign"
      ? action.data.params.slice(0, 1)
      : [],
  )
  const signature = yield* Effect.promise(() => signer.signMessage(String(statement[0])))
  return (txHash: string) => {
    const results = [txHash, signature].map((output) => ({
      type: "walletRpc" as const,
      data: [output],
    }))
    return Effect.tryPromise(() => wallet.confirm(id, { optionId: option.id, results }))
  }
})

/** The payer's transfer is on the chain before the wallet confirms it; what is called off meanwhile is refused. */
const payTooLate = Effect.fnUntraced(function* (made: Shop.Order, end: Effect.Effect<unknown>) {
  const shop = yield* World
  const confirm = yield* confirming(made, made)
  const txHash = yield* shop.sendAs(
    made.payer,
    made.token.address,
    Payers.call.transfer(shop.payTo(made.id), Payers.price),
  )
  yield* shop.local.mine(1)
  yield* end
  yield* Effect.flip(confirm(txHash))
  return txHash
})

/** The operator sees what the money was for, and returns it. */
const giveBack = Effect.fnUntraced(function* (made: Shop.Order, txHash: string, quantity: bigint) {
  const shop = yield* World
  const { florin, held, local } = shop
  const hand = ByHand.make(florin)
  const isSuspended = Effect.map(shop.inflowsOf(made.id), (inflows) =>
    inflows.some(({ state, transfer }) => state._tag === "Suspended" && transfer.txHash === txHash),
  )
  for (let round = 0; round <= 2 * Shop.finality && !(yield* isSuspended); round++) {
    yield* hand.round
    yield* local.mine(1)
  }
  assert.isTrue(yield* isSuspended)
  const listed = yield* Effect.promise(() => florin.operator.inflows.list({ mode: "live" }))
  const found = listed.inflows.find(({ paymentId }) => paymentId === made.id)
  yield* shop.balanced

  const before = yield* held(made.token, made.payer.address)
  const { id: inflowId } = found ?? assert.fail("it is not listed")
  const returning = yield* Effect.promise(() => florin.operator.inflows.return({ inflowId }))
  for (let round = 0; round <= 2 * Shop.finality; round++) {
    yield* hand.round
    yield* local.mine(1)
  }
  assert.strictEqual(
    (yield* shop.outflowOf(OutflowId.OutflowId.make(returning.id))).state._tag,
    "Paid",
  )
  assert.strictEqual((yield* held(made.token, made.payer.address)) - before, quantity)
  yield* shop.balanced
})

layer(World.layer, { excludeTestServices: true })("late money", (it) => {
  it.effect(
    "S17: in a contract's batch pays the payments that it was sent for, and the rest is held",
    () =>
      Effect.gen(function* () {
        const shop = yield* World
        const { florin, local } = shop
        const hand = ByHand.make(florin)
        // Of four, at least two have the same collecting account, so that their transfers are equal.
        const orders = yield* Effect.forEach([1, 2, 3, 4], () => shop.order("transfer"))
        const [late, ...paid] = orders
        assert.isDefined(late)
        const { payer, token } = late
        yield* local.fund(token.address, payer.address, Shop.price * 5n)
        yield* local.setCode(payer.address, Accounts.batching.code)
        const confirms = yield* Effect.forEach(orders, (made) => confirming(late, made))
        yield* Effect.promise(() => shop.client.payments.cancel(late.id))
        const calls = orders.map(({ id }) => ({
          to: token.address,
          data: Payers.call.transfer(shop.payTo(id), Payers.price),
        }))
        const before = yield* shop.held(token, payer.address)
        const data = Accounts.batching.data(calls)
        const txHash = yield* shop.sendAs(Payers.stranger, payer.address, data)
        const [report, ...others] = confirms.map((confirm) => confirm(txHash))
        assert.isDefined(report)
        yield* Effect.flip(report)
        for (const confirm of others) yield* confirm
        yield* local.mine(1)
        assert.strictEqual(before - (yield* shop.held(token, payer.address)), 4n * Shop.price)
        assert.isTrue(yield* shop.follow(hand, orders))
        const transfers = yield* Effect.forEach(orders, ({ id }) =>
          Effect.map(Effect.all([shop.stored(id), shop.inflowsOf(id)]), ([{ state }, [first]]) =>
            state._tag === "Succeeded"
              ? state.transfer
              : (first?.transfer ?? assert.fail(`${id} is ${state._tag}`)),
          ),
        )
        assert.strictEqual(new Set(transfers.map(({ logIndex }) => logIndex)).size, 4)
        for (const transfer of transfers) assert.strictEqual(transfer.txHash, txHash)
        for (const { id } of paid) assert.strictEqual(yield* shop.statusOf(id), "succeeded")
        yield* shop.balanced
        // It pays no other, and that one stays open.
        const another = yield* shop.order("transfer")
        yield* Effect.flip((yield* confirming(late, another))(txHash))
        assert.strictEqual(yield* shop.statusOf(another.id), "requires_action")
      }),
  )

  it.effect("for a payment that its merchant cancelled is held, and refunded", () =>
    Effect.gen(function* () {
      const shop = yield* World
      const made = yield* shop.order("transfer")
      const cancel = Effect.promise(() => shop.client.payments.cancel(made.id))
      const txHash = yield* payTooLate(made, cancel)
      assert.strictEqual(yield* shop.statusOf(made.id), "cancelled")
      yield* giveBack(made, txHash, Shop.price)
      assert.strictEqual(yield* shop.statusOf(made.id), "cancelled")
    }),
  )

  it.effect("that is short because the token took a fee is held, and refunded", () =>
    Effect.gen(function* () {
      const shop = yield* World
      const { florin, local } = shop
      const hand = ByHand.make(florin)
      const made = yield* shop.confirmed("permit2")
      // Where its owner holds nothing yet, the fee costs more gas than was estimated without it.
      const word = yield* shop.ask(Queries.call({ to: made.token.address, data: owner }, "latest"))
      yield* local.fund(made.token.address, Caip.Address.make(`0x${word.slice(-40)}`), 1n)
      yield* hand.round
      yield* local.setTransferFee(made.token.address, fee.rate, fee.maximum)
      yield* local.mine(1)
      for (let round = 0; round <= Shop.finality; round++) {
        yield* hand.round
        yield* local.mine(1)
      }
      const { reports, state } = yield* shop.stored(made.id)
      assert.strictEqual(state._tag, "Failed")
      assert.lengthOf([...reports, ...(yield* shop.inflowsOf(made.id))], 1)
      const txHash = (yield* shop.committed(shop.payTo(made.id))).at(-1)?.hash ?? ""

      yield* local.setTransferFee(made.token.address, 0n, 0n)
      yield* giveBack(made, txHash, Shop.price - kept)
    }),
  )
})
