/**
 * What both sides of a comparison are asked about, and how the payer signs: none of it is code of the service.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { pointFromScalar, signRecoverable } from "tiny-secp256k1"

export const publicUrl = "https://pay.example.com"
export const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
/** In millionths of a dollar. */
export const price = 1234
/** Longer than any run. */
export const lifeInS = 24 * 60 * 60

export interface Payer {
  readonly privateKey: Buffer
  readonly address: `0x${string}`
}

let payers = 0

/** The next payer: each payment has one of its own, as in life. */
export const nextPayer = (): Payer => {
  payers += 1
  const privateKey = Buffer.alloc(32, 1)
  privateKey.writeUInt32BE(payers, 28)
  const point = pointFromScalar(privateKey, false) ?? new Uint8Array(65)
  const address = Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString("hex")
  return { privateKey, address: `0x${address}` }
}

/** What the payer's wallet responds, much faster than a real wallet. */
export const sign = (digest: Uint8Array, { privateKey }: Payer): string => {
  const { recoveryId, signature } = signRecoverable(digest, privateKey)
  return `0x${Buffer.from(signature).toString("hex")}${(27 + recoveryId).toString(16)}`
}
