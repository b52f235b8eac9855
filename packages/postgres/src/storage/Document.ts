/**
 * Documents: objects of the domain as JSON in a column.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { SqlError } from "effect/sql/SqlError"
import * as Connection from "../Connection.ts"

/** A row with a document, as the driver returns it. */
export interface Row {
  readonly document: unknown
}

/**
 * Escapes in JSON text that jsonb refuses: U+0000, and a half of a surrogate pair, which is only written as an escape
 * if it is alone. Every escape is matched whole, so that a backslash and the letters after it are not mistaken for one.
 */
const escapes = /\\(?:(u0000|ud[89a-f][0-9a-f]{2})|.)/gu

/** A text from outside, such as a chain's reason for a refusal, must not prevent its record from being written. */
const accepted = (json: string): string =>
  json.includes("\\u")
    ? json.replace(escapes, (escape: string, refused?: string) =>
        refused === undefined ? escape : "\\ufffd",
      )
    : json

/** A value as the text of a JSON column, with U+FFFD for what cannot be kept. */
export const text = (value: Schema.Json): string => accepted(JSON.stringify(value))

/** How objects of one kind are stored. */
export interface Document<A> {
  /** The object as JSON, to be part of a larger text. */
  readonly json: (value: A) => Schema.Json
  /** The object as JSON text, with U+FFFD for characters that cannot be stored. */
  readonly encode: (value: A) => string
  readonly decode: (column: unknown) => Effect.Effect<A>
}

/** Where a decoded record keeps the members that only a newer release knows. A changed copy (`{ ...record }`) has them too. */
const newerMembers = Symbol("newerMembers")

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

interface WithNewer {
  readonly [newerMembers]: Schema.JsonObject
}

const hasNewer = (value: unknown): value is WithNewer => isObject(value) && newerMembers in value

/** The names of a record's members as they are stored; null for what is not a record. */
const membersOf = (codec: Schema.Top): ReadonlySet<PropertyKey> | null => {
  const { ast } = Schema.toEncoded(codec)
  return SchemaAST.isObjects(ast) ? new Set(ast.propertySignatures.map(({ name }) => name)) : null
}

/**
 * The documents of one kind. A document that cannot be decoded was not written by this release: that is a defect,
 * because no caller can handle it. Members that a newer release added stay where they are, because both releases run
 * next to each other during an upgrade.
 *
 * @example
 * const document = Document.of(Merchant.Merchant)
 */
export const of = <A, I>(schema: Schema.Codec<A, I>): Document<A> => {
  const codec = Schema.toCodecJson(schema)
  const members = membersOf(codec)
  const decode = Schema.decodeUnknownEffect(codec)
  const encode = Schema.encodeSync(codec)
  const withNewer = (value: A, column: unknown): A => {
    if (members === null || !isObject(column)) return value
    if (Object.keys(column).every((name) => members.has(name))) return value
    const newer = Object.entries(column).filter(([name]) => !members.has(name))
    return { ...value, [newerMembers]: Object.fromEntries(newer) }
  }
  const json = (value: A): Schema.Json => {
    const known = encode(value)
    return hasNewer(value) && isObject(known) ? { ...value[newerMembers], ...known } : known
  }
  return {
    json,
    encode: (value) => text(json(value)),
    decode: (column) =>
      Effect.orDie(Effect.map(decode(column), (value) => withNewer(value, column))),
  }
}

/** The object that a statement finds; undefined if there is none. */
export const one = <A>(
  { decode }: Document<A>,
  rows: Effect.Effect<ReadonlyArray<Row>, SqlError>,
): Effect.Effect<A | undefined, SqlError> =>
  Effect.flatMap(rows, ([row]) =>
    row === undefined ? Effect.succeed(undefined) : decode(row.document),
  )

/** Everything that a statement finds, in its order. */
export const all = <A>(
  { decode }: Document<A>,
  rows: Effect.Effect<ReadonlyArray<Row>, SqlError>,
): Effect.Effect<ReadonlyArray<A>, SqlError> =>
  Effect.flatMap(rows, (found) => Effect.forEach(found, (row) => decode(row.document)))

/** The same, as an operation of a port. */
export const list = <A>(document: Document<A>, rows: Effect.Effect<ReadonlyArray<Row>, SqlError>) =>
  Connection.guard(all(document, rows))
