import { assert, describe, it } from "@effect/vitest"
import * as Cursor from "@florin/core/domain/Cursor"
import * as EventFeed from "@florin/core/domain/EventFeed"
import * as Merchant from "@florin/core/domain/Merchant"
import * as Seal from "@florin/core/domain/Seal"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"

const key = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))
const otherKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)]))
const scope: EventFeed.Scope = { partnerId: Merchant.PartnerId.make("prtn_1"), mode: "live" }
const boundTo = `["events","prtn_1","live"]`

const refused = (result: Result.Result<number, Cursor.InvalidCursor>) =>
  assert.strictEqual(Result.isFailure(result) && result.failure.message, Cursor.rule)

describe("EventFeed", () => {
  it("begins before the first event", () => {
    assert.strictEqual(EventFeed.start, 0)
  })

  it.each([0, 1, 4711, Number.MAX_SAFE_INTEGER])("goes on after %s", (sequence) => {
    const cursor = EventFeed.encodeCursor(key, scope, sequence)
    assert.deepStrictEqual(EventFeed.decodeCursor(key, scope, cursor), Result.succeed(sequence))
    assert.strictEqual(cursor, Cursor.encode(key, boundTo, [sequence.toString()]))
  })

  it("refuses a cursor of another partner, mode, service or list", () => {
    const cursor = EventFeed.encodeCursor(key, scope, 7)
    const partnerId = Merchant.PartnerId.make("prtn_2")
    refused(EventFeed.decodeCursor(key, { ...scope, partnerId }, cursor))
    refused(EventFeed.decodeCursor(key, { ...scope, mode: "test" }, cursor))
    refused(EventFeed.decodeCursor(otherKey, scope, cursor))
    const merchants = Cursor.encode(key, `["merchants","prtn_1","live"]`, ["7"])
    refused(EventFeed.decodeCursor(key, scope, merchants))
  })

  it.each([[[]], [["x"]], [["1.5"]], [["NaN"]], [["1", "2"]]])(
    "refuses the position %j",
    (position) => {
      refused(EventFeed.decodeCursor(key, scope, Cursor.encode(key, boundTo, position)))
    },
  )

  const cursor = EventFeed.encodeCursor(key, scope, 4711)

  it.prop(
    "refuses any text that is not a cursor of its own",
    [HostileText.near([cursor])],
    ([text]) => {
      if (text !== cursor) refused(EventFeed.decodeCursor(key, scope, text))
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
