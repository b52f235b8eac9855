/**
 * What a key service signs, in the form that Ethereum takes.
 *
 * A key service returns r and s in DER, with an s that may be high, and does not say which of the possible keys signed.
 * Ethereum takes the low s only, and needs the recovery id, by which the key is found.
 *
 * @module
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"

const { ORDER: order } = secp256k1.Point.Fn

const addressOf = (publicKey: Uint8Array): string =>
  `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`

/** r, s and v in 65 bytes. Throws if no spelling of the signature is that of the account: then another key signed. */
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
