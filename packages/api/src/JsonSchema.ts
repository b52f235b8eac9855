/**
 * The part of JSON Schema that the documents speak, and how it is made of what Effect renders.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** The keywords of JSON Schema that the contract uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly default?: Schema.Json
  readonly enum?: ReadonlyArray<Schema.Json>
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly examples?: ReadonlyArray<Schema.Json>
}

/** As Effect renders a schema: refinements stand in `allOf`, and every struct forbids other members. */
interface Rendered extends Omit<JsonSchema, "items" | "properties" | "anyOf"> {
  readonly items?: Rendered
  readonly properties?: { readonly [name: string]: Rendered }
  readonly anyOf?: ReadonlyArray<Rendered>
  readonly allOf?: ReadonlyArray<Rendered>
  readonly additionalProperties?: boolean
}

const itself = Schema.suspend((): Schema.Codec<Rendered> => Rendered)
const Rendered: Schema.Codec<Rendered> = Schema.Struct({
  $ref: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  format: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  deprecated: Schema.optionalKey(Schema.Boolean),
  default: Schema.optionalKey(Schema.Json),
  enum: Schema.optionalKey(Schema.Array(Schema.Json)),
  pattern: Schema.optionalKey(Schema.String),
  minimum: Schema.optionalKey(Schema.Finite),
  maximum: Schema.optionalKey(Schema.Finite),
  minLength: Schema.optionalKey(Schema.Int),
  maxLength: Schema.optionalKey(Schema.Int),
  minItems: Schema.optionalKey(Schema.Int),
  maxItems: Schema.optionalKey(Schema.Int),
  items: Schema.optionalKey(itself),
  properties: Schema.optionalKey(Schema.Record(Schema.String, itself)),
  required: Schema.optionalKey(Schema.Array(Schema.String)),
  anyOf: Schema.optionalKey(Schema.Array(itself)),
  allOf: Schema.optionalKey(Schema.Array(itself)),
  additionalProperties: Schema.optionalKey(Schema.Boolean),
  examples: Schema.optionalKey(Schema.Array(Schema.Json)),
})

/** A keyword that we do not know would be lost silently: it is refused. */
const read = Schema.decodeUnknownSync(Rendered, { onExcessProperty: "error" })

/**
 * Says the same in fewer words. Bounds that only say "an integer that JavaScript holds" are dropped, and so is
 * `additionalProperties: false`: other members of a request are ignored, and answers may get more of them.
 */
const tidy = (rendered: Rendered): JsonSchema => {
  const {
    additionalProperties: _,
    allOf = [],
    anyOf,
    items,
    maximum,
    minimum,
    properties,
    ...rest
  } = rendered
  const [only, ...others] = anyOf ?? []
  const own: JsonSchema = {
    ...(only !== undefined && others.length === 0 && tidy(only)),
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(items && { items: tidy(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, tidy(each)]),
      ),
    }),
    ...(anyOf && others.length > 0 && { anyOf: anyOf.map(tidy) }),
  }
  const entries = [own, ...allOf.map(tidy)].flatMap((part) => Object.entries(part))
  const whole: JsonSchema = Object.fromEntries(entries)
  if (Object.keys(whole).length < entries.length) {
    throw new Error("a schema says one keyword twice: write both as one check")
  }
  return whole
}

/** Reads a schema as Effect renders it. */
export const ofRendered = (rendered: unknown): JsonSchema => tidy(read(rendered))
