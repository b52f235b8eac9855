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

/** A passkey, or what a browser sent for one, is not accepted. The reason is for tests; each has its message. */
export class PasskeyRefused extends Schema.TaggedError<PasskeyRefused>()("PasskeyRefused", {
  reason: Schema.Literals([
    "malformed",
    "unknown",
    "challenge",
    "origin",
    "host",
    "unverified",
    "signature",
    "counter",
    "person",
    "unusable",
  ]),
  message: Schema.String,
}) {}

const messages: { readonly [R in PasskeyRefused["reason"]]: string } = {
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

export const refuse = (reason: PasskeyRefused["reason"]): PasskeyRefused =>
  new PasskeyRefused({ reason, message: messages[reason] })

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

/** When a challenge was made, if it was made for this and is still answered. */
const openChallenge = (
  text: string,
  { session, use }: Asked,
  now: number,
  key: Seal.SealKeys,
): number | undefined => {
  const [isUse, isSession, at] = Result.match(Seal.open(key, "passkey", text), {
    onFailure: () => "",
    onSuccess: textOf,
  }).split("\n")
  const madeAt = Number(at)
  return isUse === use && isSession === session && now < madeAt + Limits.passkeyChallengeInMs
    ? madeAt
    : undefined
}

/** What a browser sends of a passkey that was used. */
export interface Assertion {
  readonly credentialId: string
  readonly clientData: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly signature: Uint8Array
  /** The person that the passkey says it is of; empty if it does not say. */
  readonly person: string
}

const malformed = Result.fail(refuse("malformed"))

const bytesOf = (text: string): Result.Result<Uint8Array, PasskeyRefused> =>
  Result.mapError(Base64Url.decode(text), () => refuse("malformed"))

/** Reads the header `Passkey-Response`: five parts in base64url, with a dot between each two. */
export const read = (header: string): Result.Result<Assertion, PasskeyRefused> => {
  const [credentialId, ...rest] = header.split(".")
  if (credentialId === undefined || !isCredentialId(credentialId) || rest.length !== 4) {
    return malformed
  }
  return Result.map(
    Result.all(rest.map(bytesOf)),
    ([
      clientData = new Uint8Array(),
      authenticatorData = new Uint8Array(),
      signature = new Uint8Array(),
      person = new Uint8Array(),
    ]) => ({
      credentialId,
      clientData,
      authenticatorData,
      signature,
      person: textOf(person),
    }),
  )
}

const isCredentialId = (text: string): boolean => /^[\w-]{1,1364}$/u.test(text)

const ClientData = Schema.Struct({
  type: Schema.String,
  challenge: Schema.String,
  origin: Schema.String,
  crossOrigin: Schema.optionalKey(Schema.Boolean),
})
const decodeClientData = Schema.decodeUnknownResult(Schema.fromJsonString(ClientData))

const requireClientData = (
  bytes: Uint8Array,
  site: Site,
  asked: Asked,
  now: number,
  key: Seal.SealKeys,
): Result.Result<number, PasskeyRefused> => {
  const read = decodeClientData(textOf(bytes))
  if (Result.isFailure(read)) return malformed
  const { challenge: answered, crossOrigin = false, origin, type } = read.success
  if (type !== (asked.use === "register" ? "webauthn.create" : "webauthn.get")) return malformed
  if (origin !== site.origin || crossOrigin) return Result.fail(refuse("origin"))
  const challengedAt = openChallenge(answered, asked, now, key)
  return challengedAt === undefined
    ? Result.fail(refuse("challenge"))
    : Result.succeed(challengedAt)
}

const flags = { present: 1, verified: 4, mayBeShared: 8, isShared: 16, hasCredential: 64 }
const headLength = 37

interface AuthenticatorData extends Pick<Passkey, "counter" | "isShared"> {
  readonly hasCredential: boolean
}

const requireAuthenticatorData = (
  bytes: Uint8Array,
  { host }: Site,
): Result.Result<AuthenticatorData, PasskeyRefused> => {
  if (bytes.length < headLength) return malformed
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const has = (flag: keyof typeof flags): boolean => (view.getUint8(32) & flags[flag]) !== 0
  if (bytesToHex(bytes.subarray(0, 32)) !== bytesToHex(sha256(utf8ToBytes(host)))) {
    return Result.fail(refuse("host"))
  }
  if (!has("present") || !has("verified")) return Result.fail(refuse("unverified"))
  if (has("isShared") && !has("mayBeShared")) return malformed
  return Result.succeed({
    counter: view.getUint32(33),
    isShared: has("mayBeShared"),
    hasCredential: has("hasCredential"),
  })
}

/** What a passkey says by a signature, once that is checked. */
export interface Said extends Pick<Passkey, "counter" | "isShared"> {
  readonly challengedAt: number
}

/** Checks the use of a passkey. */
export const check = (
  passkey: Passkey,
  { authenticatorData, clientData, signature }: Assertion,
  site: Site,
  asked: Asked,
  now: number,
  key: Seal.SealKeys,
): Result.Result<Said, PasskeyRefused> =>
  Result.flatMap(requireClientData(clientData, site, asked, now, key), (challengedAt) =>
    Result.flatMap(requireAuthenticatorData(authenticatorData, site), ({ counter, isShared }) =>
      site.isSigned(passkey, signature, concatBytes(authenticatorData, sha256(clientData)))
        ? Result.succeed({ challengedAt, counter, isShared })
        : Result.fail(refuse("signature")),
    ),
  )

/** What a browser sends of a new passkey, each part in base64url. */
export interface Made {
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
  { algorithm, authenticatorData, clientData, credentialId, publicKey }: Made,
  label: string,
  site: Site,
  session: string,
  now: number,
  key: Seal.SealKeys,
): Result.Result<{ readonly challengedAt: number; readonly passkey: Passkey }, PasskeyRefused> =>
  Result.flatMap(Result.all([bytesOf(clientData), bytesOf(authenticatorData)]), ([client, data]) =>
    Result.flatMap(
      requireClientData(client, site, { use: "register", session }, now, key),
      (challengedAt) =>
        Result.flatMap(
          requireAuthenticatorData(data, site),
          ({ counter, hasCredential, isShared }) => {
            const [high = 0, low = 0] = data.subarray(headLength + 16)
            const own = data.subarray(headLength + 18, headLength + 18 + high * 256 + low)
            if (
              !hasCredential ||
              !isCredentialId(credentialId) ||
              Base64Url.encode(own) !== credentialId
            ) {
              return malformed
            }
            if (!isAlgorithm(algorithm)) return Result.fail(refuse("unusable"))
            const passkey = { label, publicKey, algorithm, counter, isShared }
            return site.isUsable(passkey)
              ? Result.succeed({ challengedAt, passkey })
              : Result.fail(refuse("unusable"))
          },
        ),
    ),
  )

/**
 * Records a checked use. A device that counts must count on: two that count from the same number are copies of each
 * other.
 */
export const use = (
  passkey: Passkey,
  { counter, isShared }: Said,
): Result.Result<Passkey, PasskeyRefused> => {
  const counts = counter !== 0 || passkey.counter !== 0
  return isShared !== passkey.isShared || (counts && counter <= passkey.counter)
    ? Result.fail(refuse("counter"))
    : Result.succeed({ ...passkey, counter })
}
