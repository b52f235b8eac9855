import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Cursor from "@florin/core/domain/list/Cursor"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const keyOf = (byte: number) => Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(byte)]))
const key = keyOf(7)
const list = `["payments","prtn_1"]`
const place = ["fiat/USD", "1234", "pay_1"]
const cursor = Cursor.encode(key, list, place)

const rule =
  "must be the nextCursor of the previous page of this list, with the same filters and order: start again without a cursor"

const refused = (text: string, of: { key?: Seal.SealKeys; boundTo?: string } = {}) => {
  const decoded = Cursor.decode(of.key ?? key, of.boundTo ?? list, text)
  if (Result.isSuccess(decoded)) return assert.fail(`opened: ${text}`)
  assert.strictEqual(decoded.failure._tag, "InvalidInput")
  assert.strictEqual(decoded.failure.message, `cursor: ${rule}`)
}

const fingerprint = (boundTo: string): Buffer =>
  createHash("sha256").update(boundTo).digest().subarray(0, 16)

const sealed = (...parts: ReadonlyArray<Uint8Array>) =>
  `cur_${Seal.seal(key, "cursor", Buffer.concat([...parts]))}`

const bytesOf = (text: string) => Result.getOrThrow(Seal.open(key, "cursor", text.slice(4)))

const anyText = Schema.Literals([
  "",
  "a",
  "\0",
  "\n",
  '"',
  "\\",
  "é",
  "\u2028",
  "😀",
  "\ud800",
  "\udfff",
  "\uffff",
])

describe("Cursor", () => {
  it("reads back the position that it was made of", () => {
    assert.deepStrictEqual(Result.getOrThrow(Cursor.decode(key, list, cursor)), place)
    assert.match(cursor, /^cur_[A-Za-z0-9_-]+$/u)
  })

  it("is the seal of the list's fingerprint and the position as ASCII JSON", () => {
    const text = Cursor.encode(key, list, ["\u007f\u0080é", "😀\ud800"])
    const opened = Buffer.from(bytesOf(text))
    assert.deepStrictEqual(opened.subarray(0, 16), fingerprint(list))
    assert.strictEqual(
      opened.subarray(16).toString("latin1"),
      `["\u007f\\u0080\\u00e9","\\ud83d\\ude00\\ud800"]`,
    )
  })

  it.prop(
    "reads back every position",
    [
      Arbitrary.array(
        Arbitrary.map(Arbitrary.array(Arbitrary.schema(anyText)), (parts) => parts.join("")),
      ),
    ],
    ([parts]) => {
      const text = Cursor.encode(key, list, parts)
      assert.deepStrictEqual(Result.getOrThrow(Cursor.decode(key, list, text)), parts)
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 20_000 }) } },
  )

  it("refuses another key, another list and another purpose", () => {
    refused(cursor, { key: keyOf(8) })
    refused(cursor, { boundTo: `["payments","prtn_2"]` })
    refused(cursor, { boundTo: "" })
    const bytes = bytesOf(cursor)
    refused(`cur_${Seal.seal(key, "option", bytes)}`)
    refused(Seal.seal(key, "cursor", bytes))
    assert.strictEqual(sealed(bytes), cursor)
  })

  it("compares every byte of the list's fingerprint", () => {
    const bytes = bytesOf(cursor)
    for (let index = 0; index < 16; index++) {
      const changed = Uint8Array.from(bytes, (byte, at) => (at === index ? byte ^ 1 : byte))
      refused(sealed(changed))
    }
  })

  it("refuses sealed bytes that are not a position", () => {
    const bound = fingerprint(list)
    for (const body of ["", "[", "null", "{}", '"text"', "[1]", '["a",null]', '[["a"]]', "\xff"]) {
      refused(sealed(bound, Buffer.from(body, "latin1")))
    }
    for (const length of [0, 1, 15]) refused(sealed(bound.subarray(0, length)))
    assert.deepStrictEqual(
      Result.getOrThrow(Cursor.decode(key, list, sealed(bound, Buffer.from("[]")))),
      [],
    )
  })

  it.prop(
    "refuses hostile text",
    [HostileText.near([cursor, "AAAA", `${"A".repeat(200)}`])],
    ([text]) => {
      if (text !== cursor) refused(text)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
