/**
 * Reads the JSON body of a request: its type, its size, its depth and its shape.
 *
 * @module
 */
import type * as Invalid from "@florin/core/domain/Invalid"
import * as Limits from "@florin/core/domain/Limits"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Exchange from "./Exchange.ts"
import * as SchemaIssues from "./SchemaIssues.ts"

/** The body says that it is something other than JSON. */
export class NotJson extends Schema.TaggedError<NotJson>()("NotJson", { message: Schema.String }) {}

/** The body cannot be read at all. */
export class Unreadable extends Schema.TaggedError<Unreadable>()("Unreadable", {
  message: Schema.String,
}) {}

const isTooDeep = (value: Schema.Json, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (depth >= Limits.jsonDepthMax) return true
  return Object.values(value).some((each) => isTooDeep(each, depth + 1))
}

const jsonType = /^application\/(?:[-\w.!#$&^]+\+)?json\s*(?:;|$)/iu

/** Any character set but UTF-8. Other parameters do not change how a body is read. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/iu

const saysJson = (type: string): boolean => jsonType.test(type) && !otherCharset.test(type)

/** A body without a type is read as JSON; nothing is inflated, so that a few bytes never become many. */
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

/** The JSON of a request; undefined where there is no body. */
export const read = Effect.fnUntraced(function* (incoming: Exchange.Incoming) {
  const bytes = yield* incoming.body
  if (bytes.length === 0) return undefined
  yield* Effect.fromResult(checkType(incoming.header))
  return yield* Effect.fromResult(parse(bytes))
})

const isObject = (json: Schema.Json): json is Schema.JsonObject =>
  Predicate.isObject(json) && !Array.isArray(json)

/**
 * Makes the reader of a body's shape: every member that is missing or of the wrong type is reported, and members that are
 * not known are ignored. The contract's further rules are the domain's, which reports all of them together.
 */
export const reader = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", disableChecks: true })
  const toInvalid = SchemaIssues.reader(schema, "body")
  return (json: Schema.Json | undefined): Result.Result<A, Invalid.InvalidInput | Unreadable> =>
    json === undefined
      ? Result.fail(new Unreadable({ message: "send a JSON body" }))
      : Result.mapError(decode(json), toInvalid)
}

const unexpected = new Unreadable({ message: "this call takes no body, or an empty object" })

/** Makes the reader of a call that takes no body: none and any object say the same. */
export const readerOfNone = <A>(schema: Schema.Codec<A, unknown>) => {
  const nothing = reader(schema)({})
  return (json: Schema.Json | undefined): typeof nothing =>
    json === undefined || isObject(json) ? nothing : Result.fail(unexpected)
}
