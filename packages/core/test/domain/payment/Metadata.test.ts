import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Metadata from "@florin/core/domain/payment/Metadata"

const pairs = (count: number): Metadata.Metadata =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, "value"]))

const entriesRule = "must have at most 20 entries"
const keyRule = "every key must have 1 to 40 characters"
const valueRule = "every value must have at most 500 characters"
const textRule = "must not contain U+0000 or half of a surrogate pair"

const messagesOf = (metadata: Metadata.Metadata) =>
  Metadata.issues("metadata", metadata).map(({ field, message }) => {
    assert.strictEqual(field, "metadata")
    return message
  })

describe("Metadata.issues", () => {
  const good: ReadonlyArray<Metadata.Metadata> = [
    {},
    { a: "" },
    pairs(Limits.metadataEntriesMax),
    { ["k".repeat(40)]: "v".repeat(500) },
    // A character beyond the first 65,536 counts once, however many pieces it has in JavaScript.
    { ["😀".repeat(40)]: "😀".repeat(500) },
    { " ": " ", "\t": "\n", "[a].b": "\u001b", "ä\u0301": "\u202e", constructor: "toString" },
    JSON.parse('{"__proto__": "kept"}'),
  ]
  it("accepts valid metadata", () => {
    for (const metadata of good) assert.deepStrictEqual(messagesOf(metadata), [])
  })

  const bad: ReadonlyArray<readonly [Metadata.Metadata, ReadonlyArray<string>]> = [
    [pairs(21), [entriesRule]],
    [pairs(5000), [entriesRule]],
    [{ "": "a" }, [keyRule]],
    [{ ["k".repeat(41)]: "a" }, [keyRule]],
    [{ ["😀".repeat(41)]: "a" }, [keyRule]],
    [{ a: "v".repeat(501) }, [valueRule]],
    [{ a: "😀".repeat(501) }, [valueRule]],
    [{ a: "\0" }, [textRule]],
    [{ "a\0": "a" }, [textRule]],
    [{ a: "\ud800" }, [textRule]],
    [{ "\udc00\ud800": "a" }, [textRule]],
    [{ ...pairs(21), "": "\0", b: "v".repeat(501) }, [entriesRule, keyRule, valueRule, textRule]],
  ]
  it("reports every broken rule, and repeats neither keys nor values", () => {
    for (const [metadata, messages] of bad) assert.deepStrictEqual(messagesOf(metadata), messages)
  })
})
