import { assert, layer } from "@effect/vitest"
import { DueWork } from "@florin/core/ports/DueWork"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as StorageSuite from "@florin/testing/StorageSuite"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

// It adds statements and lists up from all that it holds: what other themes wrote would be read again and again.
for (const theme of StorageSuite.themes) {
  StorageSuite.suite("memory", Layer.fresh(StorageMemory.layer), [theme])
}

layer(StorageMemory.layer)("the time of the memory's storage", (it) => {
  it.effect("S8: is its callers' clock, so that no caller is ahead or behind", () =>
    Effect.gen(function* () {
      const { time } = yield* DueWork
      for (const at of [1000, 1000 + 20 * 60_000, 500]) {
        yield* TestClock.setTime(at)
        assert.strictEqual(yield* time, at)
      }
    }),
  )
})
