/**
 * Budgets for failures: how writes charge them, and that writes never exceed them.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Spending from "@florin/core/domain/outflow/Spending"
import * as Change from "@florin/core/domain/payment/Change"
import type * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { atOnce, begin, failsWith, type It, range, timeout } from "./Scene.ts"

const { now } = Fixtures
const rounds = Counts.of({ usual: 2, full: 200 })

const beginCharging = Effect.gen(function* () {
  const scene = yield* begin
  const { lanes, payments, world } = scene
  const subjects = [`account ${world.next()}`, `merchant ${world.next()}`]

  const charge = (
    { id }: Payment.Payment,
    entries: ReadonlyArray<FailureBudget.Entry>,
    at: number = now,
  ) =>
    payments.modifyPayment(id, (current) =>
      Result.succeed({
        result: null,
        change: Change.make(current, now, { charges: { at, entries } }),
      }),
    )
  const read = Effect.map(lanes.constraints("test", subjects), ({ budgets }) => budgets)
  const [first = "", second = ""] = subjects
  return { ...scene, subjects, first, second, charge, read }
})

export const budgets = (it: It): void => {
  it.effect("S1: contain what was charged to them, and for whom", () =>
    Effect.gen(function* () {
      const { charge, create, first, lanes, read, second } = yield* beginCharging
      assert.deepStrictEqual(yield* read, [])
      const payment = yield* create()
      yield* charge(payment, [
        { subject: first, byInMs: 30, mostInMs: 60 },
        { subject: second, byInMs: 10 },
      ])
      yield* charge(payment, [{ subject: first, byInMs: 30, mostInMs: 60 }], now + 10)
      const charged = { subject: second, emptyAt: now + 10, hasPaid: false }
      assert.deepStrictEqual(yield* read, [
        { subject: first, emptyAt: now + 60, hasPaid: false },
        charged,
      ])
      yield* charge(payment, [{ subject: first, byInMs: -30, hasPaid: true }], now + 10)
      const paid = { subject: first, emptyAt: now + 30, hasPaid: true }
      assert.deepStrictEqual(yield* read, [paid, charged])
      // `hasPaid` stays true after the first payment.
      yield* charge(payment, [{ subject: first, byInMs: 1 }], now + 100)
      assert.deepStrictEqual((yield* read)[0], { ...paid, emptyAt: now + 101 })
      yield* charge(payment, [{ subject: second, byInMs: -50 }], now + 100)
      assert.deepStrictEqual((yield* read)[1], { ...charged, emptyAt: now + 50 })
      assert.deepStrictEqual((yield* lanes.constraints("live", [])).budgets, [])
    }),
  )

  it.effect("S1: refuse a write that charges one of them too much, and store nothing of it", () =>
    Effect.gen(function* () {
      const { charge, create, first, payments, read, second } = yield* beginCharging
      const payment = yield* create()
      const entries = [
        { subject: second, byInMs: 1, mostInMs: 60 },
        { subject: first, byInMs: 61, mostInMs: 60 },
      ]
      const refused = yield* failsWith("Uncovered", charge(payment, entries))
      assert.deepInclude(refused, { what: "failures" })
      assert.deepStrictEqual(yield* read, [])
      assert.deepStrictEqual(yield* payments.payment(payment.id), payment)
      yield* charge(payment, [{ subject: first, byInMs: 60, mostInMs: 60 }])
      yield* failsWith("Uncovered", charge(payment, [{ subject: first, byInMs: 1, mostInMs: 60 }]))
      yield* charge(payment, [{ subject: first, byInMs: 1, mostInMs: 60 }], now + 1)
    }),
  )

  it.effect("S31: refuse a payment that charges nothing only while they have no room", () =>
    Effect.gen(function* () {
      const { charge, create, first, read } = yield* beginCharging
      const payment = yield* create()
      const needed = { subject: first, byInMs: 0, mostInMs: 30 }
      yield* charge(payment, [needed])
      assert.deepStrictEqual(yield* read, [])
      yield* charge(payment, [{ subject: first, byInMs: 31 }])
      const refused = yield* failsWith("Uncovered", charge(payment, [needed]))
      assert.deepInclude(refused, { what: "failures" })
      yield* charge(payment, [needed], now + 1)
      assert.deepStrictEqual(yield* read, [{ subject: first, emptyAt: now + 31, hasPaid: false }])
    }),
  )

  it.effect(
    "S1: allow exactly as many of many concurrent charges as there is room for",
    () =>
      Effect.gen(function* () {
        for (const round of range(rounds)) {
          const { charge, createMany, first, read, second } = yield* beginCharging
          const allowed = 1 + (round % 3)
          const results = yield* atOnce(yield* createMany(8), (payment) =>
            Effect.result(
              charge(payment, [
                { subject: first, byInMs: 10 },
                { subject: second, byInMs: 10, mostInMs: 10 * allowed },
              ]),
            ),
          )
          assert.lengthOf(results.filter(Result.isSuccess), allowed)
          assert.deepStrictEqual(
            (yield* read).map(({ emptyAt }) => emptyAt),
            [now + 10 * allowed, now + 10 * allowed],
          )
        }
      }),
    timeout,
  )

  it.effect(
    "S1: are read together with halts and the spending of lanes, also for accounts with code",
    () =>
      Effect.gen(function* () {
        const { lanes, world } = yield* begin
        const { chainId } = world.lane
        const spendingOf = Effect.map(
          lanes.constraints("test", []),
          (all) =>
            all.lanes.find(
              ({ lane }) => lane.chainId === chainId && lane.sender === world.lane.sender,
            )?.spending,
        )
        assert.isUndefined(yield* spendingOf)
        const place = Effect.fnUntraced(function* (nonce: number, byCode: boolean) {
          const state = yield* lanes.laneState("test", world.lane)
          const transaction: Lane.Transaction = {
            ...Fixtures.laneTransaction(world.lane, nonce),
            signedAt: now,
            feeMax: Fixtures.quantity(7n),
            ...(byCode && { byCode: true }),
          }
          assert.isTrue(yield* lanes.placeInLane({ transaction, state }, null))
        })
        yield* place(0, false)
        const hour = Spending.hourOf(now)
        assert.deepStrictEqual(yield* spendingOf, { hour, quantity: 7n })
        yield* place(1, true)
        const spent = { hour, quantity: 14n, byCode: 7n }
        assert.deepStrictEqual(yield* spendingOf, spent)
        assert.deepStrictEqual((yield* lanes.laneState("test", world.lane)).spending, spent)
        yield* lanes.modifyChainState("test", chainId, (current) => ({
          ...current,
          halt: { reason: "a test", haltedAt: now },
        }))
        assert.include((yield* lanes.constraints("test", [])).halted, chainId)
        yield* lanes.modifyChainState("test", chainId, (current) => ({ ...current, halt: null }))
        assert.notInclude((yield* lanes.constraints("test", [])).halted, chainId)
      }),
  )
}
