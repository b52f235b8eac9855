import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Cleaner from "@florin/core/workers/Cleaner"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { now, play } = Scene

/** Personal data of many payers, to be deleted at a time; tells how much of it is left. */
const collect = Effect.fnUntraced(function* (world: Scene.World, payers: number, deleteAt: number) {
  const ids: Array<PaymentId.PaymentId> = []
  for (let payer = 0; payer < payers; payer++) {
    // A payment has room for so many.
    if (payer % Limits.collectedPerPaymentMax === 0) ids.push((yield* world.create()).id)
    const account = Fixtures.account(`payer ${payer}`)
    const id = ids.at(-1) ?? assert.fail("there is no payment")
    yield* world.payments.putCollected(id, world.fixtures.collected({ account, deleteAt }))
  }
  const kept = Effect.forEach(ids, world.payments.collected)
  return { left: Effect.map(kept, (all) => all.flat().length) }
})

/** An answer that was given now. */
const answer = Effect.fnUntraced(function* (world: Scene.World, at: number) {
  const once = world.fixtures.once()
  yield* world.answers.respondOnce(once, at, Effect.succeed("an answer"))
  return (later: number) => world.answers.storedResponse(once, later)
})

describe("Cleaner", () => {
  it.effect(
    "deletes exactly the records whose retention time is over",
    play((world) =>
      Effect.gen(function* () {
        const past = yield* collect(world, 3, now)
        const present = yield* collect(world, 2, now + 1)
        const forgotten = yield* answer(world, now - Limits.idempotencyKeptInMs)
        const remembered = yield* answer(world, now - Limits.idempotencyKeptInMs + 1)
        yield* Cleaner.drain
        assert.strictEqual(yield* past.left, 0)
        assert.strictEqual(yield* present.left, 2)
        // Asked as if no time had passed: it is gone, not only judged so.
        assert.isNull(yield* forgotten(now - Limits.idempotencyKeptInMs))
        assert.strictEqual(yield* remembered(now), "an answer")
      }),
    ),
  )

  it.effect(
    "deletes a long backlog in writes of a bounded size",
    play((world) =>
      Effect.gen(function* () {
        const { payments } = world
        const left = yield* collect(world, 2 * Cleaner.deletedAtOnceMax + 1, now)
        const deleted: Array<number> = []
        const counting = PaymentStore.of({
          ...payments,
          deleteCollected: (at, limit) =>
            Effect.tap(payments.deleteCollected(at, limit), (count) =>
              Effect.sync(() => deleted.push(count)),
            ),
        })
        yield* Effect.provideService(Cleaner.drain, PaymentStore, counting)
        assert.deepStrictEqual(deleted, [Cleaner.deletedAtOnceMax, Cleaner.deletedAtOnceMax, 1])
        assert.strictEqual(yield* left.left, 0)
      }),
    ),
  )

  it.effect(
    "runs while the scope of its layer is open, even after the storage failed",
    play((world) =>
      Effect.gen(function* () {
        const { payments } = world
        let failures = 1
        const failing = PaymentStore.of({
          ...payments,
          deleteCollected: (at, limit) =>
            failures-- > 0
              ? Effect.fail(new StorageUnavailable({ message: "ask again" }))
              : payments.deleteCollected(at, limit),
        })
        const soon = yield* collect(world, 1, now + 1000)
        const scope = yield* Scope.make()
        yield* Layer.buildWithScope(Cleaner.layer, scope).pipe(
          Effect.provideService(PaymentStore, failing),
        )
        assert.strictEqual(yield* soon.left, 1)
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual(yield* soon.left, 0)
        yield* Scope.close(scope, Exit.void)
        const later = yield* collect(world, 1, now)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* later.left, 1)
      }),
    ),
  )
})
