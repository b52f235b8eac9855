/**
 * How a list that is followed takes its new beginning.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { merged, type Pages } from "../src/shell/Load.ts"

const page = (text: string, next: string | null): Pages<string, null> => ({
  rows: [...text],
  next,
  page: null,
})
const rowsOf = ({ next, rows }: Pages<string, null>) => `${rows.join("")}>${next}`
const merge = (was: Pages<string, null>, now: Pages<string, null>) =>
  rowsOf(merged(was, now, (row) => row))

describe("a list that is loaded again", () => {
  it("puts new rows first, and keeps the later pages", () => {
    assert.strictEqual(merge(page("defghi", "i"), page("abcde", "e")), "abcdefghi>i")
  })

  it("drops rows that no longer match the filter", () => {
    assert.strictEqual(merge(page("abcdef", "f"), page("acd", "d")), "acdef>f")
  })

  it("shows only the new page if it does not overlap with the old list, so that no gap is hidden", () => {
    assert.strictEqual(merge(page("xyz", "z"), page("abc", "c")), "abc>c")
    assert.strictEqual(merge(page("", null), page("abc", null)), "abc>null")
    assert.strictEqual(merge(page("abc", null), page("", null)), ">null")
  })

  it("is complete if its first page has no cursor", () => {
    assert.strictEqual(merge(page("bcd", null), page("abc", null)), "abc>null")
  })
})
