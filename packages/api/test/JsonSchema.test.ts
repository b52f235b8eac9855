import { assert, describe, it } from "@effect/vitest"
import * as JsonSchema from "@florin/api/JsonSchema"

describe("JsonSchema", () => {
  it("merges allOf into the schema", () => {
    assert.deepStrictEqual(
      JsonSchema.ofRendered({
        type: "string",
        allOf: [{ maxLength: 3 }, { description: "short", format: "email" }],
      }),
      { type: "string", maxLength: 3, description: "short", format: "email" },
    )
  })

  it("refuses the same keyword twice, as one would be lost", () => {
    for (const twice of [
      { type: "string", pattern: "a", allOf: [{ pattern: "b" }] },
      { type: "string", allOf: [{ maxLength: 3 }, { maxLength: 4 }] },
      { type: "integer", minimum: 1, allOf: [{ minimum: 2 }] },
    ]) {
      assert.throws(() => JsonSchema.ofRendered(twice), /one keyword twice/u)
    }
  })

  it("keeps an unknown keyword, at any place", () => {
    const schema = {
      type: "object",
      "x-note": { deep: [1, null] },
      properties: { a: { type: "string", contentEncoding: "base64" } },
    }
    assert.deepStrictEqual(JsonSchema.ofRendered(schema), schema)
  })

  it("refuses a known keyword with a wrong value", () => {
    assert.throws(() => JsonSchema.ofRendered({ type: "string", maxLength: "3" }))
    assert.throws(() => JsonSchema.ofRendered({ type: "object", properties: { a: 1 } }))
  })

  it("keeps the rules for keys and values of maps", () => {
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

  it("replaces a single alternative by its schema, but keeps two", () => {
    const [text, none] = [{ type: "string", enum: ["a"] }, { type: "null" }]
    assert.deepStrictEqual(JsonSchema.ofRendered({ anyOf: [text] }), text)
    assert.deepStrictEqual(JsonSchema.ofRendered({ anyOf: [text, none] }), { anyOf: [text, none] })
    assert.throws(
      () => JsonSchema.ofRendered({ type: "string", anyOf: [text] }),
      /one keyword twice/u,
    )
  })

  it("allows other members of an object, and drops an integer's default bounds", () => {
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
