import { assert, describe, it } from "@effect/vitest"
import * as Service from "@florin/testing/Service"
import { Effect } from "effect"
import * as Walk from "../src/Walk.ts"

describe("Walk.walk", () => {
  it.effect("fails at the first step that does not come out", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const tell: Walk.Tell = (text) => Effect.sync(() => void told.push(text))
      // Nobody holds anything, so no option fits.
      const failure = yield* Effect.flip(Walk.walk(tell))
      assert.strictEqual(failure._tag, "WalkFailed")
      assert.strictEqual(failure.message, "USDC on Base was not offered")
      assert.strictEqual(told.length, 3)
    }).pipe(Effect.provide(Service.layer())),
  )
})
