/**
 * Validates responses with the published document, as a careful client would.
 *
 * @module
 */
import type * as OpenApiDocument from "@florin/api/OpenApiDocument"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

export type JsonSchema = OpenApiDocument.Document["components"]["schemas"][string]

/** A response that was read. */
interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** An operation with where it is. */
export interface Call {
  readonly method: OpenApiDocument.Method
  readonly path: string
  readonly operation: OpenApiDocument.Operation
}

/** Every call of a document. */
export const calls = (
  { paths }: OpenApiDocument.Document,
  methods: ReadonlyArray<OpenApiDocument.Method>,
): ReadonlyArray<Call> =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method, path, operation }]
    }),
  )

/** The component that a reference names after its last slash. */
export const named = <A>(from: { readonly [name: string]: A }, { $ref }: { $ref: string }): A => {
  const found = from[$ref.slice($ref.lastIndexOf("/") + 1)]
  if (found === undefined) throw new Error(`nothing at ${$ref}`)
  return found
}

/** The same schema without other members: responses have only the published ones. */
const closed = (schema: JsonSchema): object => {
  const { additionalProperties, anyOf, items, properties } = schema
  return {
    ...schema,
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(typeof additionalProperties === "object" && {
      additionalProperties: closed(additionalProperties),
    }),
    ...(properties && {
      additionalProperties: false,
      properties: closedEach(properties),
    }),
  }
}

const closedEach = (schemas: { readonly [name: string]: JsonSchema }) =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, closed(each)]))

const formats = {
  int64: true,
  date: true,
  email: true,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u,
  uri: /^https:\/\/\S+$/u,
} as const

/** Creates a validator of responses, which returns null or the error. */
export const make = (document: OpenApiDocument.Document) => {
  const { responses, schemas } = document.components
  const ajv = new Ajv2020({ strict: true, formats })
  ajv.addVocabulary(["components"])
  ajv.addSchema({ $id: "florin", components: { schemas: closedEach(schemas) } })
  const compiled = new Map<JsonSchema, ValidateFunction>()
  const accepts = (schema: JsonSchema): ValidateFunction => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    // References are to the document: a schema is read as a part of it.
    const text = JSON.stringify(closed(schema)).replaceAll('"#/', '"florin#/')
    const made = ajv.compile(JSON.parse(text))
    compiled.set(schema, made)
    return made
  }

  return (
    { responses: documented }: OpenApiDocument.Operation,
    { body, headers, status }: Reply,
  ): string | null => {
    const response = documented[status]
    if (response === undefined) return `the status ${status} is not documented`
    const found = "$ref" in response ? named(responses, response) : response
    const type = headers.get("content-type")
    const isStream = "text/event-stream" in found.content
    const isCsv = type === "text/csv; charset=utf-8" && "text/csv" in found.content
    if (isStream && type !== "text/event-stream") return "it is no stream by its type"
    if (!isStream && !isCsv && type !== "application/json") return "it is not JSON by its type"
    if (!headers.has("request-id")) return "it has no Request-Id"
    // Of a stream only the beginning is read.
    if ("text/event-stream" in found.content || isCsv) return null
    const validate = accepts(found.content["application/json"].schema)
    return validate(body) ? null : JSON.stringify(validate.errors)
  }
}
