import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Payments from "@florin/core/engine/Payments"
import { AccountStore, findMerchant } from "@florin/core/ports/AccountStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Counts from "@florin/testing/Counts"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { alone, begin, failsWith, issuesOf, now, request } = Scene

const nobody = PaymentId.PaymentId.make("pay_nobody")

describe("Payments.create", () => {
  it.effect(
    "creates a payment of the named merchant",
    alone(
      Effect.gen(function* () {
        const { partner, pay, shop, payments, work, outbox, tenant } = yield* begin
        const { payment, replayed } = yield* pay()
        assert.isFalse(replayed)
        assert.deepStrictEqual(payment, {
          id: payment.id,
          partnerId: partner.id,
          merchantId: shop.id,
          mode: "test",
          referenceId: "order 1",
          amount: { unit: { _tag: "Fiat", currency: "USD" }, quantity: payment.amount.quantity },
          feeTerms: partner.feeTerms,
          checkout: null,
          metadata: {},
          createdAt: now,
          updatedAt: now,
          expiresAt: now / 1000 + Limits.paymentLifeDefaultInS,
          revision: 1,
          stateVersion: 0,
          state: { _tag: "RequiresAction" },
          reports: [],
        })
        assert.strictEqual(payment.amount.quantity, 1000n)
        assert.deepStrictEqual(yield* payments.payment(payment.id), payment)
        const events = yield* outbox.events(tenant, 0, 10)
        assert.deepStrictEqual(
          events.map(({ event }) => [event.type, "payment" in event && event.payment]),
          [["payment.created", payment]],
        )
        assert.strictEqual(yield* work.nextDueAt("expire"), payment.expiresAt * 1000)
      }),
    ),
  )

  it.effect(
    "uses the only merchant that accepts payments if none is named",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, shop, world } = yield* begin
        yield* addMerchant({ status: "inactive" })
        yield* addMerchant({ status: "suspended" })
        yield* addMerchant({ deletedAt: now })
        yield* addMerchant({ ...world.live })
        yield* addMerchant({ ...world.other })
        const { payment } = yield* pay({ merchantId: undefined })
        assert.strictEqual(payment.merchantId, shop.id)
      }),
    ),
  )

  it.effect(
    "asks for a merchant id if several merchants accept payments, or none does",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, shop, tenant, traces } = yield* begin
        const second = yield* addMerchant()
        const before = yield* traces
        yield* failsWith("MissingMerchantId", pay({ merchantId: undefined }))
        assert.deepStrictEqual(yield* traces, before)
        yield* Merchants.remove(tenant, second.id)
        yield* Merchants.changeAsOperator(tenant, shop.id, { status: "inactive" })
        yield* failsWith("MissingMerchantId", pay({ merchantId: undefined }))
        assert.deepStrictEqual((yield* traces).events, [])
      }),
    ),
  )

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

  it.effect(
    "refuses unknown and malformed merchant ids with the same message",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, traces, world } = yield* begin
        const refused = [
          "mrch_nobody",
          "mrch_",
          "",
          "pay_1",
          "__proto__",
          (yield* addMerchant({ status: "inactive" })).id,
          (yield* addMerchant({ deletedAt: now })).id,
          (yield* addMerchant({ ...world.live })).id,
          (yield* addMerchant({ ...world.other })).id,
          (yield* addMerchant({ ...world.otherLive })).id,
        ]
        const before = yield* traces
        for (const merchantId of refused) {
          const error = yield* failsWith("MerchantNotFound", pay({ merchantId }))
          assert.strictEqual(error.message, "there is no such merchant, or it takes no payments")
        }
        assert.deepStrictEqual(yield* traces, before)
      }),
    ),
  )

  it.effect(
    "checks that a merchant is named, then the key, the request and the merchant",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, traces } = yield* begin
        yield* addMerchant()
        const bad = { ...request, referenceId: "" }
        const before = yield* traces
        yield* failsWith(
          "MissingMerchantId",
          pay({ merchantId: undefined, idempotencyKey: "", request: bad }),
        )
        yield* failsWith(
          "InvalidIdempotencyKey",
          pay({ merchantId: "mrch_", idempotencyKey: "", request: bad }),
        )
        yield* failsWith(
          "InvalidIdempotencyKey",
          pay({ idempotencyKey: "k".repeat(Limits.idempotencyKeyMaxLength + 1) }),
        )
        for (const merchantId of ["mrch_nobody", "mrch_"]) {
          yield* failsWith(
            "InvalidInput",
            pay({ merchantId, idempotencyKey: "k".repeat(255), request: bad }),
          )
          yield* failsWith("MerchantNotFound", pay({ merchantId, idempotencyKey: "k".repeat(255) }))
        }
        assert.deepStrictEqual(yield* traces, before)
      }),
    ),
  )

  it.effect(
    "reports everything that is wrong with a request, and writes nothing",
    alone(
      Effect.gen(function* () {
        const { pay, traces } = yield* begin
        const before = yield* traces
        const fields = yield* issuesOf(
          pay({
            request: {
              referenceId: "",
              amount: { unit: "iso4217/USD", value: "0" },
              expiresAt: now / 1000,
              checkout: { successUrl: "http://example.com", errorUrl: "https://example.com" },
            },
          }),
        )
        assert.deepStrictEqual(fields, [
          "referenceId",
          "amount.value",
          "expiresAt",
          "checkout.successUrl",
        ])
        assert.deepStrictEqual(yield* traces, before)
      }),
    ),
  )

  it.effect(
    "creates a new payment for each call without a key",
    alone(
      Effect.gen(function* () {
        const { pay } = yield* begin
        assert.notStrictEqual((yield* pay()).payment.id, (yield* pay()).payment.id)
      }),
    ),
  )
})

describe("Payments.create with an Idempotency-Key", () => {
  const keyed = { idempotencyKey: "key" }

  it.effect(
    "returns the payment as it was created if the request is repeated",
    alone(
      Effect.gen(function* () {
        const { pay, shop, payments, tenant, traces } = yield* begin
        const full = {
          ...keyed,
          request: {
            ...request,
            amount: { unit: "iso4217/EUR", value: "9".repeat(30) },
            expiresAt: now / 1000 + 60,
            checkout: {
              successUrl: "https://shop.example/ok",
              errorUrl: "https://shop.example/no",
            },
          },
        }
        const first = yield* pay(full)
        assert.isFalse(first.replayed)
        const again = { payment: first.payment, replayed: true }
        assert.deepStrictEqual(yield* pay(full), again)
        yield* Payments.cancel(tenant, shop.id, first.payment.id)
        const after = yield* traces
        assert.deepStrictEqual(yield* pay(full), again)
        assert.deepStrictEqual(yield* traces, after)
        assert.strictEqual((yield* payments.payment(first.payment.id)).state._tag, "Cancelled")
      }),
    ),
  )

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

  it.effect(
    "lets two partners, and both modes, use the same key",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, world } = yield* begin
        const live = yield* addMerchant({ ...world.live })
        const other = yield* addMerchant({ ...world.other })
        const ids = [
          yield* pay(keyed),
          yield* pay({ ...keyed, mode: "live", merchantId: live.id }),
          yield* pay({
            ...keyed,
            partner: world.partner({ id: world.other.partnerId }),
            merchantId: other.id,
          }),
        ].map((each) => (each.replayed ? "replayed" : each.payment.id))
        assert.strictEqual(new Set(ids).size, 3)
        assert.notInclude(ids, "replayed")
      }),
    ),
  )

  it.effect(
    "does not remember a refused request",
    alone(
      Effect.gen(function* () {
        const { pay } = yield* begin
        yield* failsWith(
          "InvalidInput",
          pay({ ...keyed, request: { ...request, referenceId: "" } }),
        )
        yield* failsWith("MerchantNotFound", pay({ ...keyed, merchantId: "mrch_nobody" }))
        assert.isFalse((yield* pay(keyed)).replayed)
      }),
    ),
  )

  it.effect(
    "creates one payment from identical requests at the same time",
    alone(
      Effect.gen(function* () {
        const { pay, traces } = yield* begin
        const count = Counts.of({ usual: 50, full: 1000 })
        const answers = yield* Effect.all(
          Array.from({ length: count }, () => pay(keyed)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(new Set(answers.map((each) => each.payment.id)).size, 1)
        assert.strictEqual(answers.filter((each) => !each.replayed).length, 1)
        assert.strictEqual((yield* traces).events.length, 1)
      }),
    ),
  )
})

describe("another partner's payment", () => {
  it.effect(
    "is not found, exactly like a payment that does not exist",
    alone(
      Effect.gen(function* () {
        const scene = yield* begin
        const { pay, traces } = scene
        const { payment } = yield* pay()
        const strangers = yield* Scene.strangers(scene)
        const before = yield* traces
        for (const { merchantId, tenant, who } of strangers) {
          for (const id of [payment.id, nobody]) {
            const calls: ReadonlyArray<Scene.Call> = [
              Payments.get(tenant, merchantId, id),
              Payments.status(tenant, merchantId, id, 1000),
              Payments.cancel(tenant, merchantId, id),
            ]
            for (const call of calls) {
              const error = yield* failsWith("NotFound", call)
              assert.deepStrictEqual(
                { what: "what" in error ? error.what : who, message: error.message },
                { what: "payment", message: "there is no such payment" },
              )
            }
          }
        }
        assert.deepStrictEqual(yield* traces, before)
      }),
    ),
  )
})

describe("Payments.get", () => {
  it.effect(
    "returns the payment to its partner, with or without the merchant id",
    alone(
      Effect.gen(function* () {
        const { pay, shop, tenant } = yield* begin
        const { payment } = yield* pay()
        assert.deepStrictEqual(yield* Payments.get(tenant, undefined, payment.id), payment)
        assert.deepStrictEqual(yield* Payments.get(tenant, shop.id, payment.id), payment)
        yield* Merchants.remove(tenant, shop.id)
        assert.deepStrictEqual(yield* Payments.get(tenant, shop.id, payment.id), payment)
      }),
    ),
  )
})

describe("Payments.status", () => {
  const poll = 10_000

  it.effect(
    "returns immediately if no wait was asked for",
    alone(
      Effect.gen(function* () {
        const { pay, shop, tenant } = yield* begin
        const { payment } = yield* pay()
        assert.deepStrictEqual(yield* Payments.status(tenant, shop.id, payment.id, 0), payment)
      }),
    ),
  )

  it.effect(
    "returns as soon as the status changes",
    alone(
      Effect.gen(function* () {
        const { pay, shop, tenant } = yield* begin
        const { payment } = yield* pay()
        const held = yield* Effect.forkChild(Payments.status(tenant, shop.id, payment.id, poll))
        yield* TestClock.adjust(poll - 1)
        assert.isUndefined(held.pollUnsafe())
        yield* Payments.cancel(tenant, shop.id, payment.id)
        assert.strictEqual((yield* Fiber.join(held)).state._tag, "Cancelled")
      }),
    ),
  )

  it.effect(
    "returns the unchanged status when the wait is over",
    alone(
      Effect.gen(function* () {
        const { pay, shop, tenant } = yield* begin
        const { payment } = yield* pay()
        const held = yield* Effect.forkChild(Payments.status(tenant, shop.id, payment.id, poll))
        yield* TestClock.adjust(poll - 1)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(held), payment)
      }),
    ),
  )

  it.effect(
    "returns when the payment expires",
    alone(
      Effect.gen(function* () {
        const { pay, shop, tenant } = yield* begin
        const { payment } = yield* pay({ request: { ...request, expiresAt: now / 1000 + 7 } })
        const held = yield* Effect.forkChild(Payments.status(tenant, shop.id, payment.id, poll))
        yield* TestClock.adjust(6999)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.strictEqual(Payment.status(yield* Fiber.join(held), now + 7000), "expired")
      }),
    ),
  )

  it.effect(
    "returns a change that started before the wait was over",
    alone(
      Effect.gen(function* () {
        const { reach, shop, payments, tenant } = yield* begin
        const payment = yield* reach("relayed")
        const held = yield* Effect.forkChild(Payments.status(tenant, shop.id, payment.id, poll))
        yield* TestClock.adjust(100)
        assert.isUndefined(held.pollUnsafe())
        yield* payments.modifyPayment(
          payment.id,
          Scene.reportChange((current) => PaymentTransition.fail(current, "it reverted", now)),
        )
        // Nobody sent a signal: it is found when the time is up.
        yield* TestClock.adjust(poll - 100)
        assert.strictEqual((yield* Fiber.join(held)).state._tag, "Failed")
      }),
    ),
  )

  it.effect(
    "returns a final status immediately",
    alone(
      Effect.gen(function* () {
        const { reach, shop, tenant } = yield* begin
        for (const stage of ["settled", "failed", "expired", "cancelledByUser"] as const) {
          const payment = yield* reach(stage)
          assert.deepStrictEqual(yield* Payments.status(tenant, shop.id, payment.id, poll), payment)
        }
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

  it.effect(
    "returns a payment that the payer had cancelled before",
    alone(
      Effect.gen(function* () {
        const { reach, shop, tenant } = yield* begin
        const payment = yield* reach("cancelledByUser")
        assert.deepStrictEqual(yield* Payments.cancel(tenant, shop.id, payment.id), payment)
      }),
    ),
  )

  it.effect(
    "refuses a payment whose money may move, or that expired",
    alone(
      Effect.gen(function* () {
        const { reach, shop, payments, tenant } = yield* begin
        const stages = [
          ["confirmed", "invalid_state"],
          ["relayed", "invalid_state"],
          ["settled", "invalid_state"],
          ["failed", "invalid_state"],
          ["expired", "payment_expired"],
        ] as const
        for (const [stage, refusal] of stages) {
          const payment = yield* reach(stage)
          const error = yield* Effect.flip(Payments.cancel(tenant, shop.id, payment.id))
          assert.strictEqual(error._tag === "StateRefused" ? error.refusal : error._tag, refusal)
          assert.deepStrictEqual(yield* payments.payment(payment.id), payment)
        }
      }),
    ),
  )

  it.effect(
    "refuses a payment in its last millisecond",
    alone(
      Effect.gen(function* () {
        const { pay, shop, tenant } = yield* begin
        const { payment } = yield* pay()
        yield* TestClock.setTime(payment.expiresAt * 1000)
        const error = yield* Effect.flip(Payments.cancel(tenant, shop.id, payment.id))
        assert.strictEqual(
          error._tag === "StateRefused" ? error.refusal : error._tag,
          "payment_expired",
        )
      }),
    ),
  )

  it.effect(
    "cancels once if several requests come at the same time",
    alone(
      Effect.gen(function* () {
        const { pay, shop, outbox, tenant } = yield* begin
        const { payment } = yield* pay()
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, () => Payments.cancel(tenant, shop.id, payment.id)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(new Set(answers.map((each) => each.revision)).size, 1)
        assert.strictEqual((yield* outbox.eventsOf(payment.id)).length, 2)
      }),
    ),
  )
})

describe("Payments.list", () => {
  it.effect(
    "lists the partner's payments with their merchants, newest first",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, shop, tenant, world } = yield* begin
        const closed = yield* addMerchant({ name: "Closed", iconUrl: "https://closed.example/i" })
        const live = yield* addMerchant({ ...world.live })
        const other = yield* addMerchant({ ...world.other })
        const first = yield* pay()
        yield* TestClock.adjust(1)
        const second = yield* pay({ merchantId: closed.id })
        yield* pay({ mode: "live", merchantId: live.id })
        yield* pay({
          partner: world.partner({ id: world.other.partnerId }),
          merchantId: other.id,
        })
        yield* Merchants.remove(tenant, closed.id)
        const { items, nextCursor, stats } = yield* Payments.list(tenant, undefined, {})
        assert.deepStrictEqual(items, [
          {
            payment: second.payment,
            merchant: yield* findMerchant(yield* AccountStore, tenant, closed.id),
          },
          { payment: first.payment, merchant: shop },
        ])
        assert.isNull(nextCursor)
        assert.deepStrictEqual(stats, { revenue: [], transactions: 2, customers: 0 })
      }),
    ),
  )

  it.effect(
    "filters by merchant, even a deleted one",
    alone(
      Effect.gen(function* () {
        const { addMerchant, pay, shop, tenant } = yield* begin
        const second = yield* addMerchant()
        yield* pay()
        const { payment } = yield* pay({ merchantId: second.id })
        yield* Merchants.remove(tenant, second.id)
        const ids = (merchantId: string, raw: PaymentQuery.Raw) =>
          Effect.map(Payments.list(tenant, merchantId, raw), ({ items, stats }) => {
            assert.strictEqual(stats.transactions, items.length)
            return items.map((each) => each.payment.id)
          })
        assert.deepStrictEqual(yield* ids(second.id, {}), [payment.id])
        assert.deepStrictEqual(yield* ids(second.id, { merchantId: [second.id, shop.id] }), [
          payment.id,
        ])
        assert.deepStrictEqual(yield* ids(second.id, { merchantId: [shop.id] }), [])
      }),
    ),
  )

  it.effect(
    "does not find another partner's merchant, exactly like one that does not exist",
    alone(
      Effect.gen(function* () {
        const { addMerchant, tenant, world } = yield* begin
        const merchants = [
          "mrch_nobody",
          "mrch_",
          (yield* addMerchant({ ...world.live })).id,
          (yield* addMerchant({ ...world.other })).id,
        ]
        for (const merchantId of merchants) {
          const error = yield* failsWith("MerchantNotFound", Payments.list(tenant, merchantId, {}))
          assert.strictEqual(error.message, "there is no such merchant, or it takes no payments")
        }
        const filtered = yield* Payments.list(tenant, undefined, { merchantId: merchants })
        assert.deepStrictEqual(filtered.items, [])
      }),
    ),
  )

  it.effect(
    "returns every payment exactly once over all pages, with the totals of the whole list on each",
    alone(
      Effect.gen(function* () {
        const { createMany, reach, tenant } = yield* begin
        yield* createMany(10)
        yield* reach("settled")
        const seen: Array<string> = []
        let cursor: string | undefined
        for (;;) {
          const page = yield* Payments.list(tenant, undefined, { limit: 4, cursor })
          seen.push(...page.items.map((each) => each.payment.id))
          assert.deepStrictEqual(page.stats, {
            revenue: [{ unit: Amount.fiat("USD"), quantity: 1000n, refunded: 0n }],
            transactions: 11,
            customers: 1,
          })
          if (page.nextCursor === null) break
          cursor = page.nextCursor
        }
        assert.strictEqual(seen.length, 11)
        assert.strictEqual(new Set(seen).size, 11)
        const [last] = seen.slice(3)
        const exact = yield* Payments.list(tenant, undefined, { limit: 11 })
        assert.isNull(exact.nextCursor)
        assert.strictEqual(exact.items[3]?.payment.id, last)
      }),
    ),
  )

  it.effect(
    "refuses a cursor of another list, of this partner or another one",
    alone(
      Effect.gen(function* () {
        const { addMerchant, createMany, shop, tenant, world } = yield* begin
        yield* createMany(3)
        const sibling = yield* addMerchant()
        const { nextCursor } = yield* Payments.list(tenant, shop.id, { limit: 1 })
        const cursor = nextCursor ?? ""
        const next = yield* Payments.list(tenant, shop.id, { limit: 2, cursor })
        assert.strictEqual(next.items.length, 2)
        const lists: ReadonlyArray<Scene.Call> = [
          Payments.list(tenant, undefined, { limit: 1, cursor }),
          Payments.list(tenant, sibling.id, { limit: 1, cursor }),
          Payments.list(world.live, undefined, { limit: 1, cursor }),
          Payments.list(world.other, undefined, { limit: 1, cursor }),
          Payments.list(tenant, shop.id, { limit: 1, cursor, sortBy: "amount" }),
          Payments.list(tenant, shop.id, { limit: 1, cursor, status: ["succeeded"] }),
          Payments.list(tenant, shop.id, { limit: 1, cursor: `${cursor}A` }),
        ]
        for (const list of lists) {
          assert.deepStrictEqual(yield* issuesOf(list), ["cursor"])
        }
      }),
    ),
  )

  it.effect(
    "accepts the filter cancelled only in API versions that have this status",
    alone(
      Effect.gen(function* () {
        const { pay, reach, tenant } = yield* begin
        yield* pay()
        const cancelled = yield* reach("cancelledByUser")
        const raw = { status: ["cancelled"] }
        yield* failsWith("InvalidInput", Payments.list(tenant, undefined, raw))
        const { items } = yield* Payments.list(tenant, undefined, raw, { allowCancelled: true })
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
          Payments.list(tenant, undefined, {}),
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
          Payments.list(tenant, undefined, {}),
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
        const exit = yield* Payments.list(tenant, undefined, {}).pipe(
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
