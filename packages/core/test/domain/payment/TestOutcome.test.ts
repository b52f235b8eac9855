import { assert, describe, it } from "@effect/vitest"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"

const asked = (mode: "live" | "test", testOutcome: string) => ({
  mode,
  metadata: { cart: "6735", testOutcome },
})

/** What a payment requests that names nothing. */
const usual = { lifeMaxInS: Infinity, issues: [] }

describe("TestOutcome", () => {
  it("ends a test payment as its metadata names, and shortens the life of those only", () => {
    for (const name of TestOutcome.names) {
      const lifeMaxInS = name === "expired" ? 10 : Infinity
      assert.deepStrictEqual(TestOutcome.read(asked("test", name)), { lifeMaxInS, issues: [] })
      assert.strictEqual(TestOutcome.of(asked("test", name)), name)
    }
  })

  const others = ["", "fail", "FAILED", " failed", "constructor", "__proto__", "toString"]

  it("changes nothing of a live payment, whatever its metadata names", () => {
    for (const name of [...TestOutcome.names, ...others]) {
      assert.deepStrictEqual(TestOutcome.read(asked("live", name)), usual)
      assert.isUndefined(TestOutcome.of(asked("live", name)))
    }
  })

  it("refuses an unknown outcome without repeating it", () => {
    const message = `testOutcome must be one of ${TestOutcome.names.join(", ")}`
    for (const name of others) {
      assert.deepStrictEqual(TestOutcome.read(asked("test", name)), {
        ...usual,
        issues: [{ field: "metadata", message }],
      })
      assert.isUndefined(TestOutcome.of(asked("test", name)))
    }
  })

  it("ignores other metadata", () => {
    for (const metadata of [{}, { outcome: "failed" }, JSON.parse('{"__proto__": "failed"}')]) {
      assert.deepStrictEqual(TestOutcome.read({ mode: "test", metadata }), usual)
      assert.isUndefined(TestOutcome.of({ mode: "test", metadata }))
    }
  })
})
