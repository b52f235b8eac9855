import { assert, describe, it } from "@effect/vitest"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Passkey from "@florin/core/domain/partner/Passkey"
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"

const sealKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(1)]))
const [host, origin, now] = ["ops.example", "https://ops.example", 1_000_000]

/** A site that takes a hash for a signature. */
const site: Passkey.Site = {
  host,
  origin,
  isUsable: ({ publicKey }) => publicKey !== "weak",
  isSigned: (_, signature, signed) =>
    Base64Url.encode(signature) === Base64Url.encode(sha256(signed)),
}
const asking: Passkey.Asking = { use: "step_up", session: "key_1", site, now, sealKey }

const passkey: Passkey.Passkey = {
  label: "Laptop",
  publicKey: "key",
  algorithm: -7,
  counter: 3,
  isShared: false,
}

const challengeFor = (asked: Partial<Passkey.Asking> = {}) => {
  const { now: at, sealKey: key, session, use } = { ...asking, ...asked }
  return Passkey.challenge({ use, session }, new Uint8Array(16), at, key)
}

const client = (own: object = {}) =>
  utf8ToBytes(JSON.stringify({ type: "webauthn.get", challenge: challengeFor(), origin, ...own }))

/** What a device says: the host's hash, flags and a counter, and what comes after them. */
const device = (flags = 5, counter = 4, of = host, rest = new Uint8Array()) =>
  concatBytes(sha256(utf8ToBytes(of)), Uint8Array.of(flags, 0, 0, 0, counter), rest)

const assertion = (clientData = client(), authenticatorData = device()): Passkey.Assertion => ({
  credentialId: "abc",
  clientData,
  authenticatorData,
  signature: sha256(concatBytes(authenticatorData, sha256(clientData))),
  person: "person",
})

const messageOf = <A>(result: Result.Result<A, Passkey.PasskeyRefused>): string =>
  Result.isFailure(result) ? result.failure.message : "accepted"

describe("the use of a passkey", () => {
  it("returns the time of its challenge, and the device's counter", () => {
    assert.deepStrictEqual(
      Passkey.check(passkey, assertion(), asking),
      Result.succeed({ challengedAt: now, counter: 4, isShared: false }),
    )
  })

  const tooLate = { now: now + 24 * 3_600_000 }
  for (const [what, said, of, reason] of [
    [
      "a page of another address",
      assertion(client({ origin: "https://evil.example" })),
      {},
      "origin",
    ],
    ["a page inside another one", assertion(client({ crossOrigin: true })), {}, "origin"],
    ["the making of one", assertion(client({ type: "webauthn.create" })), {}, "malformed"],
    ["no JSON", assertion(utf8ToBytes("{")), {}, "malformed"],
    ["a made-up challenge", assertion(client({ challenge: "abc" })), {}, "challenge"],
    ["another session", assertion(), { session: "key_2" }, "challenge"],
    ["another use", assertion(), { use: "sign_in" }, "challenge"],
    ["a challenge of yesterday", assertion(), tooLate, "challenge"],
    ["another host", assertion(client(), device(5, 4, "evil.example")), {}, "host"],
    ["no check of the person, such as a PIN", assertion(client(), device(1)), {}, "unverified"],
    ["no touch of the person", assertion(client(), device(4)), {}, "unverified"],
    [
      "a copy, although the passkey cannot be copied",
      assertion(client(), device(5 + 16)),
      {},
      "malformed",
    ],
    ["half of what a device says", assertion(client(), device().slice(0, 36)), {}, "malformed"],
    ["another signature", { ...assertion(), signature: new Uint8Array(32) }, {}, "signature"],
  ] as const) {
    it(`S40: is refused with ${what}`, () => {
      const checked = Passkey.check(passkey, said, { ...asking, ...of })
      assert.strictEqual(messageOf(checked), Passkey.refuse(reason).message)
    })
  }

  it("is read from its header, five parts with dots between them", () => {
    const { authenticatorData, clientData, credentialId, person, signature } = assertion()
    const parts = [clientData, authenticatorData, signature, utf8ToBytes(person)]
    const header = [credentialId, ...parts.map((each) => Base64Url.encode(each))].join(".")
    assert.deepStrictEqual(Result.getOrThrow(Passkey.read(header)), assertion())
    for (const wrong of ["", "abc", `${header}.`, `!${header}`, header.replace(".", ".!")]) {
      assert.strictEqual(messageOf(Passkey.read(wrong)), Passkey.refuse("malformed").message)
    }
  })

  it("S40: is recorded if the device's counter increased, or is always 0", () => {
    const used = (from: number, counter: number, isShared = false) =>
      Passkey.use({ ...passkey, counter: from }, { challengedAt: now, counter, isShared })
    assert.deepStrictEqual(used(3, 4), Result.succeed({ ...passkey, counter: 4 }))
    assert.isTrue(Result.isSuccess(used(0, 0)))
    for (const wrong of [used(3, 3), used(3, 0), used(3, 4, true)]) {
      assert.strictEqual(messageOf(wrong), Passkey.refuse("counter").message)
    }
  })
})

describe("a new passkey", () => {
  const registering: Passkey.Asking = { ...asking, use: "register" }
  const id = Uint8Array.of(1, 2, 3)
  const data = (flags = 5 + 64) =>
    device(flags, 0, host, concatBytes(new Uint8Array(16), Uint8Array.of(0, id.length), id))
  const made = (own: Partial<Passkey.Made> = {}): Passkey.Made => ({
    name: "Laptop",
    credentialId: Base64Url.encode(id),
    clientData: Base64Url.encode(
      client({ type: "webauthn.create", challenge: challengeFor({ use: "register" }) }),
    ),
    authenticatorData: Base64Url.encode(data()),
    publicKey: "key",
    algorithm: -7,
    ...own,
  })

  it("is stored with the public key that checks its signatures", () => {
    assert.deepStrictEqual(
      Passkey.make(made(), registering),
      Result.succeed({
        credentialId: Base64Url.encode(id),
        challengedAt: now,
        passkey: { ...passkey, counter: 0 },
      }),
    )
  })

  for (const [what, own, reason] of [
    ["another id than the device says", { credentialId: "AAAA" }, "malformed"],
    ["no key of the device", { authenticatorData: Base64Url.encode(data(5)) }, "malformed"],
    ["bytes that are no passkey", { authenticatorData: "!" }, "malformed"],
    ["an algorithm that was not offered", { algorithm: -35 }, "unusable"],
    ["a weak key", { publicKey: "weak" }, "unusable"],
  ] as const) {
    it(`S40: is refused with ${what}`, () => {
      const result = Passkey.make(made(own), registering)
      assert.strictEqual(messageOf(result), Passkey.refuse(reason).message)
    })
  }
})
