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

describe("Remembered.texts", () => {
  const lengths = (most: number, isKept?: (length: number) => boolean) => {
    const computed: Array<string> = []
    const lengthOf = Remembered.texts(
      (text) => {
        computed.push(text)
        return text.length
      },
      most,
      isKept,
    )
    return { computed, lengthOf }
  }

  it("computes a value once for each text, up to a number of them", () => {
    const { computed, lengthOf } = lengths(2)
    assert.deepStrictEqual(["a", "bb", "a", "bb"].map(lengthOf), [1, 2, 1, 2])
    assert.deepStrictEqual(computed, ["a", "bb"])
    lengthOf("ccc")
    lengthOf("a")
    assert.deepStrictEqual(computed, ["a", "bb", "ccc", "a"])
  })

  it("computes a value each time that is not to be kept", () => {
    const { computed, lengthOf } = lengths(2, (length) => length > 1)
    assert.deepStrictEqual(["a", "bb", "a", "bb"].map(lengthOf), [1, 2, 1, 2])
    assert.deepStrictEqual(computed, ["a", "bb", "a"])
  })
})
