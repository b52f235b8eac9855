/**
 * Requests made from the published document, and then broken.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import type * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as HostileText from "@florin/testing/HostileText"
import { type Draw, oneOf } from "../../test-support/drawing.ts"
import * as Judge from "../../test-support/judge.ts"
import type * as Scene from "../scene.ts"

type Json = Scene.Json
type JsonSchema = Judge.JsonSchema

/** Good values, by the name of the parameter or member. */
export type Known = ReadonlyMap<string, readonly [Json, ...ReadonlyArray<Json>]>

/** Texts that parsers read, to be mutated. */
const texts = [
  "",
  "abc",
  "2026-02-30T25:61:61Z",
  "iso4217/USD",
  "caip19/eip155:1/erc20:0x",
  "9223372036854775808",
  "../../etc/passwd",
] as const

const hostileText = (draw: Draw): string => HostileText.mutate(texts, draw(2 ** 32))

const nested = (depth: number): Json =>
  Array.from({ length: depth }).reduce<Json>(
    (inner, _, index) => (index % 2 ? [inner] : { a: inner }),
    1,
  )

const hostileValues: readonly [Json, ...ReadonlyArray<Json>] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  [],
  {},
  [[]],
  [null],
  { length: 1 },
  { toString: "x", valueOf: 1 },
  nested(20),
  nested(100),
]

const hostile = (draw: Draw): Json =>
  draw(3) === 0 ? oneOf(draw, hostileValues) : hostileText(draw)

const letters = "ABCabc019 /:.,+-"

/** A size that is allowed: at either end, or near the smaller one. */
const sizeOf = (draw: Draw, least: number, most: number): number => {
  switch (draw(8)) {
    case 0:
      return least
    case 1:
      return most
    default:
      return least + draw(Math.min(most - least, 20) + 1)
  }
}

const textOf = (
  draw: Draw,
  { format, maxLength = 20, minLength = 0, pattern }: JsonSchema,
): string => {
  if (format === "email") return `someone${draw(100)}@example.com`
  if (format === "uri") return `https://example.com/${draw(100)}`
  if (format === "date-time") return new Date(draw(2 ** 31) * 1000).toISOString()
  const length = sizeOf(draw, minLength, maxLength)
  const make = () => Array.from({ length }, () => letters[draw(letters.length)]).join("")
  if (pattern === undefined) return make()
  const allowed = new RegExp(pattern, "u")
  return Array.from({ length: 20 }, make).find((each) => allowed.test(each)) ?? "abc"
}

/** The document, known good values, and random numbers. */
interface Source {
  readonly document: OpenApiDocument.Document
  readonly known: Known
  readonly draw: Draw
}

/** One value in so many is made by its schema alone, although one that would do is known. */
const strangeEvery = 12

/** A value as a schema asks for it. */
const valueOf = (source: Source, schema: JsonSchema, name = ""): Json => {
  const { document, draw, known } = source
  const good = known.get(name)
  if (good !== undefined && draw(strangeEvery) > 0) return oneOf(draw, good)
  if (schema.$ref !== undefined) {
    return valueOf(source, Judge.named(document.components.schemas, { $ref: schema.$ref }), name)
  }
  const [choice, ...choices] = schema.enum ?? schema.examples ?? []
  if (choice !== undefined) return oneOf(draw, [choice, ...choices])
  const [way, ...ways] = schema.anyOf ?? []
  if (way !== undefined) return valueOf(source, oneOf(draw, [way, ...ways]), name)
  switch (schema.type) {
    case "object": {
      const { additionalProperties: entry, maxProperties = 3, propertyNames = {} } = schema
      const members = Object.entries(schema.properties ?? {}).flatMap(([member, inner]) =>
        schema.required?.includes(member) === true || draw(2) === 0
          ? [[member, valueOf(source, inner, member)] as const]
          : [],
      )
      const entries = Array.from(
        { length: typeof entry === "object" ? sizeOf(draw, 0, maxProperties) : 0 },
        () =>
          [
            textOf(draw, propertyNames),
            typeof entry === "object" ? valueOf(source, entry) : null,
          ] as const,
      )
      return Object.fromEntries([...members, ...entries])
    }
    case "array": {
      const { items = {}, maxItems = 3, minItems = 0 } = schema
      const length = sizeOf(draw, minItems, maxItems)
      return Array.from({ length }, () => valueOf(source, items, name))
    }
    case "string":
      return textOf(draw, schema)
    case "integer":
    case "number":
      return (schema.minimum ?? 0) + draw((schema.maximum ?? 1000) - (schema.minimum ?? 0) + 1)
    case "boolean":
      return draw(2) === 0
    case "null":
      return null
    default:
      return hostile(draw)
  }
}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Breaks a value, or something in it. `undefined` leaves it out. */
const broken = (draw: Draw, value: Json): Json | undefined => {
  const isInside = typeof value === "object" && value !== null && draw(4) > 0
  if (isInside && isList(value) && value.length > 0) {
    const at = draw(value.length)
    return value.flatMap((each, index) => (index === at ? (broken(draw, each) ?? []) : [each]))
  }
  if (isInside && !isList(value)) {
    const entries = Object.entries(value)
    const at = draw(entries.length + 1)
    if (at === entries.length) {
      const added = draw(3) === 0 ? "__proto__" : hostileText(draw)
      return Object.fromEntries([...entries, [added, hostile(draw)]])
    }
    return Object.fromEntries(
      entries.flatMap(([name, each], index) => {
        const changed = index === at ? broken(draw, each) : each
        return changed === undefined ? [] : [[name, changed]]
      }),
    )
  }
  switch (draw(5)) {
    case 0:
      return undefined
    case 1:
      return [value, value]
    case 2:
      return typeof value === "string" ? value + hostileText(draw) : JSON.stringify(value)
    default:
      return hostile(draw)
  }
}

/** Breaks the text or the bytes of JSON. */
const brokenText = (draw: Draw, text: string): Uint8Array<ArrayBuffer> => {
  const at = draw(text.length + 1)
  const bytes = (wrong: string) => Uint8Array.from(Buffer.from(wrong))
  switch (draw(9)) {
    case 0:
      return bytes(text.slice(0, at))
    case 1:
      return bytes(text.slice(0, at) + hostileText(draw) + text.slice(at))
    case 2:
      return bytes(text.replace(/\d+/u, "1e400"))
    case 3:
      return bytes(`\ufeff${text}`)
    case 4:
      return bytes("")
    case 5:
      return bytes("   ")
    case 6:
      return bytes(text.replace(/^\{/u, `{"referenceId":1,"optionId":"x",`))
    case 7:
      return bytes(`${"[".repeat(3000)}${"]".repeat(3000)}`)
    default:
      return Uint8Array.from([...Buffer.from(text.slice(0, at)), 0xff, 0xc0, 0x80])
  }
}

/** A text that a client can send in a header. */
const headerText = (text: string): string => text.replace(/[\0\r\n]|[^\0-\xff]/gu, "?")

const isPathSafe = (text: string): boolean => !["", ".", ".."].includes(text)

const inPath = (text: string): string =>
  encodeURIComponent(isPathSafe(text) ? text.toWellFormed() : "0")

interface Drawn {
  readonly path: Map<string, string>
  readonly query: Array<[string, string]>
  readonly headers: Map<string, string>
}

const plain = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

/** One in so many optional parameters is sent. */
const optionalEvery = 5

const parametersOf = (source: Source, { operation }: Judge.Call): Drawn => {
  const { document, draw } = source
  const drawn: Drawn = { path: new Map(), query: [], headers: new Map() }
  for (const each of operation.parameters) {
    const parameter = "$ref" in each ? Judge.named(document.components.parameters, each) : each
    const { in: place, name, required, schema } = parameter
    if (!required && draw(optionalEvery) > 0) continue
    const value = valueOf(source, schema, name)
    if (place === "path") drawn.path.set(name, plain(value))
    else if (place === "header") drawn.headers.set(name, plain(value))
    else for (const one of isList(value) ? value : [value]) drawn.query.push([name, plain(one)])
  }
  return drawn
}

const breakParameters = (draw: Draw, { headers, path, query }: Drawn): void => {
  const text = hostileText(draw)
  const [at, ...others] = query
  const header = [...headers.keys()][draw(headers.size + 1)] ?? "Idempotency-Key"
  const id = [...path.keys()][draw(path.size + 1)]
  switch (draw(7)) {
    case 0:
      if (id !== undefined) path.set(id, text)
      return
    case 1:
      if (id !== undefined) path.set(id, `${path.get(id) ?? ""}${text}`)
      return
    case 2:
      headers.set(header, text)
      return
    case 3:
      headers.delete(header)
      return
    case 4:
      if (at !== undefined) query.push(at)
      return
    case 5:
      if (at !== undefined) query.splice(0, query.length, [at[0], text], ...others)
      return
    default:
      query.push([text, text])
  }
}

const types = [
  "application/json; charset=utf-8",
  "text/plain",
  "application/x-www-form-urlencoded",
  "",
] as const

/** How many requests of a hundred are broken in each way. */
const brokenBody = 30
const brokenBytes = 6
const brokenParameters = 25
const brokenType = 3
const hugeBody = 1

/** A request to an operation, without its key. */
export const request = (source: Source, call: Judge.Call): Omit<Scene.Sent, "key"> => {
  const { draw } = source
  const happens = (percent: number) => draw(100) < percent
  const drawn = parametersOf(source, call)
  if (happens(brokenParameters)) breakParameters(draw, drawn)
  const path = call.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    inPath(drawn.path.get(name) ?? ""),
  )
  const query = new URLSearchParams(drawn.query).toString()
  const sent = {
    method: call.method.toUpperCase(),
    path: query === "" ? path : `${path}?${query}`,
  }
  const headers = Object.fromEntries(
    [...drawn.headers].map(([name, value]) => [name, headerText(value)]),
  )
  const { requestBody } = call.operation
  if (requestBody === undefined) return { ...sent, headers }
  let body: Json | undefined = valueOf(source, requestBody.content["application/json"].schema)
  for (let count = happens(brokenBody) ? 1 + draw(3) : 0; count > 0; count--) {
    body = body === undefined ? undefined : broken(draw, body)
  }
  if (body === undefined || (!requestBody.required && draw(2) === 0)) return { ...sent, headers }
  const text = JSON.stringify(body)
  const type = happens(brokenType) ? oneOf(draw, types) : "application/json"
  const raw = happens(hugeBody)
    ? Uint8Array.from(Buffer.from(text.padEnd(257 * 1024)))
    : happens(brokenBytes)
      ? brokenText(draw, text)
      : Uint8Array.from(Buffer.from(text))
  return { ...sent, headers: { ...headers, "Content-Type": type }, raw }
}
