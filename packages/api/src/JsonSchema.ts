/**
 * JSON Schema as the documents use it, and its conversion from what Effect renders. Nothing is lost: unknown keywords
 * are passed on unchanged.
 *
 * @module
 */
import * as Schema from "effect/Schema"

const text = Schema.optionalKey(Schema.String)
const count = Schema.optionalKey(Schema.Int)
const bound = Schema.optionalKey(Schema.Finite)
const values = Schema.optionalKey(Schema.Array(Schema.Json))

/** The keywords that hold no schemas, up to those that do. */
const plain = {
  $ref: text,
  type: text,
  format: text,
  description: text,
  deprecated: Schema.optionalKey(Schema.Boolean),
  default: Schema.optionalKey(Schema.Json),
  enum: values,
  pattern: text,
  minimum: bound,
  maximum: bound,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
}

interface Named {
  readonly [name: string]: JsonSchema
}

/** A JSON Schema: the keywords that this project uses, and any other. */
export interface JsonSchema extends Schema.Struct.Type<typeof plain> {
  readonly contentSchema?: JsonSchema
  readonly items?: JsonSchema
  readonly prefixItems?: ReadonlyArray<JsonSchema>
  readonly properties?: Named
  readonly required?: ReadonlyArray<string>
  readonly patternProperties?: Named
  readonly additionalProperties?: JsonSchema | boolean
  readonly propertyNames?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly examples?: ReadonlyArray<Schema.Json>
  readonly [keyword: string]: unknown
}

const itself = Schema.suspend((): Schema.Codec<JsonSchema> => JsonSchema)
const one = Schema.optionalKey(itself)
const list = Schema.optionalKey(Schema.Array(itself))
const named = Schema.optionalKey(Schema.Record(Schema.String, itself))

// In this order, which is that of the written documents.
const JsonSchema: Schema.Codec<JsonSchema> = Schema.StructWithRest(
  Schema.Struct({
    ...plain,
    contentSchema: one,
    items: one,
    prefixItems: list,
    properties: named,
    required: Schema.optionalKey(Schema.Array(Schema.String)),
    patternProperties: named,
    additionalProperties: Schema.optionalKey(Schema.Union([itself, Schema.Boolean])),
    propertyNames: one,
    anyOf: list,
    oneOf: list,
    allOf: list,
    examples: values,
  }),
  [Schema.Record(Schema.String, Schema.Unknown)],
)

const read = Schema.decodeUnknownSync(JsonSchema)

const tidyNamed = (schemas: Named): Named =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, tidy(each)]))

/**
 * Simplifies a schema without changing its meaning, and merges `allOf` into its parent. It drops bounds that only mean
 * "an integer that JavaScript can hold". It also drops whether other members are allowed: those of a request are
 * ignored, and responses may get more of them.
 */
const tidy = (schema: JsonSchema): JsonSchema => {
  const {
    additionalProperties: others,
    allOf = [],
    anyOf,
    items,
    maximum,
    minimum,
    oneOf,
    patternProperties,
    prefixItems,
    properties,
    propertyNames,
    ...rest
  } = schema
  const [only, ...more] = anyOf ?? []
  const own: JsonSchema = {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(items && { items: tidy(items) }),
    ...(prefixItems && { prefixItems: prefixItems.map(tidy) }),
    ...(properties && { properties: tidyNamed(properties) }),
    ...(patternProperties && { patternProperties: tidyNamed(patternProperties) }),
    ...(typeof others === "object" && { additionalProperties: tidy(others) }),
    ...(propertyNames && { propertyNames: tidy(propertyNames) }),
    ...(anyOf && more.length > 0 && { anyOf: anyOf.map(tidy) }),
    ...(oneOf && { oneOf: oneOf.map(tidy) }),
  }
  const parts = [only !== undefined && more.length === 0 ? tidy(only) : {}, own, ...allOf.map(tidy)]
  const entries = parts.flatMap((part) => Object.entries(part))
  const whole: JsonSchema = Object.fromEntries(entries)
  if (Object.keys(whole).length < entries.length) {
    throw new Error("a schema says one keyword twice: write both as one check")
  }
  return whole
}

/** Reads a schema as Effect renders it. */
export const ofRendered = (rendered: unknown): JsonSchema => tidy(read(rendered))
