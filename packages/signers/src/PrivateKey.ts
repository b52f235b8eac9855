/**
 * The account of a private key.
 *
 * Node's own curve computes the address, and the signing code is loaded with the first transaction: a start needs no
 * signing, and building its tables takes longer than the rest of the start.
 *
 * @module
 */
import { createECDH } from "node:crypto"
import type { RelayerAccount } from "@florin/evm/Signer"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** The last 20 of the hash's bytes. */
const addressBytes = 20

/** An uncompressed point, without its prefix byte. */
const publicKey = (digits: string): Uint8Array => {
  const curve = createECDH("secp256k1")
  curve.setPrivateKey(digits, "hex")
  return curve.getPublicKey().subarray(1)
}

/** None if the 64 hex digits are not a key: not every number of 32 bytes is one. */
export const account = (digits: string): Option.Option<RelayerAccount> =>
  Option.map(Result.getSuccess(Result.try(() => publicKey(digits))), (key) => ({
    address: `0x${bytesToHex(keccak_256(key).slice(-addressBytes))}`,
    signTransaction: async (transaction) => {
      const { privateKeyToAccount } = await import("viem/accounts")
      return privateKeyToAccount(`0x${digits}`).signTransaction(transaction)
    },
  }))
