import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as LongPoll from "@florin/core/engine/payment/LongPoll"
import * as Stuck from "@florin/core/engine/status/Stuck"
import { Chain, Chains } from "@florin/core/ports/Chain"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Shares from "@florin/testing/Shares"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { alone, begin, failsWith, now } = Scene

const nobody = PaymentId.PaymentId.make("pay_nobody")

describe("Refunds.request", () => {
  it.effect(
    "refunds the whole payment, from the share if it was not paid out yet",
    alone(
      Effect.gen(function* () {
        const { reach, shop, payments, work, outbox, tenant } = yield* begin
        const payment = yield* reach("settlementPending")
        const { option } = Payment.attemptOf(payment) ?? (yield* Effect.die("nobody paid"))
        const refunded = yield* Refunds.request(tenant, {
          merchantId: shop.id,
          paymentId: payment.id,
        })
        assert(refunded.payment.state._tag === "Succeeded")
        const { net, total: fee } = refunded.payment.state.charge
        assert.deepStrictEqual(refunded.refund, {
          id: refunded.refund.id,
          requestedAt: now,
          outflowId: refunded.refund.outflowId,
          to: option.account,
          token: option.token,
          quantity: option.quantity,
          value: payment.amount.quantity,
          fee,
          own: net,
          state: { _tag: "Pending", waitsForFloat: false },
        })
        assert.deepStrictEqual(yield* payments.payment(payment.id), refunded.payment)
        assert.deepStrictEqual(Shares.of(refunded.payment), {
          ...Shares.of(payment),
          status: "cancelled",
        })
        const types = (yield* outbox.eventsOf(payment.id)).map((each) => each.type)
        assert.strictEqual(types.at(-1), "refund.pending")
        assert.isNull(yield* work.nextDueAt("settle"))
        assert.strictEqual(yield* work.nextDueAt("send"), now)
      }),
    ),
  )

  it.effect(
    "uses the float if the share was paid out",
    alone(
      Effect.gen(function* () {
        const { reach, tenant } = yield* begin
        for (const stage of ["settling", "settled", "netted"] as const) {
          const payment = yield* reach(stage)
          const { refund } = yield* Refunds.request(tenant, { paymentId: payment.id })
          assert.isTrue(Refund.drawsOnFloat(refund))
        }
      }),
    ),
  )

  it.effect(
    "wakes requests that wait for the payment",
    alone(
      Effect.gen(function* () {
        const { reach, shop, tenant } = yield* begin
        const payment = yield* reach("settled")
        const waiting = yield* Effect.forkChild(
          LongPoll.hold(payment, 4000, (each) => each.revision > payment.revision),
        )
        yield* TestClock.adjust(1)
        assert.isUndefined(waiting.pollUnsafe())
        const refunded = yield* Refunds.request(tenant, {
          merchantId: shop.id,
          paymentId: payment.id,
        })
        assert.deepStrictEqual(yield* Fiber.join(waiting), refunded.payment)
      }),
    ),
  )
})

describe("Refunds.request of a part", () => {
  const unit = "iso4217/USD"
  const part = (paymentId: PaymentId.PaymentId, value: string, idempotencyKey?: string) => ({
    paymentId,
    amount: { unit, value },
    idempotencyKey,
  })

  it.effect(
    "announces each refund in an event of its own",
    alone(
      Effect.gen(function* () {
        const { outbox, reach, tenant } = yield* begin
        const { id } = yield* reach("settled")
        const first = yield* Refunds.request(tenant, part(id, "250", "one"))
        const second = yield* Refunds.request(tenant, part(id, "125", "two"))
        const events = (yield* outbox.eventsOf(id)).filter(({ type }) => type === "refund.pending")
        assert.deepStrictEqual(
          events.map((each) => ("refundId" in each ? each.refundId : null)),
          [first.refund.id, second.refund.id],
        )
      }),
    ),
  )
})

describe("Refunds.retryHeld", () => {
  it.effect(
    "makes a held refund due again",
    alone(
      Effect.gen(function* () {
        const { reach, work } = yield* begin
        const payment = yield* reach("refundHeld")
        assert.isNull(yield* work.nextDueAt("send"))
        const waiting = yield* Effect.forkChild(
          LongPoll.hold(payment, 4000, (each) => each.revision > payment.revision),
        )
        yield* TestClock.adjust(1)
        const retried = yield* Refunds.retryHeld(payment.id)
        assert.deepStrictEqual(
          retried.map(({ state }) => state),
          [{ _tag: "Pending", waitsForFloat: false }],
        )
        assert.strictEqual((yield* Fiber.join(waiting)).revision, payment.revision + 1)
        assert.strictEqual(yield* work.nextDueAt("send"), now + 1)
        yield* failsWith("Conflict", Refunds.retryHeld(payment.id))
      }),
    ),
  )

  it.effect(
    "refuses a payment without a held refund",
    alone(
      Effect.gen(function* () {
        const { reach, payments } = yield* begin
        for (const stage of ["created", "settled", "refundPending", "refunded"] as const) {
          const payment = yield* reach(stage)
          yield* failsWith("Conflict", Refunds.retryHeld(payment.id))
          assert.deepStrictEqual(yield* payments.payment(payment.id), payment)
        }
        yield* failsWith("NotFound", Refunds.retryHeld(nobody))
      }),
    ),
  )
})

describe("Stuck.list", () => {
  it.effect(
    "lists the refunds that need an operator, of one mode",
    alone(
      Effect.gen(function* () {
        const { reach } = yield* begin
        const stuck = new Set(["settlementHeld", "refundHeld"])
        const expected: Array<string> = []
        for (const stage of Fixtures.stages) {
          const payment = yield* reach(stage)
          if (stuck.has(stage)) expected.push(payment.id)
        }
        const found = (yield* Stuck.list("test")).filter(({ isHeld }) => isHeld)
        assert.deepStrictEqual(
          found.flatMap(({ paymentIds }): ReadonlyArray<string> => paymentIds).toSorted(),
          expected.toSorted(),
        )
        assert.deepStrictEqual(yield* Stuck.list("live"), [])
      }),
    ),
  )
})

describe("Refunds.request to another account", () => {
  it.effect(
    "M18: asks a payer that is a contract when the refund is requested, and not again",
    alone(
      Effect.gen(function* () {
        const { reach, tenant } = yield* begin
        const payment = yield* reach("settlementPending")
        const { option } = Payment.attemptOf(payment) ?? (yield* Effect.die("nobody paid"))
        const chains = yield* Chains
        const asked: Array<unknown> = []
        let says = false
        const isSignedBy = (account: Caip.Account, text: string, signature: string) =>
          Effect.sync(() => {
            asked.push([account, text, signature])
            return says
          })
        const contract = Chains.of({
          of: (mode) => Chain.of({ ...chains.of(mode), isSignedBy }),
        })
        const { address } = Wallet.make(77)
        const of = {
          paymentId: payment.id,
          destination: Caip.accountKey({ ...option.account, address }),
        }
        const given = yield* Refunds.statement(tenant, of)
        const signed = { ...of, statement: given.statement, proof: "0x1234" }
        const ask = Refunds.request(tenant, signed).pipe(Effect.provideService(Chains, contract))
        assert.deepStrictEqual(yield* Scene.issuesOf(ask), ["proof"])
        says = true
        const { refund } = yield* ask
        says = false
        assert.strictEqual(refund.to.address, address)
        const question = [option.account, given.statement, "0x1234"]
        assert.deepStrictEqual(asked, [question, question])
        yield* failsWith("RefundRefused", ask)
        assert.lengthOf(asked, 2)
      }),
    ),
  )
})
