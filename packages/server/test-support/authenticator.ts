/**
 * A passkey in memory, as a device and a browser make and use it: and as they never would.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import type * as Passkey from "@florin/core/domain/partner/Passkey"

/** What one use says. Each member may be a lie. */
export interface Spoken {
  readonly type: string
  readonly challenge: string
  readonly origin: string
  readonly crossOrigin: boolean
  readonly host: string
  /** Present 1, verified 4, may be shared 8, is shared 16, has a credential 64. */
  readonly flags: number
  readonly counter: number
  /** The person, in base64url. */
  readonly handle: string
}

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")
const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest()

const pairs: {
  readonly [algorithm: number]: () => { publicKey: KeyObject; privateKey: KeyObject }
} = {
  [-7]: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  [-8]: () => generateKeyPairSync("ed25519"),
  [-257]: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  // None of these are passkeys' keys.
  [-35]: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  [-1]: () => generateKeyPairSync("rsa", { modulusLength: 1024 }),
}

export const at = (
  { host, origin }: Pick<Passkey.Site, "host" | "origin">,
  algorithm = -7,
  claimed = algorithm,
) => {
  const { privateKey, publicKey } = (
    pairs[algorithm] ??
    pairs[-7] ??
    (() => {
      throw new Error()
    })
  )()
  const id = randomBytes(20)
  const clientData = ({ challenge, crossOrigin, origin: from, type }: Spoken) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin }))
  const data = ({ counter, flags, host: of }: Spoken) => {
    const rest = Buffer.alloc(5)
    rest.writeUInt8(flags)
    rest.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(of), rest])
  }
  const honest = { origin, host, crossOrigin: false, counter: 0, handle: "" }
  return {
    id: encode(id),
    /** The body of a request that adds it. */
    make: (challenge: string, lies: Partial<Spoken> = {}) => {
      const said = { ...honest, challenge, type: "webauthn.create", flags: 69, ...lies }
      const length = Buffer.from([0, id.length])
      return {
        name: "Laptop",
        credentialId: encode(id),
        clientData: encode(clientData(said)),
        authenticatorData: encode(Buffer.concat([data(said), Buffer.alloc(16), length, id])),
        publicKey: encode(publicKey.export({ type: "spki", format: "der" })),
        algorithm: claimed,
      }
    },
    /** The header of a request that uses it. */
    use: (challenge: string, lies: Partial<Spoken> = {}): string => {
      const said = { ...honest, challenge, type: "webauthn.get", flags: 5, ...lies }
      const [client, own] = [clientData(said), data(said)]
      const signed = Buffer.concat([own, sha256(client)])
      const signature = sign(claimed === -8 ? null : "sha256", signed, privateKey)
      return [encode(id), encode(client), encode(own), encode(signature), said.handle].join(".")
    },
  }
}

export type Authenticator = ReturnType<typeof at>
