/**
 * Converts the signature of a key service to the form that Ethereum accepts.
 *
 * A key service returns r and s in DER. Its s may be high, and it does not say which of the possible keys signed.
 * Ethereum accepts only the low s, and needs the recovery id to find the key.
 *
 * @module
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"

const { ORDER: order } = secp256k1.Point.Fn

const addressOf = (publicKey: Uint8Array): string =>
  `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`

/**
 * Returns r, s and v in 65 bytes. Throws if no form of the signature belongs to the account: then another key signed.
 */
export const fromDer = (der: Uint8Array, digest: string, address: string): string => {
  const given = secp256k1.Signature.fromBytes(der, "der")
  const low = given.hasHighS() ? new secp256k1.Signature(given.r, order - given.s) : given
  const hash = hexToBytes(digest.slice(2))
  for (const recovery of [0, 1]) {
    const publicKey = low.addRecoveryBit(recovery).recoverPublicKey(hash).toBytes(false)
    if (addressOf(publicKey) === address.toLowerCase()) {
      return `0x${bytesToHex(low.toBytes("compact"))}${recovery === 0 ? "1b" : "1c"}`
    }
  }
  throw new Error("the key service signed with the key of another account")
}
