/**
 * Idempotency keys: the same request with the same key gets the same response, and a different request is refused.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "../ground/Limits.ts"
import * as Malformed from "../ground/Malformed.ts"
import * as Mode from "../ground/Mode.ts"
import * as PartnerId from "../ground/PartnerId.ts"

const keyPattern = /^[\x20-\x7e]{1,255}$/u

/** The client's name for its request: 1 to 255 printable ASCII characters. */
export type IdempotencyKey = Brand.Branded<string, "IdempotencyKey">
const key = Brand.nominal<IdempotencyKey>()
export const IdempotencyKey = Schema.String.check(Schema.isPattern(keyPattern)).pipe(
  Schema.fromBrand("IdempotencyKey", key),
)

/** A body nested deeper than any valid request. */
export class BodyTooDeep extends Schema.TaggedError<BodyTooDeep>()("BodyTooDeep", {
  message: Schema.String,
}) {}

/** The scope of a key. The same key of another partner, mode or endpoint is another key. */
export interface Scope extends Schema.Schema.Type<typeof Scope> {}
export const Scope = Schema.Struct({
  partnerId: PartnerId.PartnerId,
  mode: Mode.Mode,
  /** Method and path, with the ids in it: `POST /v1/merchants/mrch_1/settlements/crypto`. */
  endpoint: Schema.String,
})

/** SHA-256 of a body, as hex: equal exactly for bodies that mean the same. */
export type Fingerprint = Brand.Branded<string, "Fingerprint">
const fingerprintOf = Brand.nominal<Fingerprint>()
export const Fingerprint = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)).pipe(
  Schema.fromBrand("Fingerprint", fingerprintOf),
)

/** A response that is stored under its key. */
export interface Remembered extends Schema.Schema.Type<typeof Remembered> {}
export const Remembered = Schema.Struct({
  scope: Scope,
  key: IdempotencyKey,
  fingerprint: Fingerprint,
  /** The response as JSON text. */
  response: Schema.String,
  expiresAt: Schema.Int,
})

export const parseKey = (text: string): Result.Result<IdempotencyKey, Malformed.Malformed> =>
  keyPattern.test(text)
    ? Result.succeed(key(text))
    : Malformed.fail(
        `an Idempotency-Key has 1 to ${Limits.idempotencyKeyMaxLength} printable ASCII characters`,
      )

/** JSON with sorted keys and no spaces; undefined if it is nested more than `depth` deep. */
const canonical = (value: Schema.Json, depth: number): string | undefined => {
  if (typeof value === "string") return JSON.stringify(value)
  // `String` distinguishes 1e400, which JSON.parse reads as Infinity, from null; `JSON.stringify` does not.
  if (typeof value !== "object" || value === null) return String(value)
  if (depth === 0) return undefined
  const parts: Array<string> = []
  if (isArray(value)) {
    for (const item of value) {
      const text = canonical(item, depth - 1)
      if (text === undefined) return undefined
      parts.push(text)
    }
    return `[${parts.join(",")}]`
  }
  for (const [name, item] of Object.entries(value).toSorted(byName)) {
    const text = canonical(item, depth - 1)
    if (text === undefined) return undefined
    parts.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${parts.join(",")}}`
}

const isArray = (value: Schema.Json): value is Schema.JsonArray => Array.isArray(value)

/** Names in one object are never equal. */
const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : 1

/**
 * The fingerprint of a request. Spaces and the order of members do not matter; everything else does. Include the parts
 * of the request outside its body, such as a `Merchant-Id`.
 */
export const fingerprint = (body: Schema.Json): Result.Result<Fingerprint, BodyTooDeep> => {
  const text = canonical(body, Limits.jsonDepthMax)
  return text === undefined
    ? Result.fail(
        new BodyTooDeep({ message: `a body is nested at most ${Limits.jsonDepthMax} deep` }),
      )
    : Result.succeed(fingerprintOf(bytesToHex(sha256(utf8ToBytes(text)))))
}

export const remember = (request: Omit<Remembered, "expiresAt">, now: number): Remembered => ({
  ...request,
  expiresAt: now + Limits.idempotencyKeptInMs,
})

/** `fresh`: do the work. `replay`: return the stored response. `conflict`: the key belongs to another request. */
export type Judgement = "fresh" | "replay" | "conflict"

export const judge = (
  remembered: Remembered | undefined,
  current: Fingerprint,
  now: number,
): Judgement => {
  if (remembered === undefined || now >= remembered.expiresAt) return "fresh"
  return remembered.fingerprint === current ? "replay" : "conflict"
}
