import { assert, describe, it } from "@effect/vitest"
import * as Unseen from "@florin/core/domain/ground/Unseen"
import * as Csv from "@florin/core/domain/list/Csv"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index))

const named: Readonly<Record<string, ReadonlyArray<string>>> = {
  "C0 and DEL": [...range(0x00, 0x1f), "\u007F"],
  C1: range(0x80, 0x9f),
  bidi: [...range(0x202a, 0x202e), ...range(0x2066, 0x2069), "\u200E", "\u200F", "\u061C"],
  "without width": [...range(0x200b, 0x200d), "\u2060", "\uFEFF", "\u00AD", "\u034F", "\u180E"],
  fillers: ["\u115F", "\u1160", "\u3164", "\uFFA0"],
  tags: range(0xe0000, 0xe007f),
  "variation selectors": [...range(0xfe00, 0xfe0e), ...range(0xe0100, 0xe01ef)],
  "line breaks": ["\u2028", "\u2029"],
  "half of a pair": ["\uD800", "\uDFFF"],
}

describe("characters that readers do not see", () => {
  it("S37: are masked, and escaped in JSON and CSV", () => {
    for (const [kind, characters] of Object.entries(named)) {
      for (const character of characters) {
        const code = `${kind} ${character.codePointAt(0)?.toString(16)}`
        const text = `a${character}b`
        assert.strictEqual(Unseen.mask(text), "a\uFFFDb", code)
        assert.match(Unseen.escape(text), /^a(?:\\u[0-9a-f]{4}){1,2}b$/u, code)
        assert.match(Csv.line([text]), /^a(?:\\u[0-9a-f]{4}){1,2}b\r\n$/u, code)
        const json = Unseen.escapeJson(JSON.stringify({ [text]: text }, null, 2))
        assert.match(json, /^[\n -~]+$/u, code)
        assert.deepStrictEqual(JSON.parse(json), { [text]: text }, code)
      }
    }
  })

  it.prop(
    "S37: are in no JSON, which still has the same value",
    [HostileText.of(Object.values(named).flat())],
    ([text]) => {
      const json = Unseen.escapeJson(JSON.stringify([text, { [text]: text }]))
      assert.strictEqual(Unseen.mask(json), json)
      assert.deepStrictEqual(JSON.parse(json), [text, { [text]: text }])
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )

  it("do not include visible text in any script, and emoji", () => {
    for (const text of ["Café", "שלום", "سلام", "ราคา", "会社", "é", "❤\uFE0F 😀", "a b　c"]) {
      assert.strictEqual(Unseen.mask(text), text)
      assert.strictEqual(Unseen.escape(text), text)
    }
    assert.strictEqual(Unseen.escape("می\u200Cخواهم"), "می\\u200cخواهم")
  })
})
