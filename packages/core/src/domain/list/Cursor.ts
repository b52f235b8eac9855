/**
 * Cursors: the start of a list's next page, in a form that only this service can write.
 *
 * A cursor is bound to its list: the owner, the filters and the order. It is refused for any other list, and so is a
 * cursor of which a character was changed.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invalid from "../ground/Invalid.ts"
import * as Seal from "../ground/Seal.ts"
import * as Unseen from "../ground/Unseen.ts"

/** The message for a text that is not a cursor of the list. */
export const rule =
  "must be the nextCursor of the previous page of this list, with the same filters and order: start again without a cursor"

/** Altered, forged, or of a list with other filters: the error does not distinguish the three. */
const refused = Invalid.fail("cursor", rule)

/** Without it, a cursor could begin like a flag of a command, with a dash. */
const prefix = "cur_"

const fingerprintBytes = 16

const fingerprint = (boundTo: string): Uint8Array =>
  sha256(utf8ToBytes(boundTo)).subarray(0, fingerprintBytes)

const Position = Schema.fromJsonString(Schema.Array(Schema.String))
const decodePosition = Schema.decodeUnknownResult(Position)

/** One byte per character; other characters are escaped, including halves of surrogate pairs. */
const toBytes = (position: ReadonlyArray<string>): Uint8Array =>
  utf8ToBytes(JSON.stringify(position).replace(/[^\0-\x7f]/gu, Unseen.codes))

const toText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

/**
 * Writes a cursor for the list that `boundTo` describes: equal texts are the same list. It names the kind of list
 * first, so that no two kinds share a text.
 *
 * @example
 * Cursor.encode(key, `["merchants","prtn_1","live",null]`, ["1760000000000", "mrch_1"])
 */
export const encode = (
  key: Seal.SealKeys,
  boundTo: string,
  position: ReadonlyArray<string>,
): string =>
  `${prefix}${Seal.seal(key, "cursor", concatBytes(fingerprint(boundTo), toBytes(position)))}`

/** Reads a cursor of the list that `boundTo` describes. */
export const decode = (
  key: Seal.SealKeys,
  boundTo: string,
  text: string,
): Result.Result<ReadonlyArray<string>, Invalid.InvalidInput> => {
  const opened = Seal.open(key, "cursor", text.slice(prefix.length))
  if (!text.startsWith(prefix) || Result.isFailure(opened)) return refused
  const bytes = opened.success
  const isBound = fingerprint(boundTo).every((byte, index) => byte === bytes[index])
  return isBound
    ? Result.orElse(decodePosition(toText(bytes.subarray(fingerprintBytes))), () => refused)
    : refused
}

/** The position in a request's cursor; null before the first page. */
export const read = <A>(
  key: Seal.SealKeys,
  boundTo: string,
  text: string | undefined,
  readPosition: (parts: ReadonlyArray<string>) => Result.Result<A, unknown>,
): Result.Result<A | null, Invalid.InvalidInput> =>
  text === undefined
    ? Result.succeed(null)
    : Result.flatMap(decode(key, boundTo, text), (parts) =>
        Result.orElse(readPosition(parts), () => refused),
      )

/** A cursor is bound to the filters of its list, so it is judged only if these could be read. */
export const judge = <F, A>(
  filters: Result.Result<F, Invalid.InvalidInput>,
  readCursor: (filters: F) => Result.Result<A | null, Invalid.InvalidInput>,
): Result.Result<A | null, Invalid.InvalidInput> =>
  Result.isFailure(filters) ? Result.succeed(null) : readCursor(filters.success)

/** Reads the position of a list by age: when its last item was created, and the id of that item. */
export const byAge = <Id>(id: Schema.Codec<Id, string>) => {
  const readParts = Schema.decodeUnknownResult(
    Schema.Tuple([Schema.NumberFromString.check(Schema.isInt()), id]),
  )
  return (parts: ReadonlyArray<string>) =>
    Result.map(readParts(parts), ([createdAt, own]) => ({ createdAt, id: own }))
}
