import { assert, layer } from "@effect/vitest"
import { makeWallet } from "@florin/client"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Accounts from "../test-support/accounts.ts"
import * as ByHand from "../test-support/byHand.ts"
import * as Payers from "../test-support/payers.ts"
import * as Shop from "../test-support/shop.ts"

class World extends Context.Service<World, Shop.Shop>()("@florin/evm/test/late/World") {
  static readonly layer = Layer.effect(World, Shop.make())
}

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
})
