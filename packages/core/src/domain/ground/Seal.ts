/**
 * Sealed text: bytes that leave the service and return, such as option ids, cursors and page tokens. Its holder cannot
 * change a character of it.
 *
 * @module
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Malformed from "./Malformed.ts"
import * as Remembered from "./Remembered.ts"

/**
 * The secrets that authenticate sealed text, shared by all processes of a service. The first one seals, all of them
 * open.
 */
export type SealKeys = Brand.Branded<
  readonly [current: Uint8Array, ...previous: ReadonlyArray<Uint8Array>],
  "SealKeys"
>
const sealKeys = Brand.nominal<SealKeys>()

/** What a text is sealed for. A text sealed for one purpose never opens for another. */
export type Purpose = "option" | "cursor" | "page" | "session" | "csrf" | "passkey" | "proof"

const minKeyBytes = 32
const tagBytes = 16

export const makeKeys = (
  keys: ReadonlyArray<Uint8Array>,
): Result.Result<SealKeys, Malformed.Malformed> => {
  const [current, ...previous] = keys
  return current !== undefined && keys.every(({ length }) => length >= minKeyBytes)
    ? Result.succeed(sealKeys([current, ...previous]))
    : Malformed.fail(`a seal key has at least ${minKeyBytes} random bytes`)
}

/** The HMAC of a key after each purpose: to begin it for each text costs as much as to hash the text. */
const statesOf = Remembered.memoize((key: Uint8Array) => {
  const begin = (purpose: Purpose) =>
    hmac.create(sha256, key).update(utf8ToBytes(`florin/${purpose}/1\n`))
  const begun = new Map<Purpose, ReturnType<typeof begin>>()
  return (purpose: Purpose) => {
    const state = begun.get(purpose) ?? begin(purpose)
    begun.set(purpose, state)
    return state
  }
})

const tag = (key: Uint8Array, purpose: Purpose, payload: Uint8Array): Uint8Array =>
  statesOf(key)(purpose).clone().update(payload).digest().subarray(0, tagBytes)

/** Seals bytes into URL-safe text. */
export const seal = ([current]: SealKeys, purpose: Purpose, payload: Uint8Array): string =>
  Base64Url.encode(concatBytes(tag(current, purpose, payload), payload))

/** Compares in time that does not depend on where two tags first differ. */
const isTag = (expected: Uint8Array, bytes: Uint8Array): boolean => {
  let difference = 0
  for (let index = 0; index < tagBytes; index++) {
    difference |= (expected[index] ?? 0) ^ (bytes[index] ?? 0)
  }
  return difference === 0
}

/** Opens what {@link seal} wrote with any of the keys. */
export const open = (
  keys: SealKeys,
  purpose: Purpose,
  text: string,
): Result.Result<Uint8Array, Malformed.Malformed> => {
  const broken = () => Malformed.fail(`not an authentic ${purpose}`)
  const decoded = Base64Url.decode(text)
  if (Result.isFailure(decoded)) return broken()
  const bytes = decoded.success
  // Several texts decode to the same bytes; only the one that we wrote is valid.
  if (bytes.length < tagBytes || Base64Url.encode(bytes) !== text) return broken()
  const payload = bytes.subarray(tagBytes)
  return keys.some((key) => isTag(tag(key, purpose, payload), bytes))
    ? Result.succeed(payload)
    : broken()
}
