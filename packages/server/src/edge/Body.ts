/**
 * Reads the JSON body of a request and checks its type, size, depth and shape.
 *
 * @module
 */
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Exchange from "../http/Exchange.ts"
import * as SchemaIssues from "../http/SchemaIssues.ts"

/** The headers say that the body is something other than plain JSON in UTF-8. */
export class NotJson extends Schema.TaggedError<NotJson>()("NotJson", { message: Schema.String }) {}

/** The body is missing, is not JSON in UTF-8, is nested too deeply, or is not expected. */
export class Unreadable extends Schema.TaggedError<Unreadable>()("Unreadable", {
  message: Schema.String,
}) {}

const isTooDeep = (value: Schema.Json, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (depth >= Limits.jsonDepthMax) return true
  return Object.values(value).some((each) => isTooDeep(each, depth + 1))
}

const jsonType = /^application\/(?:[-\w.!#$&^]+\+)?json\s*(?:;|$)/iu

/** Any character set other than UTF-8. Other parameters do not change how a body is read. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/iu

const saysJson = (type: string): boolean => jsonType.test(type) && !otherCharset.test(type)

/** Accepts a body without a type as JSON. Compressed bodies are not inflated, so that a few bytes never become many. */
const checkType = (header: Exchange.Incoming["header"]): Result.Result<void, NotJson> => {
  const type = header("content-type")
  const coding = header("content-encoding")
  const isJson = type === undefined || type === "" || saysJson(type)
  const isPlain = coding === undefined || coding === "" || coding.toLowerCase() === "identity"
  return isJson && isPlain
    ? Result.void
    : Result.fail(
        new NotJson({
          message: isJson
            ? "send the body as it is, without a Content-Encoding"
            : "send the body as JSON in UTF-8: Content-Type: application/json",
        }),
      )
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parse = (bytes: Uint8Array): Result.Result<Schema.Json, Unreadable> => {
  const value = Result.try({
    try: (): Schema.Json => JSON.parse(utf8.decode(bytes)),
    catch: () => new Unreadable({ message: "the body is not JSON in UTF-8" }),
  })
  return Result.flatMap(value, (json) =>
    isTooDeep(json, 0)
      ? Result.fail(
          new Unreadable({
            message: `the body is nested deeper than ${Limits.jsonDepthMax} levels`,
          }),
        )
      : Result.succeed(json),
  )
}

/** Reads the JSON of a request; undefined if it has no body. */
export const read = ({ body, header }: Exchange.Incoming) =>
  Effect.flatMap(body, (bytes) =>
    bytes.length === 0
      ? Effect.succeed(undefined)
      : Effect.fromResult(Result.flatMap(checkType(header), () => parse(bytes))),
  )

/** Changes JSON before it is read; undefined if there is nothing to change. */
type Change = ((json: Schema.Json) => Schema.Json) | undefined

const isArray = (json: Schema.Json): json is Schema.JsonArray => Array.isArray(json)

const isObject = (json: Schema.Json): json is Schema.JsonObject => Predicate.isObject(json)

const admitsNull = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isNull(ast) || (SchemaAST.isUnion(ast) && ast.types.some(admitsNull))

const ofMembers = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Change => {
  const members = new Map(
    propertySignatures.map(({ name, type }) => [
      String(name),
      {
        isLeftOut: SchemaAST.isOptional(type) && !admitsNull(type),
        change: leaveOutNulls(type),
      },
    ]),
  )
  const entry = {
    isLeftOut: false,
    change: indexSignatures[0] && leaveOutNulls(indexSignatures[0].type),
  }
  const isTouched = [...members.values(), entry].some((each) => each.isLeftOut || each.change)
  if (!isTouched) return undefined
  return (json) => {
    if (!isObject(json)) return json
    const kept = Object.entries(json).flatMap(([name, value]) => {
      const { change, isLeftOut } = members.get(name) ?? entry
      return value === null && isLeftOut
        ? []
        : [[name, change === undefined ? value : change(value)]]
    })
    return Object.fromEntries(kept)
  }
}

/**
 * Treats a null in place of an optional member as a missing member, at any depth, unless the contract gives null a
 * meaning there. This is derived from the schema, so that no member can be forgotten.
 */
const leaveOutNulls = (ast: SchemaAST.AST): Change => {
  if (SchemaAST.isObjects(ast)) return ofMembers(ast)
  const isList = SchemaAST.isArrays(ast) && ast.elements.length === 0
  const inside = SchemaAST.isUnion(ast) ? ast.types : isList ? ast.rest : []
  const changes = inside.map(leaveOutNulls).filter((each) => each !== undefined)
  if (changes.length > 1 || SchemaAST.isSuspend(ast) || (SchemaAST.isArrays(ast) && !isList)) {
    throw new Error("a body has this shape for the first time: decide what a null means in it")
  }
  const [change] = changes
  return change && isList ? (json) => (isArray(json) ? json.map(change) : json) : change
}

/**
 * Makes the reader of a body's shape. It reports every member that is missing or of the wrong type, and ignores unknown
 * members. The domain checks the contract's further rules, and reports all of them together.
 */
export const reader = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", disableChecks: true })
  const change = leaveOutNulls(SchemaAST.toEncoded(schema.ast))
  const toInvalid = SchemaIssues.reader(schema, "body")
  return (json: Schema.Json | undefined): Result.Result<A, Invalid.InvalidInput | Unreadable> =>
    json === undefined
      ? Result.fail(new Unreadable({ message: "send a JSON body" }))
      : Result.mapError(decode(change === undefined ? json : change(json)), toInvalid)
}

const unexpected = new Unreadable({ message: "this call takes no body, or an empty object" })

/** Makes the reader of a call that takes no body: no body and any JSON object are treated the same. */
export const readerOfNone = <A>(schema: Schema.Codec<A, unknown>) => {
  const nothing = reader(schema)({})
  return (json: Schema.Json | undefined): typeof nothing =>
    json === undefined || isObject(json) ? nothing : Result.fail(unexpected)
}
