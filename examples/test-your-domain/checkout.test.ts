import { assert, describe, it } from "@effect/vitest"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as Collector from "@florin/core/workers/Collector"
import * as Sender from "@florin/core/workers/Sender"
import * as Service from "@florin/testing/Service"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Checkout from "./checkout.ts"

const base = 8453
const customer = Wallet.make(1)
const accounts = [`eip155:${base}:${customer.address}`]

const customersWallet: Keys.Caller = {
  _tag: "Wallet",
  mode: "test",
  name: "A wallet",
  iconUrl: null,
  versionPin: "2026-02-18",
}

/** The whole service in memory. An unused account holds 100 of every token. */
const service = () => Service.layer({ chain: { blocks: "instant", unseenBalance: 100 } })

const openShop = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 0, 1))
  const partner = yield* Keys.createPartner({ name: "Shop", feeTerms: Fees.none })
  const { merchant } = yield* Merchants.create({
    tenant: { partnerId: partner.id, mode: "test" },
    name: "Shop",
    email: "shop@example.com",
    idempotencyKey: "shop",
  })
  const shop: Checkout.Shop = { partner, merchantId: merchant.id, parcels: [] }
  return shop
})

const optionsOf = (order: Checkout.Order) =>
  Gateway.options(customersWallet, order.paymentId, { accounts, includePaymentInfo: false })

/** The customer signs the first option; the service collects the money until it is final. */
const pay = Effect.fnUntraced(function* (order: Checkout.Order) {
  const [option] = (yield* optionsOf(order)).options ?? []
  assert.exists(option)
  const optionId = option.id
  const actions = yield* Gateway.fetch(customersWallet, order.paymentId, { optionId, data: "" })
  yield* Gateway.confirm(customersWallet, order.paymentId, {
    optionId,
    results: [{ data: yield* customer.execute(actions) }],
    excludeFromRelayer: false,
  })
  yield* finish(Collector.drain)
})

/** Runs the workers until the chain has no more changes. */
const finish = Effect.fnUntraced(function* <E, R>(drain: Effect.Effect<void, E, R>) {
  const chain = yield* SimulatedChain
  for (let round = 0; round < 3; round++) {
    yield* drain
    yield* chain.settle(base)
    yield* TestClock.adjust("1 minute")
  }
})

describe("a shop's checkout", () => {
  it.effect("ships an order once it is paid, and ships it once", () =>
    Effect.gen(function* () {
      const shop = yield* openShop
      const order = yield* Checkout.placeOrder(shop, "order-1", 1250)
      assert.strictEqual(yield* Checkout.orderStatus(shop, order), "waiting")
      yield* pay(order)
      assert.strictEqual(yield* Checkout.orderStatus(shop, order), "on its way")
      assert.strictEqual(yield* Checkout.orderStatus(shop, order), "on its way")
      assert.deepStrictEqual(shop.parcels, ["order-1"])
    }).pipe(Effect.provide(service())),
  )

  it.effect("asks for the money once, however often the button is pressed", () =>
    Effect.gen(function* () {
      const shop = yield* openShop
      const orders = yield* Effect.all(
        Array.from({ length: 20 }, () => Checkout.placeOrder(shop, "order-2", 999)),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(new Set(orders.map((order) => order.paymentId)).size, 1)
    }).pipe(Effect.provide(service())),
  )

  it.effect("lets an order go that nobody paid in five minutes", () =>
    Effect.gen(function* () {
      const shop = yield* openShop
      const order = yield* Checkout.placeOrder(shop, "order-3", 1250)
      yield* TestClock.adjust("299 seconds")
      assert.strictEqual(yield* Checkout.orderStatus(shop, order), "waiting")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Checkout.orderStatus(shop, order), "too late")
      assert.deepStrictEqual(shop.parcels, [])
    }).pipe(Effect.provide(service())),
  )

  it.effect("lets the customer call an order off", () =>
    Effect.gen(function* () {
      const shop = yield* openShop
      const order = yield* Checkout.placeOrder(shop, "order-4", 1250)
      yield* Gateway.cancel(customersWallet, order.paymentId)
      assert.strictEqual(yield* Checkout.orderStatus(shop, order), "called off")
      assert.deepStrictEqual(shop.parcels, [])
    }).pipe(Effect.provide(service())),
  )

  it.effect("offers nothing to a customer who cannot pay", () =>
    Effect.gen(function* () {
      const shop = yield* openShop
      const order = yield* Checkout.placeOrder(shop, "order-5", 100_01)
      assert.deepStrictEqual((yield* optionsOf(order)).options, [])
    }).pipe(Effect.provide(service())),
  )

  it.effect("gives the money back when the goods come back", () =>
    Effect.gen(function* () {
      const shop = yield* openShop
      const order = yield* Checkout.placeOrder(shop, "order-6", 1250)
      const [option] = (yield* optionsOf(order)).options ?? []
      assert.exists(option)
      const { token } = option.option
      const chain = yield* SimulatedChain
      yield* pay(order)
      assert.strictEqual(yield* Checkout.orderStatus(shop, order), "on its way")
      assert.strictEqual(yield* chain.balanceOf(token, customer.address), 87_500_000n)
      yield* Checkout.takeBack(shop, order)
      yield* finish(Sender.drain)
      assert.strictEqual(yield* Checkout.orderStatus(shop, order), "refunded")
      assert.strictEqual(yield* chain.balanceOf(token, customer.address), 100_000_000n)
      assert.deepStrictEqual(shop.parcels, ["order-6"])
    }).pipe(Effect.provide(service())),
  )
})
