import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as LongPoll from "@florin/core/engine/payment/LongPoll"
import * as Shares from "@florin/testing/Shares"
import * as Stores from "@florin/testing/Stores"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { accountOn, alone, assets, begin, failsWith, now } = Scene

const payout = `0x${"1".repeat(40)}`
const elsewhere = `0x${"2".repeat(40)}`

const onBase = { asset: assets.base, destination: accountOn(8453, payout) }
const onArbitrum = { asset: assets.arbitrum, destination: accountOn(42161, payout) }

const start = Effect.map(begin, (scene) => ({
  ...scene,
  create: (input: Partial<Parameters<typeof Settlements.create>[0]> = {}) =>
    Settlements.create({
      tenant: scene.tenant,
      merchantId: scene.shop.id,
      settlements: [onBase],
      idempotencyKey: "key",
      ...input,
    }),
}))

describe("Settlements.create", () => {
  it.effect(
    "registers destinations in the order and the spelling of the request",
    alone(
      Effect.gen(function* () {
        const { create, shop, accounts } = yield* start
        const settlements = [onArbitrum, onBase]
        const { destinations, replayed } = yield* create({ settlements })
        assert.isFalse(replayed)
        assert.deepStrictEqual(
          destinations.map(({ assetText, createdAt, destinationText, merchantId }) => ({
            assetText,
            createdAt,
            destinationText,
            merchantId,
          })),
          [onArbitrum, onBase].map(({ asset, destination }) => ({
            assetText: asset,
            createdAt: now,
            destinationText: destination,
            merchantId: shop.id,
          })),
        )
        assert.strictEqual(new Set(destinations.map((each) => each.id)).size, 2)
        assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, shop.id), destinations)
      }),
    ),
  )

  it.effect(
    "registers all destinations or none",
    alone(
      Effect.gen(function* () {
        const { create, traces } = yield* start
        const before = yield* traces
        const elseOnBase = accountOn(42161, payout)
        const invalid = yield* Effect.flip(
          create({ settlements: [onBase, { ...onArbitrum, destination: elseOnBase.slice(1) }] }),
        )
        assert.deepStrictEqual(
          invalid._tag === "InvalidInput" ? invalid.issues.map((each) => each.field) : invalid._tag,
          ["settlements[1].destination"],
        )
        const twice = yield* Effect.flip(create({ settlements: [onBase, onArbitrum, onBase] }))
        assert.strictEqual(
          twice._tag === "SettlementAssetConflict" ? twice.field : twice._tag,
          "settlements[2].asset",
        )
        assert.deepStrictEqual(yield* traces, before)
        yield* create({ settlements: [onBase] })
        const after = yield* traces
        const registered = yield* Effect.flip(
          create({ settlements: [onArbitrum, onBase], idempotencyKey: "another" }),
        )
        assert.strictEqual(
          registered._tag === "SettlementAssetConflict" ? registered.field : registered._tag,
          "settlements[1].asset",
        )
        assert.deepStrictEqual(yield* traces, after)
      }),
    ),
  )

  it.effect(
    "registers an asset once from requests with several keys at the same time",
    alone(
      Effect.gen(function* () {
        const { create, shop, accounts } = yield* start
        const otherKeys = yield* Effect.all(
          Array.from({ length: 20 }, (_, index) =>
            Effect.result(create({ settlements: [onArbitrum], idempotencyKey: `key ${index}` })),
          ),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(otherKeys.filter((each) => each._tag === "Success").length, 1)
        assert.strictEqual((yield* Stores.destinationsOf(accounts, shop.id)).length, 1)
      }),
    ),
  )
})

describe("Settlements.list, changeDestination and remove", () => {
  it.effect(
    "show, change and remove a destination",
    alone(
      Effect.gen(function* () {
        const { create, shop, tenant } = yield* start
        assert.deepStrictEqual(yield* Settlements.list(tenant, shop.id), [])
        const { destinations } = yield* create({ settlements: [onBase, onArbitrum] })
        assert.deepStrictEqual(yield* Settlements.list(tenant, shop.id), destinations)
        const base = Scene.first(destinations)
        const arbitrum = Scene.first(destinations.slice(1))
        const { id } = base
        const text = accountOn(8453, elsewhere)
        const changed = yield* Settlements.changeDestination(tenant, shop.id, id, text)
        assert.deepStrictEqual(changed, {
          ...base,
          destination: Result.getOrThrow(Eip155.parseAccount(text, "ignored")),
          destinationText: text,
          changes: 1,
        })
        assert.deepStrictEqual(yield* Settlements.list(tenant, shop.id), [changed, arbitrum])
        assert.deepStrictEqual(yield* Settlements.remove(tenant, shop.id, id), changed)
        assert.deepStrictEqual(yield* Settlements.list(tenant, shop.id), [arbitrum])
        yield* failsWith("NotFound", Settlements.remove(tenant, shop.id, id))
      }),
    ),
  )

  it.effect(
    "do not change the destination of a share that exists already",
    alone(
      Effect.gen(function* () {
        const { reach, shop, payments, tenant } = yield* start
        const payment = yield* reach("settlementPending")
        yield* Merchants.remove(tenant, shop.id)
        assert.deepStrictEqual(yield* payments.payment(payment.id), payment)
      }),
    ),
  )
})

describe("Settlements.retry", () => {
  const addDestination = Effect.fnUntraced(function* (scene: Effect.Success<typeof begin>) {
    const destination = scene.world.destination()
    yield* scene.accounts.addDestinations(
      scene.shop.id,
      () => Result.succeed({ added: [destination] }),
      now,
    )
    return destination
  })

  it.effect(
    "makes a held or owed share wait to be gathered, and wakes requests that wait",
    alone(
      Effect.gen(function* () {
        const scene = yield* begin
        const { reach, payments, work } = scene
        const held = yield* reach("settlementHeld")
        const owed = yield* reach("owed")
        yield* addDestination(scene)
        for (const payment of [held, owed]) {
          const waiting = yield* Effect.forkChild(
            LongPoll.hold(payment, 4000, (each) => each.revision > payment.revision),
          )
          yield* TestClock.adjust(1)
          const { payment: retried } = yield* Settlements.retry(payment.id)
          assert.strictEqual(Shares.of(retried).status, "waiting")
          assert.deepStrictEqual(yield* Fiber.join(waiting), retried)
          assert.deepStrictEqual(yield* payments.payment(payment.id), retried)
        }
        assert.isNotNull(yield* work.nextDueAt("settle"))
      }),
    ),
  )

  it.effect(
    "refuses a payment whose share is not held or owed, or whose merchant has no destination",
    alone(
      Effect.gen(function* () {
        const scene = yield* begin
        const { reach, payments } = scene
        const nowhere = yield* reach("settlementHeld")
        yield* failsWith("Conflict", Settlements.retry(nowhere.id))
        assert.deepStrictEqual(yield* payments.payment(nowhere.id), nowhere)
        yield* addDestination(scene)
        for (const stage of ["created", "relayed", "settlementPending", "settled"] as const) {
          const payment = yield* reach(stage)
          yield* failsWith("Conflict", Settlements.retry(payment.id))
          assert.deepStrictEqual(yield* payments.payment(payment.id), payment)
        }
        const nobody = PaymentId.PaymentId.make("pay_nobody")
        yield* failsWith("NotFound", Settlements.retry(nobody))
      }),
    ),
  )
})
