import { assert, describe, it } from "@effect/vitest"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"

const asked = (mode: "live" | "test", testOutcome: string) => ({
  mode,
  metadata: { cart: "6735", testOutcome },
})

describe("TestOutcome", () => {
  it("each outcome changes exactly one thing of a test payment", () => {
    for (const name of TestOutcome.names) {
      assert.deepStrictEqual(TestOutcome.issues(asked("test", name)), [])
      assert.lengthOf(Object.keys(TestOutcome.of(asked("test", name))), 1)
    }
  })

  const others = ["", "fail", "FAILED", " failed", "constructor", "__proto__", "toString"]

  it("changes nothing of a live payment, whatever it names", () => {
    for (const name of [...TestOutcome.names, ...others]) {
      assert.deepStrictEqual(TestOutcome.issues(asked("live", name)), [])
      assert.deepStrictEqual(TestOutcome.of(asked("live", name)), {})
    }
  })

  it("refuses what it does not know, without repeating it", () => {
    const message = `testOutcome must be one of ${TestOutcome.names.join(", ")}`
    for (const name of others) {
      assert.deepStrictEqual(TestOutcome.issues(asked("test", name)), [
        { field: "metadata", message },
      ])
      assert.deepStrictEqual(TestOutcome.of(asked("test", name)), {})
    }
  })

  it("asks nothing of other metadata", () => {
    for (const metadata of [{}, { outcome: "failed" }, JSON.parse('{"__proto__": "failed"}')]) {
      assert.deepStrictEqual(TestOutcome.issues({ mode: "test", metadata }), [])
      assert.deepStrictEqual(TestOutcome.of({ mode: "test", metadata }), {})
    }
  })
})
