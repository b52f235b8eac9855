import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Payments from "@florin/core/engine/payment/Payments"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Stores from "@florin/testing/Stores"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { alone, begin, failsWith, now, request } = Scene

describe("Payments.create", () => {
  it.effect(
    "S18: refuses new payments of a suspended merchant, or of a suspended partner's merchant",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, shop, tenant, traces } = yield* begin
        const { id } = yield* addMerchant()
        yield* Merchants.take(tenant, id, "suspend")
        const before = yield* traces
        const refused = yield* failsWith("Suspended", pay({ merchantId: id }))
        assert.include(refused.message, "suspended this merchant")
        assert.deepStrictEqual(yield* traces, before)
        yield* pay({ merchantId: shop.id })
        yield* Merchants.take(tenant, id, "resume")
        yield* pay({ merchantId: id })
        const partner = yield* Merchants.takeOfPartner(tenant.partnerId, "suspend")
        yield* failsWith("Suspended", pay({ merchantId: shop.id, partner }))
        yield* pay({
          merchantId: shop.id,
          partner: yield* Merchants.takeOfPartner(tenant.partnerId, "resume"),
        })
      }),
    ),
  )
})

describe("Payments.create with an Idempotency-Key", () => {
  const keyed = { idempotencyKey: "key" }

  it.effect(
    "returns it even if the same request would be refused by now",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, shop, tenant, traces } = yield* begin
        const named = { ...keyed, request: { ...request, expiresAt: now / 1000 + 60 } }
        const unnamed = { idempotencyKey: "unnamed", merchantId: undefined }
        const first = yield* pay(named)
        const second = yield* pay(unnamed)
        yield* addMerchant()
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(yield* pay(named), { ...first, replayed: true })
        assert.deepStrictEqual(yield* pay(unnamed), { ...second, replayed: true })
        yield* Merchants.remove(tenant, shop.id)
        assert.deepStrictEqual(yield* pay(named), { ...first, replayed: true })
        assert.deepStrictEqual(yield* pay(unnamed), { ...second, replayed: true })
        assert.strictEqual((yield* traces).events.length, 2)
      }),
    ),
  )

  it.effect(
    "refuses another request under the same key",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, traces } = yield* begin
        const checkout = { successUrl: "https://a.example/", errorUrl: "https://b.example/" }
        yield* pay({ ...keyed, request: { ...request, checkout } })
        const before = yield* traces
        const others: ReadonlyArray<Partial<Payments.Create>> = [
          { request },
          { request: { ...request, checkout, referenceId: "order 2" } },
          { request: { ...request, checkout, amount: { ...request.amount, value: "1001" } } },
          { request: { ...request, checkout, amount: { ...request.amount, unit: "iso4217/EUR" } } },
          { request: { ...request, checkout, expiresAt: now / 1000 + 300 } },
          { request: { ...request, checkout: { ...checkout, errorUrl: "https://c.example/" } } },
          { request: { ...request, checkout: { ...checkout, successUrl: "https://c.example/" } } },
          { request: { ...request, checkout }, merchantId: undefined },
        ]
        for (const other of others) {
          yield* failsWith("IdempotencyConflict", pay({ ...keyed, ...other }))
        }
        const second = yield* addMerchant()
        yield* failsWith(
          "IdempotencyConflict",
          pay({ ...keyed, request: { ...request, checkout }, merchantId: second.id }),
        )
        assert.deepStrictEqual((yield* traces).events, before.events)
      }),
    ),
  )

  it.effect(
    "remembers a key until it expires",
    alone(
      Effect.gen(function* () {
        const { pay } = yield* begin
        const first = yield* pay(keyed)
        yield* TestClock.adjust(Limits.idempotencyKeptInMs - 1)
        assert.strictEqual((yield* pay(keyed)).payment.id, first.payment.id)
        yield* TestClock.adjust(1)
        const next = yield* pay(keyed)
        assert.isFalse(next.replayed)
        assert.notStrictEqual(next.payment.id, first.payment.id)
      }),
    ),
  )
})

describe("Payments.get", () => {
  it.effect(
    "finds a payment for its own partner and merchant only",
    alone(
      Effect.gen(function* () {
        const scene = yield* begin
        const { pay, shop, tenant } = scene
        const { payment } = yield* pay()
        for (const merchantId of [undefined, shop.id]) {
          assert.deepStrictEqual(yield* Payments.get(tenant, merchantId, payment.id), payment)
        }
        const nobody = PaymentId.PaymentId.make("pay_nobody")
        for (const { merchantId, tenant: theirs } of yield* Scene.strangers(scene)) {
          for (const id of [payment.id, nobody]) {
            const error = yield* failsWith("NotFound", Payments.get(theirs, merchantId, id))
            assert.strictEqual(error.message, "there is no such payment")
          }
        }
      }),
    ),
  )
})

describe("Payments.status", () => {
  const poll = 10_000

  it.effect(
    "returns a change that started before the wait was over",
    alone(
      Effect.gen(function* () {
        const { reach, shop, tenant } = yield* begin
        const payment = yield* reach("relayed")
        const held = yield* Effect.forkChild(Payments.status(tenant, shop.id, payment.id, poll))
        yield* TestClock.adjust(100)
        assert.isUndefined(held.pollUnsafe())
        yield* Stores.modifyPayment(yield* OutflowStore)(
          payment.id,
          Scene.reportChange((current) => PaymentTransition.fail(current, "it reverted", now)),
        )
        // Nobody sent a signal: it is found when the time is up.
        yield* TestClock.adjust(poll - 100)
        assert.strictEqual((yield* Fiber.join(held)).state._tag, "Failed")
      }),
    ),
  )
})

describe("Payments.cancel", () => {
  it.effect(
    "cancels an open payment, and succeeds again if it is repeated",
    alone(
      Effect.gen(function* () {
        const { pay, shop, payments, work, outbox, tenant } = yield* begin
        const { payment } = yield* pay()
        yield* TestClock.adjust(1000)
        const cancelled = yield* Payments.cancel(tenant, shop.id, payment.id)
        assert.deepStrictEqual(cancelled.state, {
          _tag: "Cancelled",
          reason: "cancelled_by_merchant",
          cancelledAt: now + 1000,
        })
        yield* TestClock.adjust(1000)
        assert.deepStrictEqual(yield* Payments.cancel(tenant, undefined, payment.id), cancelled)
        assert.deepStrictEqual(yield* payments.payment(payment.id), cancelled)
        assert.deepStrictEqual(
          (yield* outbox.eventsOf(payment.id)).map((each) => each.type),
          ["payment.created", "payment.cancelled"],
        )
        assert.isNull(yield* work.nextDueAt("expire"))
      }),
    ),
  )
})

describe("Payments.list", () => {
  it.effect(
    "accepts the filter cancelled only in API versions that have this status",
    alone(
      Effect.gen(function* () {
        const { pay, reach, tenant } = yield* begin
        yield* pay()
        const cancelled = yield* reach("cancelledByUser")
        const raw = { status: ["cancelled"] }
        yield* failsWith("InvalidInput", Payments.list(tenant, undefined, raw, false))
        const { items } = yield* Payments.list(tenant, undefined, raw, true)
        assert.deepStrictEqual(
          items.map((each) => each.payment.id),
          [cancelled.id],
        )
      }),
    ),
  )

  it.effect(
    "reads the merchants of a page in one read, however many there are",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, tenant } = yield* begin
        for (let index = 0; index < 20; index++) {
          yield* pay({ merchantId: (yield* addMerchant()).id })
        }
        const { accounts, counts } = yield* Scene.counting
        const { items } = yield* Effect.provideService(
          Payments.list(tenant, undefined, {}, false),
          AccountStore,
          accounts,
        )
        assert.strictEqual(new Set(items.map((each) => each.merchant.id)).size, 20)
        assert.deepStrictEqual(counts, { findMerchants: 1 })
      }),
    ),
  )

  it.effect(
    "reads the page and the totals concurrently",
    alone(
      Effect.gen(function* () {
        const { payments, tenant } = yield* begin
        const summing = yield* Deferred.make<void>()
        const listed = yield* Effect.provideService(
          Payments.list(tenant, undefined, {}, false),
          PaymentStore,
          PaymentStore.of({
            ...payments,
            payments: (...args) =>
              Effect.andThen(Deferred.await(summing), payments.payments(...args)),
            paymentStats: (...args) =>
              Effect.andThen(Deferred.succeed(summing, undefined), payments.paymentStats(...args)),
          }),
        )
        assert.deepStrictEqual(listed.items, [])
      }),
    ),
  )

  it.effect(
    "fails instead of leaving out a payment whose merchant is missing",
    alone(
      Effect.gen(function* () {
        const { accounts, create, tenant } = yield* begin
        yield* create()
        const exit = yield* Payments.list(tenant, undefined, {}, false).pipe(
          Effect.provideService(
            AccountStore,
            AccountStore.of({ ...accounts, findMerchants: () => Effect.succeed([]) }),
          ),
          Effect.exit,
        )
        assert.isTrue(Exit.isFailure(exit))
      }),
    ),
  )
})
