/**
 * Passkeys: what a browser sends when a person makes one or uses one (WebAuthn), and what must be true of it.
 *
 * A challenge is never stored. It is sealed text that names its use and its time, and a key answers only a challenge
 * that is newer than the last one that it answered. So each is answered once, in any process.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "../ground/Limits.ts"
import * as Seal from "../ground/Seal.ts"

/** The algorithms that the standard asks services for, by their COSE numbers: ES256, EdDSA and RS256. */
export type Algorithm = typeof Algorithm.Type
export const Algorithm = Schema.Literals([-7, -8, -257])

/** What is stored of a passkey: everything that checks its signatures, and nothing that makes one. */
export interface Passkey extends Schema.Schema.Type<typeof Passkey> {}
export const Passkey = Schema.Struct({
  /** What its person calls it. */
  label: Schema.String,
  /** In the browser's own form (SubjectPublicKeyInfo), as base64url. */
  publicKey: Schema.String,
  algorithm: Algorithm,
  /** How often the device says that it signed; always 0 for passkeys that several devices share. */
  counter: Schema.Int,
  /** Whether other devices of the person may have it, too. A passkey never changes this. */
  isShared: Schema.Boolean,
})

/** The console that asks: a passkey is bound to its host, and each signature to its origin. */
export interface Site {
  readonly origin: string
  readonly host: string
  /** Whether a public key is one of its algorithm, and strong enough. */
  readonly isUsable: (passkey: Passkey) => boolean
  readonly isSigned: (passkey: Passkey, signature: Uint8Array, signed: Uint8Array) => boolean
}

/** What a challenge is for: a session's id binds it to that session. */
export interface Asked {
  readonly use: "sign_in" | "step_up" | "register"
  /** Empty while nobody is signed in. */
  readonly session: string
}

/** A passkey, or what a browser sent of one, is not accepted. */
export class PasskeyRefused extends Schema.TaggedError<PasskeyRefused>()("PasskeyRefused", {
  message: Schema.String,
}) {}

const messages = {
  malformed: "the passkey's response cannot be read: try it again in a current browser",
  unknown: "this passkey is unknown or was removed: use another one, or a sign-in link",
  challenge: "the passkey's response is too old, or was used already: try it again",
  origin: "the passkey was used on a page of another address: open the console at its own address",
  host: "the passkey belongs to another address: use one that you added here",
  unverified: "the passkey did not check who you are: use one with a fingerprint, a face or a PIN",
  signature: "the passkey's signature is wrong: try it again",
  counter: "a copy of this passkey may exist, as it counts backwards: remove it, and add a new one",
  person: "this is the passkey of somebody else: use your own",
  unusable: "this kind of passkey is not supported, or it is already added: use another one",
}

export const refuse = (reason: keyof typeof messages): PasskeyRefused =>
  new PasskeyRefused({ message: messages[reason] })

const requireThat = (holds: boolean, reason: keyof typeof messages) =>
  holds ? Result.void : Result.fail(refuse(reason))

export const challenge = (
  { session, use }: Asked,
  random: Uint8Array,
  now: number,
  key: Seal.SealKeys,
): string =>
  Seal.seal(key, "passkey", utf8ToBytes(`${use}\n${session}\n${now}\n${bytesToHex(random)}`))

/** All that we read is ASCII: what else a browser writes is in members that nobody reads. */
const textOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

const bytesOf = (text: string): Result.Result<Uint8Array, PasskeyRefused> =>
  Result.mapError(Base64Url.decode(text), () => refuse("malformed"))

const isCredentialId = (text: string): boolean => /^[\w-]{1,1364}$/u.test(text)

/** What a browser sends of a passkey that was used. */
export interface Assertion {
  readonly credentialId: string
  readonly clientData: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly signature: Uint8Array
  /** The person that the passkey says it is of; empty if it does not say. */
  readonly person: string
}

/** Reads the header `Passkey-Response`: five parts in base64url, with a dot between each two. */
export const read = (header: string) =>
  Result.gen(function* () {
    const [credentialId = "", client = "", data = "", signature = "", person, ...more] =
      header.split(".")
    yield* requireThat(isCredentialId(credentialId) && more.length === 0, "malformed")
    const assertion: Assertion = {
      credentialId,
      clientData: yield* bytesOf(client),
      authenticatorData: yield* bytesOf(data),
      signature: yield* bytesOf(signature),
      person: textOf(yield* bytesOf(person ?? "?")),
    }
    return assertion
  })

const ClientData = Schema.Struct({
  type: Schema.String,
  challenge: Schema.String,
  origin: Schema.String,
  crossOrigin: Schema.optionalKey(Schema.Boolean),
})
const decodeClientData = Schema.decodeUnknownResult(Schema.fromJsonString(ClientData))

/** What every check needs to know. */
export interface Asking extends Asked {
  readonly site: Site
  readonly now: number
  readonly sealKey: Seal.SealKeys
}

/** Checks what the browser says, and returns when the challenge was made. */
const challengedAt = (bytes: Uint8Array, { now, sealKey, session, site, use }: Asking) =>
  Result.gen(function* () {
    const client = yield* Result.mapError(decodeClientData(textOf(bytes)), () =>
      refuse("malformed"),
    )
    const type = use === "register" ? "webauthn.create" : "webauthn.get"
    yield* requireThat(client.type === type, "malformed")
    yield* requireThat(client.origin === site.origin && client.crossOrigin !== true, "origin")
    const sealed = yield* Result.mapError(Seal.open(sealKey, "passkey", client.challenge), () =>
      refuse("challenge"),
    )
    const [isUse, isSession, at] = textOf(sealed).split("\n")
    const isDue = now < Number(at) + Limits.passkeyChallengeInMs
    yield* requireThat(isUse === use && isSession === session && isDue, "challenge")
    return Number(at)
  })

const flags = { present: 1, verified: 4, mayBeShared: 8, isShared: 16, hasCredential: 64 }
const headLength = 37

/** Checks what the device says, and returns what is to remember of it. */
const deviceData = (bytes: Uint8Array, { host }: Site) =>
  Result.gen(function* () {
    yield* requireThat(bytes.length >= headLength, "malformed")
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const has = (flag: keyof typeof flags): boolean => (view.getUint8(32) & flags[flag]) !== 0
    const own = bytesToHex(sha256(utf8ToBytes(host)))
    yield* requireThat(bytesToHex(bytes.subarray(0, 32)) === own, "host")
    yield* requireThat(has("present") && has("verified"), "unverified")
    const isShared = has("mayBeShared")
    yield* requireThat(isShared || !has("isShared"), "malformed")
    return { counter: view.getUint32(33), isShared, hasCredential: has("hasCredential") }
  })

/** What a passkey says by a signature, once that is checked. */
export interface Said extends Pick<Passkey, "counter" | "isShared"> {
  readonly challengedAt: number
}

/** Checks the use of a passkey. */
export const check = (
  passkey: Passkey,
  { authenticatorData, clientData, signature }: Assertion,
  asking: Asking,
) =>
  Result.gen(function* () {
    const at = yield* challengedAt(clientData, asking)
    const { counter, isShared } = yield* deviceData(authenticatorData, asking.site)
    const signed = concatBytes(authenticatorData, sha256(clientData))
    yield* requireThat(asking.site.isSigned(passkey, signature, signed), "signature")
    const said: Said = { challengedAt: at, counter, isShared }
    return said
  })

/** What a browser sends of a new passkey, each part in base64url. */
export interface Made {
  readonly name: string
  readonly credentialId: string
  readonly clientData: string
  readonly authenticatorData: string
  readonly publicKey: string
  readonly algorithm: number
}

const isAlgorithm = Schema.is(Algorithm)

/**
 * Checks a new passkey. No device is asked to attest it, so nothing vouches for the key but the browser that sends it,
 * and its own form of the key is as good as the device's.
 */
export const make = (
  { algorithm, authenticatorData, clientData, credentialId, name, publicKey }: Made,
  asking: Asking,
) =>
  Result.gen(function* () {
    const at = yield* challengedAt(yield* bytesOf(clientData), asking)
    const data = yield* bytesOf(authenticatorData)
    const { counter, hasCredential, isShared } = yield* deviceData(data, asking.site)
    const [high = 0, low = 0] = data.subarray(headLength + 16)
    const id = data.subarray(headLength + 18, headLength + 18 + high * 256 + low)
    const isItsId = isCredentialId(credentialId) && Base64Url.encode(id) === credentialId
    yield* requireThat(hasCredential && isItsId, "malformed")
    if (!isAlgorithm(algorithm)) return yield* Result.fail(refuse("unusable"))
    const passkey: Passkey = { label: name, publicKey, algorithm, counter, isShared }
    yield* requireThat(asking.site.isUsable(passkey), "unusable")
    return { credentialId, challengedAt: at, passkey }
  })

/**
 * Records a checked use. A device that counts must count on: two that count from the same number are copies of each
 * other.
 */
export const use = (
  passkey: Passkey,
  { counter, isShared }: Said,
): Result.Result<Passkey, PasskeyRefused> => {
  const counts = counter !== 0 || passkey.counter !== 0
  const isSame = isShared === passkey.isShared && (!counts || counter > passkey.counter)
  return Result.map(requireThat(isSame, "counter"), () => ({ ...passkey, counter }))
}
