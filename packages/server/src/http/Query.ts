/**
 * Reads query parameters. Unknown names are ignored. A parameter that is sent twice but may be sent only once is an
 * error, as it is unclear which value was meant.
 *
 * @module
 */
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssues from "./SchemaIssues.ts"

type Read<A> = Result.Result<A, Invalid.InvalidInput>

/** The parameters of a request, in the order they were sent. */
export type Query = URLSearchParams

const none: Query = new URLSearchParams()

export const parse = (text: string): Query => (text === "" ? none : new URLSearchParams(text))

/** Reads a parameter that may be sent once. */
export const one = (query: Query, name: string): Read<string | undefined> => {
  const [value, ...more] = query.getAll(name)
  return more.length === 0 ? Result.succeed(value) : Invalid.fail(name, "may be sent once")
}

/** Reads a parameter that may be sent several times; undefined if it is missing. */
export const several = (query: Query, name: string): ReadonlyArray<string> | undefined => {
  const values = query.getAll(name)
  return values.length === 0 ? undefined : values
}

/** Reads parameters that may each be sent once, and reports all that are sent twice together. */
export const ones = (
  query: Query,
  names: ReadonlyArray<string>,
): Read<Readonly<Record<string, string>>> => {
  const issues: Array<Invalid.Issue> = []
  const values: Record<string, string> = {}
  for (const name of names) {
    const read = one(query, name)
    if (Result.isFailure(read)) issues.push(...read.failure.issues)
    else if (read.success !== undefined) values[name] = read.success
  }
  return Result.map(Invalid.check(issues), () => values)
}

/**
 * Makes the reader of the query that a schema describes. Parameters that are sent too often are reported first. Most
 * calls have no query at all, so the result for the empty query is computed once.
 */
export const reader = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  const toInvalid = SchemaIssues.reader(schema, "query")
  const { ast } = Schema.toType(schema)
  const members = SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  const names = (isRepeatable: boolean) =>
    members.flatMap(({ name, type }) =>
      SchemaAST.isArrays(type) === isRepeatable ? [String(name)] : [],
    )
  const single = names(false)
  const repeatable = names(true)
  const read = (query: Query): Read<A> =>
    Result.flatMap(ones(query, single), (values) => {
      const lists = repeatable.flatMap((name) => {
        const found = several(query, name)
        return found === undefined ? [] : [[name, found] as const]
      })
      return Result.mapError(decode({ ...values, ...Object.fromEntries(lists) }), toInvalid)
    })
  // Decoders are compiled with their first use, and most endpoints are never called.
  let ofNone: Read<A> | undefined
  return (query: Query): Read<A> => (query === none ? (ofNone ??= read(none)) : read(query))
}
