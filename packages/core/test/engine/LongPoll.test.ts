import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Change from "@florin/core/domain/payment/Change"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as LongPoll from "@florin/core/engine/payment/LongPoll"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Signals } from "@florin/core/ports/Signals"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Stores from "@florin/testing/Stores"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { alone, begin, reportChange, now } = Scene

const changedFrom = (before: Payment.Payment) => (payment: Payment.Payment) =>
  payment.revision !== before.revision
const never = () => false

const start = Effect.gen(function* () {
  const scene = yield* begin
  const { payment } = yield* scene.pay()
  const signals = yield* Signals
  const modifyPayment = Stores.modifyPayment(yield* OutflowStore)
  /** Changes nothing but the revision, with or without telling anybody. */
  const touch = (id: PaymentId.PaymentId) =>
    modifyPayment(
      id,
      reportChange((current) => Result.succeed(Change.make(current, now, {}))),
    )
  return { ...scene, payment, signals, touch }
})

describe("LongPoll.hold", () => {
  it.effect(
    "returns immediately if there is nothing to wait for",
    alone(
      Effect.gen(function* () {
        const { payment, signals } = yield* start
        assert.strictEqual(yield* LongPoll.hold(payment, 10_000, () => true), payment)
        assert.strictEqual(yield* LongPoll.hold(payment, 0, never), payment)
        assert.strictEqual(yield* LongPoll.hold(payment, -1, never), payment)
        assert.deepStrictEqual(signals.watching(payment.id), { all: 0, here: 0 })
      }),
    ),
  )

  it.effect(
    "returns a change immediately when a signal reports it",
    alone(
      Effect.gen(function* () {
        const { payment, signals, touch } = yield* start
        const held = yield* Effect.forkChild(LongPoll.hold(payment, 10_000, changedFrom(payment)))
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(signals.watching(payment.id), { all: 1, here: 1 })
        yield* touch(payment.id)
        yield* signals.changed(payment.id)
        assert.strictEqual((yield* Fiber.join(held)).revision, payment.revision + 1)
        assert.deepStrictEqual(signals.watching(payment.id), { all: 0, here: 0 })
      }),
    ),
  )

  it.effect(
    "keeps waiting if a signal comes without a change",
    alone(
      Effect.gen(function* () {
        const { payment, signals } = yield* start
        const held = yield* Effect.forkChild(LongPoll.hold(payment, 10_000, changedFrom(payment)))
        for (let index = 0; index < 5; index++) {
          yield* TestClock.adjust(1)
          yield* signals.changed(payment.id)
        }
        yield* TestClock.adjust(1000)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(8994)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(held), payment)
      }),
    ),
  )

  it.effect(
    "does not wake for a signal of another payment",
    alone(
      Effect.gen(function* () {
        const { pay, payment, signals, touch } = yield* start
        const other = (yield* pay()).payment
        const held = yield* Effect.forkChild(LongPoll.hold(payment, 4000, changedFrom(payment)))
        yield* TestClock.adjust(1)
        yield* touch(other.id)
        yield* signals.changed(other.id)
        yield* TestClock.adjust(3998)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(held), payment)
      }),
    ),
  )

  it.effect(
    "finds a change without a signal at its next read, while signals may be lost",
    alone(
      Effect.gen(function* () {
        const { payment, signals, touch } = yield* start
        const held = yield* LongPoll.hold(payment, 20_000, changedFrom(payment)).pipe(
          Effect.provideService(Signals, Signals.of({ ...signals, isReliable: () => false })),
          Effect.forkChild,
        )
        yield* TestClock.adjust(1)
        yield* touch(payment.id)
        yield* TestClock.adjust(4998)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* Fiber.join(held)).revision, payment.revision + 1)
      }),
    ),
  )

  it.effect(
    "reads nothing while it waits, and once for all waiting calls",
    alone(
      Effect.gen(function* () {
        const { payment, payments, signals, touch } = yield* start
        let reads = 0
        const counted = PaymentStore.of({
          ...payments,
          payment: (id) => {
            reads += 1
            return payments.payment(id)
          },
        })
        const held = yield* Effect.forEach(Array.from({ length: 100 }), () =>
          LongPoll.hold(payment, 20_000, changedFrom(payment)).pipe(
            Effect.provideService(PaymentStore, counted),
            Effect.forkChild,
          ),
        )
        yield* TestClock.adjust(1)
        assert.isAtMost(reads, 2)
        reads = 0
        yield* TestClock.adjust(15_000)
        assert.strictEqual(reads, 0)
        yield* touch(payment.id)
        yield* signals.changed(payment.id)
        yield* Effect.forEach(held, Fiber.join)
        assert.strictEqual(reads, 1)
      }),
    ),
  )

  it.effect(
    "fails all waiting calls if the payment cannot be read",
    alone(
      Effect.gen(function* () {
        const { payment, payments, signals } = yield* start
        const unavailable = new StorageUnavailable({ message: "the database does not respond" })
        const broken = PaymentStore.of({ ...payments, payment: () => Effect.fail(unavailable) })
        const held = yield* Effect.forEach([1, 2], () =>
          Effect.forkChild(
            Effect.flip(
              Effect.provideService(LongPoll.hold(payment, 20_000, never), PaymentStore, broken),
            ),
          ),
        )
        const failures = yield* Effect.forEach(held, Fiber.join)
        assert.deepStrictEqual(failures, [unavailable, unavailable])
        assert.deepStrictEqual(signals.watching(payment.id), { all: 0, here: 0 })
      }),
    ),
  )

  it.effect(
    "finds a change that came before it started to watch",
    alone(
      Effect.gen(function* () {
        const { payment, signals, touch } = yield* start
        yield* touch(payment.id)
        yield* signals.changed(payment.id)
        const answer = yield* LongPoll.hold(payment, 10_000, changedFrom(payment))
        assert.strictEqual(answer.revision, payment.revision + 1)
      }),
    ),
  )

  it.effect(
    "waits no longer than the service allows, whatever is asked for",
    alone(
      Effect.gen(function* () {
        const { pay } = yield* start
        const { payment } = yield* pay({
          request: { ...Scene.request, expiresAt: now / 1000 + 600 },
        })
        const held = yield* Effect.forkChild(LongPoll.hold(payment, Number.MAX_SAFE_INTEGER, never))
        yield* TestClock.adjust(Limits.longPollMaxInMs - 1)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(held), payment)
      }),
    ),
  )

  it.effect(
    "returns at the millisecond when the payment expires",
    alone(
      Effect.gen(function* () {
        const { pay } = yield* start
        const { payment } = yield* pay({ request: { ...Scene.request, expiresAt: now / 1000 + 3 } })
        const held = yield* Effect.forkChild(
          LongPoll.hold(payment, 10_000, (each) => Payment.stored(each) === "expired"),
        )
        yield* TestClock.adjust(2999)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.strictEqual(Payment.stored(yield* Fiber.join(held)), "expired")
      }),
    ),
  )

  it.effect(
    "A10: frees its place when the caller disconnects",
    alone(
      Effect.gen(function* () {
        const { payment, signals } = yield* start
        const held = yield* Effect.forkChild(LongPoll.hold(payment, 10_000, never))
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(signals.watching(payment.id), { all: 1, here: 1 })
        yield* Fiber.interrupt(held)
        assert.deepStrictEqual(signals.watching(payment.id), { all: 0, here: 0 })
      }),
    ),
  )

  it.effect(
    "wakes all callers that wait",
    alone(
      Effect.gen(function* () {
        const { payment, signals, touch } = yield* start
        const held = yield* Effect.forEach(Array.from({ length: 100 }), () =>
          Effect.forkChild(LongPoll.hold(payment, 10_000, changedFrom(payment))),
        )
        yield* TestClock.adjust(1)
        assert.strictEqual(signals.watching(payment.id).here, 100)
        yield* touch(payment.id)
        yield* signals.changed(payment.id)
        const answers = yield* Effect.forEach(held, Fiber.join)
        assert.isTrue(answers.every(changedFrom(payment)))
        assert.strictEqual(signals.watching(payment.id).all, 0)
      }),
    ),
  )

  it.effect(
    "A10: returns immediately at capacity, and still waits just below it",
    alone(
      Effect.gen(function* () {
        const { payment, signals } = yield* start
        const parked = { all: Limits.longPollParkedMax, here: Limits.longPollParkedPerPaymentMax }
        const holdAt = (watching: { readonly all: number; readonly here: number }) =>
          Effect.provideService(
            LongPoll.hold(payment, 4000, never),
            Signals,
            Signals.of({ ...signals, watching: () => watching }),
          )
        assert.strictEqual(yield* holdAt({ all: parked.all, here: 0 }), payment)
        assert.strictEqual(yield* holdAt({ all: 0, here: parked.here }), payment)
        const held = yield* Effect.forkChild(holdAt({ all: parked.all - 1, here: parked.here - 1 }))
        yield* TestClock.adjust(3999)
        assert.isUndefined(held.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(held), payment)
      }),
    ),
  )
})
