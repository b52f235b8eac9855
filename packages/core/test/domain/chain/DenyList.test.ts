import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as DenyList from "@florin/core/domain/chain/DenyList"

const addresses = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) =>
    Caip.Address.make(`0x${(from + index).toString(16).padStart(40, "0")}`),
  )

const inForce = (list: ReadonlyArray<Caip.Address>): DenyList.DenyList => ({
  inForce: list,
  refused: null,
})

describe("a deny list", () => {
  const cases: ReadonlyArray<
    readonly [
      what: string,
      before: readonly [number, number],
      after: readonly [number, number],
      isRefused: boolean,
    ]
  > = [
    ["the same", [0, 100], [0, 100], false],
    ["longer", [0, 100], [0, 300], false],
    ["cut by a tenth", [0, 100], [0, 90], false],
    ["cut by more than a tenth", [0, 100], [0, 89], true],
    ["of the same size, with a tenth of it replaced", [0, 100], [10, 110], false],
    ["of the same size, with more than a tenth of it replaced", [0, 100], [11, 111], true],
    ["longer, with more than a tenth of it replaced", [0, 100], [11, 500], true],
    ["emptied", [0, 100], [0, 0], true],
    ["emptied, with one address before", [0, 1], [0, 0], true],
    ["empty, as before", [0, 0], [0, 0], false],
    ["filled", [0, 0], [0, 1], false],
    ["cut by one of nine", [0, 9], [0, 8], true],
    ["cut by one of ten", [0, 10], [0, 9], false],
  ]
  for (const [what, before, after, isRefused] of cases) {
    it(`S38: is ${isRefused ? "refused" : "taken"} if it is ${what}`, () => {
      const [old, listed] = [addresses(...before), addresses(...after)]
      const taken = DenyList.take(inForce(old), listed, true, 7)
      assert.strictEqual(taken.isRefused, isRefused)
      assert.isEmpty(DenyList.lost(listed, taken.denied))
      if (isRefused) {
        assert.isEmpty(DenyList.lost(old, taken.denied))
        assert.deepStrictEqual(taken.next, {
          inForce: old,
          refused: { addresses: listed, since: 7 },
        })
      } else {
        assert.isTrue(DenyList.isSame(taken.denied, listed))
        const { inForce: kept } = taken.next ?? inForce(old)
        assert.isTrue(DenyList.isSame(kept ?? [], listed))
      }
    })
  }

  it("S38: accepts any list if there was none before", () => {
    assert.deepStrictEqual(DenyList.take(DenyList.empty, [], true, 7).next, inForce([]))
  })

  it("S38: is confirmed by its own digest in any order of its lines, and by no other", () => {
    const [old, listed] = [addresses(0, 100), addresses(0, 50)]
    const { next } = DenyList.take(inForce(old), listed, true, 7)
    const refused = next ?? assert.fail("it was taken")
    assert.isNull(DenyList.confirm(refused, DenyList.digest(old)))
    assert.isNull(DenyList.confirm(inForce(old), DenyList.digest(old)))
    const confirmed = DenyList.confirm(refused, DenyList.digest(listed.toReversed()))
    assert.deepStrictEqual(confirmed, inForce(listed))
    assert.isFalse(DenyList.take(inForce(listed), listed, true, 8).isRefused)
  })

  it("S38: replaces another process's refused list only if it is newer", () => {
    const old = addresses(0, 100)
    const first = DenyList.take(inForce(old), addresses(0, 50), true, 7).next
    const recorded = first ?? assert.fail("it was taken")
    assert.isNull(DenyList.take(recorded, addresses(0, 50), true, 8).next)
    assert.isNull(DenyList.take(recorded, addresses(0, 40), false, 8).next)
    const replaced = DenyList.take(recorded, addresses(0, 40), true, 8).next
    assert.strictEqual(DenyList.refusalOf(replaced ?? recorded)?.lost.length, 60)
    assert.deepStrictEqual(DenyList.take(recorded, old, true, 8).next, inForce(old))
  })
})
