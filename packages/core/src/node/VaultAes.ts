/**
 * The vault on AES-256-GCM: keeps personal data unreadable in the database, its backups and its log.
 *
 * Sealed data is `version (1 byte) · length of the key id (1) · key id · nonce (12) · ciphertext · tag (16)`. The place
 * and everything before the nonce are authenticated with it.
 *
 * To rotate, seal with a new key and keep the old ones as `previous` until the last data that they sealed is deleted.
 * Nonces are random, so a key is safe for 2^32 seals.
 *
 * @module
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Malformed from "../domain/ground/Malformed.ts"
import { Vault, VaultRefused } from "../ports/Vault.ts"

const algorithm = "aes-256-gcm"
const version = 1
const keyLength = 32
const nonceLength = 12
const tagLength = 16
const keyIdForm = /^[A-Za-z0-9_.-]{1,32}$/u

/** A key, and its name, which is stored with the data that it sealed. */
export interface Key {
  readonly id: string
  /** 32 random bytes. */
  readonly key: Redacted.Redacted<Uint8Array>
}

export interface Keys {
  /** Seals, and opens. */
  readonly current: Key
  /** Only open. */
  readonly previous?: ReadonlyArray<Key>
}

/**
 * A vault that seals with the current key and opens with all.
 *
 * @example
 * VaultAes.layer({ current: { id: "2026-11", key: Redacted.make(bytes) } })
 */
export const layer = (keys: Keys): Layer.Layer<Vault, Malformed.Malformed> =>
  Layer.effect(
    Vault,
    Effect.map(Effect.fromResult(ringOf(keys)), (ring) =>
      Vault.of({
        seal: (place, plain) => Effect.sync(() => seal(ring, place, plain)),
        open: (place, sealed) => Effect.suspend(() => open(ring, place, sealed)),
      }),
    ),
  )

interface Ring {
  readonly current: { readonly header: Uint8Array; readonly key: KeyObject }
  /** The key of an id; all of them if none has it, as another process may name the same key otherwise. */
  readonly keysOf: (id: string) => ReadonlyArray<KeyObject>
  readonly has: (id: string) => boolean
}

const ringOf = ({ current, previous = [] }: Keys): Result.Result<Ring, Malformed.Malformed> => {
  const keys = new Map<string, KeyObject>()
  const add = ({ id, key }: Key, name: string): Result.Result<KeyObject, Malformed.Malformed> => {
    const bytes = Redacted.value(key)
    // The given id may actually be a key, so the error names its position instead.
    if (!keyIdForm.test(id)) {
      return Malformed.fail(`the id of ${name} must be 1 to 32 letters, digits, "_", "." or "-"`)
    }
    if (keys.has(id)) {
      return Malformed.fail(`the id of ${name} is also another key's: give each key its own`)
    }
    if (bytes.length !== keyLength) {
      return Malformed.fail(
        `${name} has ${bytes.length} bytes, and needs ${keyLength}: make one with "openssl rand ${keyLength}"`,
      )
    }
    const made = createSecretKey(bytes)
    keys.set(id, made)
    return Result.succeed(made)
  }
  return Result.gen(function* () {
    const key = yield* add(current, "the current vault key")
    for (const [index, each] of previous.entries()) {
      yield* add(each, `previous vault key ${index + 1}`)
    }
    const keysOf = (id: string) => {
      const named = keys.get(id)
      return named === undefined ? [...keys.values()] : [named]
    }
    return { current: { header: headerOf(current.id), key }, keysOf, has: (id) => keys.has(id) }
  })
}

const headerOf = (id: string): Uint8Array =>
  concatBytes(Uint8Array.of(version, id.length), utf8ToBytes(id))

/** The header ends where its length says, so that two different pairs of header and place never have the same bytes. */
const authenticated = (header: Uint8Array, place: string): Uint8Array =>
  concatBytes(header, utf8ToBytes(place))

const seal = ({ current: { header, key } }: Ring, place: string, plain: Uint8Array): Uint8Array => {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength })
  cipher.setAAD(authenticated(header, place))
  const ciphertext = concatBytes(cipher.update(plain), cipher.final())
  return concatBytes(header, nonce, ciphertext, cipher.getAuthTag())
}

const open = (
  { has, keysOf }: Ring,
  place: string,
  sealed: Uint8Array,
): Effect.Effect<Uint8Array, VaultRefused> => {
  const headerLength = 2 + (sealed[1] ?? 0)
  const ciphertextAt = headerLength + nonceLength
  if (sealed[0] !== version || sealed.length < ciphertextAt + tagLength) {
    return refuse("this vault did not encrypt this text")
  }
  const header = sealed.subarray(0, headerLength)
  const id = new TextDecoder().decode(header.subarray(2))
  const decrypt = (key: KeyObject) => {
    const nonce = sealed.subarray(headerLength, ciphertextAt)
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
    decipher.setAAD(authenticated(header, place))
    decipher.setAuthTag(sealed.subarray(-tagLength))
    const ciphertext = sealed.subarray(ciphertextAt, -tagLength)
    return concatBytes(decipher.update(ciphertext), decipher.final())
  }
  for (const key of keysOf(id)) {
    const opened = Result.try(() => decrypt(key))
    if (Result.isSuccess(opened)) return Effect.succeed(opened.success)
  }
  return refuse(
    has(id)
      ? "changed since it was encrypted, or encrypted elsewhere"
      : "encrypted with a key that this vault does not have: add it as a previous key",
  )
}

const refuse = (message: string) => Effect.fail(new VaultRefused({ message }))
