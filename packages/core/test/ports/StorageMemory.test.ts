import { assert, layer } from "@effect/vitest"
import { DueWork } from "@florin/core/ports/DueWork"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as StorageSuite from "@florin/testing/StorageSuite"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

StorageSuite.suite("memory", StorageMemory.layer)

layer(StorageMemory.layer)("the time of the memory's storage", (it) => {
  it.effect("S8: is its callers' clock, so that none of them is ahead of it or behind", () =>
    Effect.gen(function* () {
      const { time } = yield* DueWork
      for (const at of [1000, 1000 + 20 * 60_000, 500]) {
        yield* TestClock.setTime(at)
        assert.strictEqual(yield* time, at)
      }
    }),
  )
})
