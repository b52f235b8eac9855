import { assert, describe, it } from "@effect/vitest"
import { inTurn, LaneStore } from "@florin/core/ports/LaneStore"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const [lane, other] = [Fixtures.lane("one"), Fixtures.lane("other")]

const begin = Effect.gen(function* () {
  const lanes = yield* LaneStore
  const began = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const holding = Effect.andThen(Deferred.succeed(began, undefined), Deferred.await(release))
  const holder = yield* Effect.forkChild(inTurn(lanes, lane, holding))
  yield* Deferred.await(began)
  return { lanes, release, holder }
}).pipe(Effect.provide(StorageMemory.layer))

describe("LaneStore.inTurn", () => {
  it.effect(
    "gives a lane to one fiber of a process at a time, and does not block other lanes",
    () =>
      Effect.gen(function* () {
        const { holder, lanes, release } = yield* begin
        const waiting = yield* Effect.forkChild(inTurn(lanes, lane, Effect.succeed("next")), {
          startImmediately: true,
        })
        assert.strictEqual(
          yield* inTurn(lanes, other, Effect.succeed("another lane")),
          "another lane",
        )
        const elsewhere = inTurn({ ...lanes }, lane, Effect.succeed("another process"))
        assert.strictEqual(yield* elsewhere, "another process")
        assert.isUndefined(waiting.pollUnsafe())
        yield* Deferred.succeed(release, undefined)
        assert.strictEqual(yield* Fiber.join(waiting), "next")
        yield* Fiber.join(holder)
      }),
  )

  it.effect("frees the lane when its fiber fails, dies or is interrupted", () =>
    Effect.gen(function* () {
      const { holder, lanes } = yield* begin
      yield* Fiber.interrupt(holder)
      for (const signing of [Effect.fail("no"), Effect.die("a defect")]) {
        yield* Effect.exit(inTurn(lanes, lane, signing))
      }
      assert.isTrue(yield* inTurn(lanes, lane, Effect.succeed(true)))
    }),
  )
})
