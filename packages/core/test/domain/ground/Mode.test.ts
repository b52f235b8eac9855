import { assert, describe, it } from "@effect/vitest"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

describe("Mode", () => {
  it("is test or live, and nothing else", () => {
    const decode = Schema.decodeUnknownResult(Mode.Mode)
    for (const mode of ["test", "live"]) assert.strictEqual(Result.getOrThrow(decode(mode)), mode)
    for (const other of ["", "Live", "TEST", "both", null, 0]) {
      assert.isTrue(Result.isFailure(decode(other)))
    }
  })
})
