import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const keyBytes = Uint8Array.from({ length: 32 }, (_, index) => index)
const key = value(Seal.makeKeys([keyBytes]))
const otherKey = value(Seal.makeKeys([keyBytes.with(31, 0)]))
/** Lengths of every remainder by 3, so that each form of the last group of characters is met. */
const payloads = [0, 1, 2, 3, 40].map((length) =>
  Uint8Array.from({ length }, (_, index) => (index * 37) % 256),
)
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const replacements = [...alphabet, "=", "+", "/", ".", " ", "\n", "\0", "é", "Ａ", "\ud800"]

const refused = (text: string, purpose: Seal.Purpose = "option") => {
  const opened = Seal.open(key, purpose, text)
  assert.isTrue(Result.isFailure(opened))
  const error = refusal(opened)
  assert.strictEqual(error._tag, "Malformed")
  assert.strictEqual(error.message, `not an authentic ${purpose}`)
}

describe("Seal.makeKeys", () => {
  it("accepts one or more keys of at least 32 bytes", () => {
    for (const length of [32, 33, 64, 200]) {
      assert.isTrue(Result.isSuccess(Seal.makeKeys([new Uint8Array(length)])))
    }
    const short = [0, 1, 16, 31].map((length) => new Uint8Array(length))
    for (const keys of [[], ...short.map((each) => [each]), [keyBytes, new Uint8Array(31)]]) {
      const error = refusal(Seal.makeKeys(keys))
      assert.strictEqual(error._tag, "Malformed")
      assert.strictEqual(error.message, "a seal key has at least 32 random bytes")
    }
  })
})

describe("Seal", () => {
  it("is 16 bytes of HMAC-SHA-256 over purpose and payload, then the payload, as base64url", () => {
    for (const purpose of ["option", "cursor", "page"] as const) {
      for (const payload of payloads) {
        const tag = createHmac("sha256", keyBytes)
          .update(`florin/${purpose}/1\n`)
          .update(payload)
          .digest()
          .subarray(0, 16)
        assert.strictEqual(
          Seal.seal(key, purpose, payload),
          Buffer.concat([tag, payload]).toString("base64url"),
        )
      }
    }
  })

  it("opens a text only with the key and the purpose that it was sealed with", () => {
    for (const payload of payloads) {
      const option = Seal.seal(key, "option", payload)
      assert.deepStrictEqual(value(Seal.open(key, "option", option)), payload)
      refused(option, "cursor")
      refused(Seal.seal(key, "cursor", payload), "option")
      refused(Seal.seal(otherKey, "option", payload))
      assert.isTrue(Result.isFailure(Seal.open(otherKey, "option", option)))
    }
  })

  it("S30: opens with each of its keys, and seals with the first", () => {
    const rotated = value(Seal.makeKeys([keyBytes.with(31, 0), keyBytes]))
    for (const payload of payloads) {
      const before = Seal.seal(key, "option", payload)
      assert.deepStrictEqual(value(Seal.open(rotated, "option", before)), payload)
      const after = Seal.seal(rotated, "option", payload)
      assert.strictEqual(after, Seal.seal(otherKey, "option", payload))
      assert.deepStrictEqual(value(Seal.open(rotated, "option", after)), payload)
      refused(after)
      assert.isTrue(Result.isFailure(Seal.open(rotated, "cursor", before)))
    }
  })

  it("refuses text with any one character changed, removed, doubled or inserted", () => {
    for (const payload of payloads) {
      const text = Seal.seal(key, "option", payload)
      for (let index = 0; index < text.length; index++) {
        const before = text.slice(0, index)
        const after = text.slice(index + 1)
        for (const replacement of replacements) {
          if (replacement !== text.charAt(index)) refused(before + replacement + after)
        }
        refused(before + after)
        refused(before + text.charAt(index) + text.slice(index))
      }
    }
  })

  it("refuses text that is cut anywhere or extended with any character", () => {
    for (const payload of payloads) {
      const text = Seal.seal(key, "option", payload)
      for (let length = 0; length < text.length; length++) {
        refused(text.slice(0, length))
        refused(text.slice(text.length - length))
      }
      for (const extra of replacements) {
        refused(text + extra)
        refused(extra + text)
      }
      for (const padding of ["==", "===", "AA", "AAA", "AAAA", text]) refused(text + padding)
    }
  })

  const differences = Counts.some(
    Array.from({ length: 255 }, (_, index) => index + 1),
    24,
  )

  it("refuses bytes with any one byte changed", () => {
    for (const payload of payloads) {
      const bytes = value(Base64Url.decode(Seal.seal(key, "option", payload)))
      for (let index = 0; index < bytes.length; index++) {
        for (const difference of differences) {
          refused(Base64Url.encode(bytes.with(index, (bytes[index] ?? 0) ^ difference)))
        }
      }
    }
  })

  it("refuses a seal whose last byte is missing, even if it was 0", () => {
    const ends = Array.from({ length: 2_000 }, (_, index) => {
      const keys = value(
        Seal.makeKeys([Uint8Array.from({ length: 32 }, () => index >> 8).with(0, index % 256)]),
      )
      const bytes = value(Base64Url.decode(Seal.seal(keys, "option", new Uint8Array())))
      return { keys, bytes }
    }).filter(({ bytes }) => bytes.at(-1) === 0)
    assert.isAbove(ends.length, 0)
    for (const { bytes, keys } of ends) {
      const cut = Base64Url.encode(bytes.subarray(0, -1))
      assert.isTrue(Result.isFailure(Seal.open(keys, "option", cut)))
    }
  })

  it("refuses text that is too short for a seal", () => {
    for (let length = 0; length < 16; length++) {
      refused(Base64Url.encode(new Uint8Array(length)))
    }
    refused("")
    refused("A")
  })

  it.prop(
    "opens any payload to the same bytes",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
    ([bytes]) => {
      const payload = Uint8Array.from(bytes)
      const text = Seal.seal(key, "cursor", payload)
      assert.match(text, /^[-_0-9A-Za-z]+$/u)
      assert.deepStrictEqual(value(Seal.open(key, "cursor", text)), payload)
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 20_000 }) } },
  )

  const authentic = Seal.seal(key, "option", Uint8Array.of(1, 2, 3))
  it.prop(
    "refuses hostile text",
    [HostileText.near([authentic])],
    ([text]) => {
      if (text !== authentic) refused(text)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
