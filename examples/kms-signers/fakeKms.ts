/**
 * Stands in for a key service. It signs a digest in DER, with a low or a high s; real services return either by chance.
 *
 * @module
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { hexToBytes } from "@noble/hashes/utils.js"

const key = hexToBytes("51".repeat(32))

export const publicKey = secp256k1.getPublicKey(key, false)

const { ORDER: order } = secp256k1.Point.Fn

/** The last bit of the digest decides which s is returned. */
export const sign = (digest: Uint8Array): string => {
  const compact = secp256k1.sign(digest, key, { prehash: false, lowS: true })
  const { r, s } = secp256k1.Signature.fromBytes(compact, "compact")
  const isHigh = (digest.at(-1) ?? 0) % 2 === 1
  const der = new secp256k1.Signature(r, isHigh ? order - s : s).toBytes("der")
  return Buffer.from(der).toString("base64")
}
