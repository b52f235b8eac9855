import { assert, describe, it } from "@effect/vitest"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Cursor from "@florin/core/domain/list/Cursor"
import * as SequenceCursor from "@florin/core/domain/list/SequenceCursor"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"

const key = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))
const otherKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)]))
const scope: SequenceCursor.Scope = {
  list: "events",
  partnerId: PartnerId.PartnerId.make("prtn_1"),
  mode: "live",
}
const boundTo = `["events","prtn_1","live",null,null]`

const refused = (result: Result.Result<number | null, Invalid.InvalidInput>) =>
  assert.strictEqual(Result.isFailure(result) && result.failure.message, `cursor: ${Cursor.rule}`)

describe("SequenceCursor", () => {
  it("is null on the first page", () => {
    assert.deepStrictEqual(SequenceCursor.read(key, scope, undefined), Result.succeed(null))
  })

  it.each([0, 1, 4711, Number.MAX_SAFE_INTEGER])("continues after %s", (sequence) => {
    const cursor = SequenceCursor.encode(key, scope, sequence)
    assert.deepStrictEqual(SequenceCursor.read(key, scope, cursor), Result.succeed(sequence))
    assert.strictEqual(cursor, Cursor.encode(key, boundTo, [sequence.toString()]))
  })

  it("refuses a cursor of another partner, mode, service or list", () => {
    const cursor = SequenceCursor.encode(key, scope, 7)
    const partnerId = PartnerId.PartnerId.make("prtn_2")
    refused(SequenceCursor.read(key, { ...scope, partnerId }, cursor))
    refused(SequenceCursor.read(key, { ...scope, mode: "test" }, cursor))
    refused(SequenceCursor.read(key, { ...scope, list: "audit-log" }, cursor))
    refused(SequenceCursor.read(otherKey, scope, cursor))
    const merchants = Cursor.encode(key, `["merchants","prtn_1","live"]`, ["7"])
    refused(SequenceCursor.read(key, scope, merchants))
  })

  it.each([[[]], [["x"]], [["1.5"]], [["NaN"]], [["1", "2"]]])(
    "refuses the position %j",
    (position) => {
      refused(SequenceCursor.read(key, scope, Cursor.encode(key, boundTo, position)))
    },
  )

  const cursor = SequenceCursor.encode(key, scope, 4711)

  it.prop(
    "refuses any text except its own cursors",
    [HostileText.near([cursor])],
    ([text]) => {
      if (text !== cursor) refused(SequenceCursor.read(key, scope, text))
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
