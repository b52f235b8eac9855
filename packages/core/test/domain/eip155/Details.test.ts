import { assert, describe, it } from "@effect/vitest"
import * as Assets from "@florin/core/domain/eip155/Assets"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Harbour from "../harbour.ts"

/** As a storage gives it back. */
const stored = <A>(row: A): A => JSON.parse(JSON.stringify(row))

describe("Details", () => {
  it("are read back from a token's row, also after it was stored as JSON", () => {
    for (const asset of Assets.all) {
      const details = Details.of(asset)
      assert.deepStrictEqual(Details.encode(details), asset.details)
      assert.deepStrictEqual(Details.of(stored(asset)), details)
    }
  })

  it("are in the rows of EVM tokens, and in no row of another family", () => {
    for (const asset of Assets.all) assert.isTrue(Details.isIn(asset))
    assert.isFalse(Details.isIn(Harbour.coin))
  })

  it("cause a defect if they are read from the row of another family", () => {
    assert.throws(() => Details.of(Harbour.coin))
    for (const asset of Assets.all) {
      assert.throws(() => Details.of({ ...asset, details: {} }))
    }
  })
})
