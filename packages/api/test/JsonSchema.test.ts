import { assert, describe, it } from "@effect/vitest"
import * as JsonSchema from "@florin/api/JsonSchema"

describe("JsonSchema", () => {
  it("what stands in allOf is said at once", () => {
    assert.deepStrictEqual(
      JsonSchema.ofRendered({
        type: "string",
        allOf: [{ maxLength: 3 }, { description: "short", format: "email" }],
      }),
      { type: "string", maxLength: 3, description: "short", format: "email" },
    )
  })

  it("two of one keyword are refused, as one would be lost", () => {
    for (const twice of [
      { type: "string", pattern: "a", allOf: [{ pattern: "b" }] },
      { type: "string", allOf: [{ maxLength: 3 }, { maxLength: 4 }] },
      { type: "integer", minimum: 1, allOf: [{ minimum: 2 }] },
    ]) {
      assert.throws(() => JsonSchema.ofRendered(twice), /one keyword twice/u)
    }
  })

  it("a keyword that nobody knows is passed on, wherever it stands", () => {
    const schema = {
      type: "object",
      "x-note": { deep: [1, null] },
      properties: { a: { type: "string", contentEncoding: "base64" } },
    }
    assert.deepStrictEqual(JsonSchema.ofRendered(schema), schema)
  })

  it("a keyword that is known and says something else than it should is refused", () => {
    assert.throws(() => JsonSchema.ofRendered({ type: "string", maxLength: "3" }))
    assert.throws(() => JsonSchema.ofRendered({ type: "object", properties: { a: 1 } }))
  })

  it("maps keep what they say of keys and values", () => {
    const { MAX_SAFE_INTEGER: maximum } = Number
    const map = {
      type: "object",
      additionalProperties: { type: "string", allOf: [{ maxLength: 5 }] },
      propertyNames: { type: "string", allOf: [{ minLength: 1 }] },
      patternProperties: { "^n": { type: "integer", minimum: 0, maximum } },
      maxProperties: 3,
    }
    assert.deepStrictEqual(JsonSchema.ofRendered(map), {
      type: "object",
      maxProperties: 3,
      additionalProperties: { type: "string", maxLength: 5 },
      propertyNames: { type: "string", minLength: 1 },
      patternProperties: { "^n": { type: "integer", minimum: 0 } },
    })
  })

  it("one alternative is no alternative, two are", () => {
    const [text, none] = [{ type: "string", enum: ["a"] }, { type: "null" }]
    assert.deepStrictEqual(JsonSchema.ofRendered({ anyOf: [text] }), text)
    assert.deepStrictEqual(JsonSchema.ofRendered({ anyOf: [text, none] }), { anyOf: [text, none] })
    assert.throws(
      () => JsonSchema.ofRendered({ type: "string", anyOf: [text] }),
      /one keyword twice/u,
    )
  })

  it("an object does not forbid other members, and an integer has only bounds that mean something", () => {
    const { MAX_SAFE_INTEGER: maximum, MIN_SAFE_INTEGER: minimum } = Number
    assert.deepStrictEqual(
      JsonSchema.ofRendered({
        type: "object",
        additionalProperties: false,
        properties: {
          any: { type: "integer", minimum, maximum },
          positive: { type: "array", items: { type: "integer", minimum: 0, maximum } },
        },
      }),
      {
        type: "object",
        properties: {
          any: { type: "integer" },
          positive: { type: "array", items: { type: "integer", minimum: 0 } },
        },
      },
    )
  })
})
