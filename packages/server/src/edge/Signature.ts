/**
 * The signatures of passkeys.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createPublicKey, type KeyObject, verify } from "node:crypto"
import type * as Passkey from "@florin/core/domain/partner/Passkey"

const rsaBitsMin = 2048

/** Whether a key is one of its algorithm, by the number of that. */
const isOf: { readonly [A in Passkey.Passkey["algorithm"]]: (key: KeyObject) => boolean } = {
  [-7]: ({ asymmetricKeyDetails }) => asymmetricKeyDetails?.namedCurve === "prime256v1",
  [-8]: ({ asymmetricKeyType }) => asymmetricKeyType === "ed25519",
  [-257]: ({ asymmetricKeyDetails: of, asymmetricKeyType }) =>
    asymmetricKeyType === "rsa" && (of?.modulusLength ?? 0) >= rsaBitsMin,
}

const keyOf = ({ algorithm, publicKey }: Passkey.Passkey): KeyObject | undefined => {
  try {
    const der = Buffer.from(publicKey, "base64url")
    const key = createPublicKey({ key: der, format: "der", type: "spki" })
    return isOf[algorithm](key) ? key : undefined
  } catch {
    return undefined
  }
}

/** Whether a public key is one of its algorithm, and strong enough. */
export const isUsable = (passkey: Passkey.Passkey): boolean => keyOf(passkey) !== undefined

export const isSigned = (
  passkey: Passkey.Passkey,
  signature: Uint8Array,
  signed: Uint8Array,
): boolean => {
  const key = keyOf(passkey)
  return (
    key !== undefined && verify(passkey.algorithm === -8 ? null : "sha256", signed, key, signature)
  )
}
