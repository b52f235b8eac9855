import { assert, describe, it } from "@effect/vitest"
import * as Counts from "../src/Counts.ts"

const cases = Array.from({ length: 20 }, (_, index) => index)
const seeds = Array.from({ length: 200 }, (_, index) => String(index))

describe.skipIf(Counts.full)("some cases of many", () => {
  it("are so many, in their order, the same for the same seed", () => {
    for (const seed of seeds) {
      const chosen = Counts.some(cases, 6, seed)
      assert.lengthOf(chosen, 6)
      assert.deepStrictEqual(
        chosen,
        [...new Set(chosen)].toSorted((one, other) => one - other),
      )
      assert.deepStrictEqual(Counts.some(cases, 6, seed), chosen)
    }
  })

  it("are all of them over many seeds, and each as often as the others", () => {
    const all = seeds.flatMap((seed) => Counts.some(cases, 6, seed))
    for (const each of cases) {
      assert.isAbove(all.filter((other) => other === each).length, 30)
    }
  })

  it("are all where there are no more, and none of none", () => {
    assert.deepStrictEqual(Counts.some(cases, 20, "1"), cases)
    assert.deepStrictEqual(Counts.some(cases, 30, "1"), cases)
    assert.deepStrictEqual(Counts.some([], 3, "1"), [])
  })
})
