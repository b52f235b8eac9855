import { assert, describe, it } from "@effect/vitest"
import * as Counts from "../src/Counts.ts"

const cases = Array.from({ length: 20 }, (_, index) => index)
const seeds = Array.from({ length: 200 }, (_, index) => String(index))

describe.skipIf(Counts.full)("Counts.some", () => {
  it("returns the requested number of cases, in order, the same for the same seed", () => {
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

  it("returns every case over many seeds, each equally often", () => {
    const all = seeds.flatMap((seed) => Counts.some(cases, 6, seed))
    for (const each of cases) {
      assert.isAbove(all.filter((other) => other === each).length, 30)
    }
  })

  it("returns all cases if there are no more than requested, and none of an empty list", () => {
    assert.deepStrictEqual(Counts.some(cases, 20, "1"), cases)
    assert.deepStrictEqual(Counts.some(cases, 30, "1"), cases)
    assert.deepStrictEqual(Counts.some([], 3, "1"), [])
  })
})
