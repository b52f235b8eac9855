/**
 * The recorded examples equal what the server responds with today.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Examples from "../../packages/api/src/Examples.ts"
import * as examples from "../examples.ts"

describe("examples", () => {
  it.effect("are byte for byte the same for the same story", () =>
    Effect.gen(function* () {
      const recorded = yield* examples.record
      assert.strictEqual(
        JSON.stringify(recorded, null, 2),
        JSON.stringify(Examples.all, null, 2),
        "run pnpm generate, and look at what changed",
      )
    }),
  )

  it("have different names within an operation", () => {
    const names = Examples.all.map(
      ({ name, operation, status }) => `${operation} ${status} ${name}`,
    )
    assert.strictEqual(new Set(names).size, names.length)
  })

  it("contain no key", () => {
    assert.notMatch(JSON.stringify(Examples.all), /flr_(?:test|live)_/u)
  })
})
