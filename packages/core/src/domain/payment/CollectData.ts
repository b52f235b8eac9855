/**
 * Data about the payer that some payments need: its fields, when it is needed, and how it is transferred.
 *
 * `CollectedData` is the only definition. The JSON Schema and the list of form fields for wallets are generated from
 * it, so they promise exactly what is checked: the interface's rules, and no others. Values are kept as they were
 * given, and no message repeats one.
 *
 * @module
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import type * as PaymentId from "../ground/PaymentId.ts"
import * as Rfc3339 from "../ground/Rfc3339.ts"
import * as PaymentLink from "./PaymentLink.ts"

const string = Schema.String.annotate({ message: "must be text" })

const isShort = Schema.isMaxCodePoints(Limits.collectedTextMaxLength, {
  message: `must have at most ${Limits.collectedTextMaxLength} characters`,
})

const address = string.check(isShort)

const country = string.check(
  Schema.isPattern(/^[A-Z]{2}$/u, {
    message: "must be a country code of two capital letters, such as DE",
  }),
)

const isDate = (value: string): boolean =>
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u.test(value) && Rfc3339.read(`${value}T00:00:00Z`) !== undefined

const date = string.check(
  Schema.makeFilter(isDate, {
    message: "must be a date of the calendar, written YYYY-MM-DD",
    toJsonSchema: () => ({ format: "date" }),
    // Most dates of the calendar, for tests that generate them.
    arbitraryConstraint: {
      patterns: [{ source: "^[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$", flags: "u" }],
    },
  }),
)

const addresses = [
  ["pobCountry", "pobAddress"],
  ["porCountry", "porAddress"],
] as const
const anyOf = addresses.map((required) => ({ required }))

/** The payer's data. `title` is the label of the field in a form. */
export interface CollectedData extends Schema.Schema.Type<typeof CollectedData> {}
export const CollectedData = Schema.Struct({
  fullName: string
    .check(Schema.isMinLength(1, { message: "must not be empty" }), isShort)
    .annotate({ title: "Full name" }),
  dob: date.annotate({ title: "Date of birth" }),
  pobCountry: Schema.optionalKey(country.annotate({ title: "Country of birth" })),
  pobAddress: Schema.optionalKey(address.annotate({ title: "Place of birth" })),
  porCountry: Schema.optionalKey(country.annotate({ title: "Country of residence" })),
  porAddress: Schema.optionalKey(address.annotate({ title: "Address of residence" })),
  tosConfirmed: Schema.Literal(true).annotate({
    title: "I accept the terms and the privacy policy",
    message: "must be accepted",
  }),
}).check(
  Schema.makeFilter(
    (data) => addresses.some((pair) => pair.every((field) => data[field] !== undefined)),
    {
      message: "needs country and place of birth, or country and address of residence",
      toJsonSchema: () => ({ anyOf }),
    },
  ),
)

const definition = CollectedData.fields
type FieldId = keyof typeof definition
const isFieldId = (id: string): id is FieldId => Object.hasOwn(definition, id)

const jsonSchemaOf = (part: Schema.Constraint) =>
  Schema.toJsonSchemaDocument(part, { onExcessProperty: "error" }).schema

/** The JSON Schema of one field, in the words of the interface: no title, and a constant is a `const`. */
const propertyOf = (part: Schema.Constraint) => {
  const { title: _title, enum: constants, ...property } = jsonSchemaOf(part)
  return Array.isArray(constants) ? { ...property, const: constants[0] } : property
}

const schemaOf = () => {
  // Effect puts the alternatives inside `allOf`; the interface has them at the top.
  const { allOf: _allOf, ...whole } = jsonSchemaOf(CollectedData)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...whole,
    properties: Object.fromEntries(
      Object.entries(definition).map(([id, part]) => [id, propertyOf(part)]),
    ),
    anyOf,
  }
}

/** The JSON Schema (draft 2020-12) of {@link CollectedData}, in the shape of the interface. */
export const schema = schemaOf()

/** A field of the form that a wallet builds. */
export interface Field {
  readonly id: string
  readonly name: string
  readonly required: boolean
  readonly type: "text" | "date" | "checkbox"
}

const typeOf = (property: { readonly [key: string]: unknown }): Field["type"] => {
  if (property["type"] === "boolean") return "checkbox"
  return property["format"] === "date" ? "date" : "text"
}

/** The same fields as {@link schema}, as a list. */
export const fields: ReadonlyArray<Field> = Object.entries(definition).map(([id, part]) => ({
  id,
  name: Schema.resolveAnnotations(part)?.title ?? id,
  required: !SchemaAST.isOptional(part.ast),
  type: typeOf(propertyOf(part)),
}))

const checkboxes = new Set(fields.filter(({ type }) => type === "checkbox").map(({ id }) => id))

/** The field of a request that holds the data: an issue names it, or one of the data's own fields in it. */
const wholeField = "collectedData"
const fieldOf = (id: FieldId): string => `${wholeField}.${id}`

const unknownField = Invalid.issue(
  wholeField,
  `has a field that is not one of ${Object.keys(definition).join(", ")}`,
)

const decode = Schema.decodeUnknownResult(CollectedData, {
  errors: "all",
  onExcessProperty: "error",
})

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "MissingKey" ? "is required" : SchemaIssue.defaultLeafHook(issue),
})

const issuesOf = (error: Schema.SchemaError): ReadonlyArray<Invalid.Issue> =>
  format(error.issue).issues.map(({ path, message }) => {
    const [field] = path ?? []
    if (field === undefined) return Invalid.issue(wholeField, message)
    return typeof field === "string" && isFieldId(field)
      ? Invalid.issue(fieldOf(field), message)
      : unknownField
  })

/**
 * Reads the data, or reports every error in it, once for each field. A checkbox must have the text `true`; a field may
 * occur once. What is too long as a whole is not read.
 *
 * @example
 * CollectData.fromFields([{ id: "fullName", value: "Ada Lovelace" }, { id: "tosConfirmed", value: "true" }])
 */
export const fromFields = (
  list: ReadonlyArray<{ readonly id: string; readonly value: string }>,
): Result.Result<CollectedData, Invalid.InvalidInput> => {
  if (utf8ToBytes(JSON.stringify(list)).length > Limits.collectedMaxBytes) {
    return Invalid.fail(wholeField, `must have at most ${Limits.collectedMaxBytes} bytes`)
  }
  const values = new Map<string, unknown>()
  const found: Array<Invalid.Issue> = []
  for (const { id, value } of list) {
    if (!isFieldId(id)) found.push(unknownField)
    else if (values.has(id)) found.push(Invalid.issue(fieldOf(id), "is given twice"))
    else values.set(id, checkboxes.has(id) && value === "true" ? true : value)
  }
  const decoded = decode(Object.fromEntries(values))
  if (Result.isSuccess(decoded) && found.length === 0) return Result.succeed(decoded.success)
  const issues = [...found, ...(Result.isFailure(decoded) ? issuesOf(decoded.failure) : [])]
  const [first = unknownField, ...rest] = issues.filter(
    ({ field }, index) => issues.findIndex((issue) => issue.field === field) === index,
  )
  return Result.fail(new Invalid.InvalidInput({ issues: [first, ...rest] }))
}

/** The instructions for a wallet when data is needed. */
export interface CollectData {
  readonly fields: ReadonlyArray<Field>
  readonly schema: typeof schema
  readonly url: string
}

/**
 * The instructions for a wallet to collect the data of some accounts of a session. The address of the hosted form holds
 * no personal data.
 */
export const make = (
  service: PaymentLink.Trust,
  paymentId: PaymentId.PaymentId,
  accounts: ReadonlyArray<string>,
  sealedSession: string,
): CollectData => {
  const list = encodeURIComponent(accounts.join(",").toWellFormed())
  const query = `pid=${paymentId}&accounts=${list}&session=${sealedSession}`
  return { fields, schema, url: `${PaymentLink.originOf(service)}/collect/?${query}` }
}
