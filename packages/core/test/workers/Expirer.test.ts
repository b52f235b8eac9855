import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as Expirer from "@florin/core/workers/Expirer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { now, play, tokens, traces } = Scene

const endsAt = now + Limits.paymentLifeDefaultInS * 1000

describe("Expirer", () => {
  it.effect(
    "expires a payment at the millisecond, once, with its event",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        yield* TestClock.setTime(endsAt - 1)
        const before = yield* traces(id)
        yield* Expirer.drain
        assert.deepStrictEqual(yield* traces(id), before)
        yield* TestClock.setTime(endsAt)
        assert.strictEqual(yield* world.statusOf(id), "expired")
        assert.deepStrictEqual(yield* traces(id), before)
        yield* Expirer.drain
        yield* Expirer.drain
        assert.strictEqual((yield* world.get(id)).state._tag, "Expired")
        assert.deepStrictEqual(yield* world.typesOf(id), ["payment.created", "payment.expired"])
        assert.isNull(yield* world.work.nextDueAt("expire"))
      }),
    ),
  )

  it.effect(
    "ignores payments that were confirmed or cancelled in time, however long they take",
    play((world) =>
      Effect.gen(function* () {
        const processing = yield* world.pay(tokens.eip3009)
        const cancelled = yield* world.create()
        yield* Gateway.cancel(world.caller, cancelled.id)
        assert.isNull(yield* world.work.nextDueAt("expire"))
        yield* TestClock.adjust("2 hours")
        yield* Expirer.drain
        assert.strictEqual(yield* world.statusOf(processing.id), "processing")
        assert.strictEqual(yield* world.statusOf(cancelled.id), "cancelled")
      }),
    ),
  )

  it.effect(
    "expires each payment at its own time",
    play((world) =>
      Effect.gen(function* () {
        const payments = yield* Effect.forEach([60, 120, 180], (seconds) =>
          world.create({ expiresAt: now / 1000 + seconds }),
        )
        for (const [index] of payments.entries()) {
          yield* TestClock.adjust("1 minute")
          yield* Expirer.drain
          const states = yield* Effect.forEach(payments, ({ id }) =>
            Effect.map(world.get(id), ({ state }) => state._tag),
          )
          assert.deepStrictEqual(
            states,
            payments.map((_, each) => (each <= index ? "Expired" : "RequiresAction")),
          )
        }
      }),
    ),
  )
})
