import { assert, describe, it } from "@effect/vitest"
import * as Remembered from "@florin/core/domain/ground/Remembered"

describe("Remembered.memoize", () => {
  it("computes once for each object, even if the result is undefined", () => {
    const asked: Array<string> = []
    const answerOf = Remembered.memoize(({ name }: { readonly name: string }) => {
      asked.push(name)
      return name === "" ? undefined : name.toUpperCase()
    })
    const [some, none] = [{ name: "a" }, { name: "" }]
    for (const turn of ["first", "second"]) {
      assert.strictEqual(answerOf(some), "A", turn)
      assert.isUndefined(answerOf(none), turn)
    }
    assert.strictEqual(answerOf({ ...some }), "A")
    assert.deepStrictEqual(asked, ["a", "", "a"])
  })
})
