import { assert, describe, it } from "@effect/vitest"
import * as Page from "@florin/core/domain/list/Page"

describe("Page", () => {
  it("has no more than its limit, and a cursor only if more follow", () => {
    const after = (last: string) => `after ${last}`
    const full = Page.cut(["a", "b", "c"], 2)
    assert.deepStrictEqual(full, { items: ["a", "b"], hasMore: true })
    assert.strictEqual(Page.nextCursor(full, after), "after b")
    const last = Page.cut(["a", "b"], 2)
    assert.deepStrictEqual(last, { items: ["a", "b"], hasMore: false })
    assert.isNull(Page.nextCursor(last, after))
    assert.isNull(Page.nextCursor({ items: [], hasMore: true }, after))
  })
})
