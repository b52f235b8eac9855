/**
 * Requests with a canary in every place that the contract lets text be in. They follow from the contract alone: an
 * operation, a parameter or a member that is new is filled, too.
 *
 * @module
 */
import * as Version from "@florin/core/domain/ground/Version"
import * as OpenApiDocument from "../../../api/src/OpenApiDocument.ts"
import * as Judge from "../../../server/test-support/judge.ts"

export type Json =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<Json>
  | { readonly [name: string]: Json }

export type Call = Judge.Call

/** The newest, which has all that any version has. */
export const version = Version.all.at(-1) ?? Version.newestStable
const document = OpenApiDocument.make(version)

/** Every operation of the contract. */
export const calls: ReadonlyMap<string, Call> = new Map(
  Judge.calls(document, OpenApiDocument.methods).map((call) => [call.operation.operationId, call]),
)

/** What is sent where text alone will not do, by the name of the parameter or member; undefined leaves it out. */
export interface Known {
  readonly [name: string]: Json | undefined
}

/** A place in a request, such as `body referenceId`. */
export type Plant = (place: string) => string

export interface Filled {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly headers: { readonly [name: string]: string }
  readonly body: Json | undefined
}

const plain = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Makes a request. What is not known, and is no text, is left out where it may be. */
export const fill = (
  { method, operation, path }: Call,
  { known, isStrict }: { readonly known: Known; readonly isStrict: boolean },
  plant: Plant,
): Filled => {
  const valueOf = (
    schema: Judge.JsonSchema,
    place: string,
    name: string,
    isRequired: boolean,
  ): Json | undefined => {
    if (Object.hasOwn(known, name)) return known[name]
    if (schema.$ref !== undefined) {
      const found = Judge.named(document.components.schemas, { $ref: schema.$ref })
      return valueOf(found, place, name, isRequired)
    }
    const [choice] = schema.enum ?? []
    if (isStrict && choice !== undefined) return isRequired ? plain(choice) : undefined
    const way = schema.anyOf?.find(({ type }) => type !== "null")
    if (way !== undefined) return valueOf(way, place, name, isRequired)
    switch (schema.type) {
      case "object": {
        const { additionalProperties: entry, properties = {}, required = [] } = schema
        const members = Object.entries(properties).flatMap(([member, inner]) => {
          const value = valueOf(inner, `${place} ${member}`, member, required.includes(member))
          return value === undefined ? [] : [[member, value] as const]
        })
        const free =
          typeof entry === "object" ? [[plant(`${place} name`), plant(`${place} value`)]] : []
        return Object.fromEntries([...members, ...free])
      }
      case "array": {
        const value = valueOf(schema.items ?? {}, place, name, true)
        return value === undefined ? [] : [value]
      }
      case "string":
        return plant(place)
      case "integer":
      case "number":
        return isRequired ? (schema.minimum ?? 1) : undefined
      case "boolean":
        return isRequired ? true : undefined
      default:
        return isRequired ? plant(place) : undefined
    }
  }

  let filled = path
  const query: Array<readonly [string, string]> = []
  const headers: { [name: string]: string } = {}
  for (const one of operation.parameters) {
    const {
      in: place,
      name,
      required,
      schema,
    } = "$ref" in one ? Judge.named(document.components.parameters, one) : one
    const value = valueOf(schema, `${place} ${name}`, name, required)
    if (value === undefined) continue
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(plain(value)))
    else if (place === "header") headers[name] = plain(value)
    else for (const text of isList(value) ? value : [value]) query.push([name, plain(text)])
  }
  const content = operation.requestBody?.content["application/json"]
  const body = content && valueOf(content.schema, "body", "", true)
  return { method: method.toUpperCase(), path: filled, query, headers, body }
}
