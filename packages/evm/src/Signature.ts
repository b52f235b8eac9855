/**
 * What stands in a signature, and whose it is.
 *
 * A plain one is 65 bytes r, s, v with a low s and v 27 or 28: the one spelling that every token takes. Anything else can
 * only be an account's that is a contract, and only that contract can tell.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { parseErc6492Signature } from "viem/utils"
import { hex } from "./Queries.ts"

/**
 * The signature that contracts are given. ERC-6492 wraps it together with a call that would make the account: that call
 * is the payer's own choice, so nobody makes it, and only what is inside counts.
 */
export const effective = (signature: string): string =>
  Result.getOrElse(
    Result.try(() => parseErc6492Signature(hex(signature)).signature),
    () => signature,
  )

const plainPattern = /^0x[0-9a-f]{128}(?:1b|1c)$/u

/** Whether a signature may be that of a key. */
export const isPlain = (signature: string): boolean => plainPattern.test(signature)

/** Who signed a digest with a plain signature; undefined where it is none. */
export const recover = (digest: Uint8Array, signature: string): Caip.Address | undefined => {
  if (!isPlain(signature)) return undefined
  const bytes = hexToBytes(signature.slice(2))
  const bit = signature.endsWith("1b") ? 0 : 1
  const recovered = Result.try(() => {
    const recoverable = concatBytes(Uint8Array.of(bit), bytes.subarray(0, 64))
    const parsed = secp256k1.Signature.fromBytes(recoverable, "recovered")
    return parsed.hasHighS() ? undefined : parsed.recoverPublicKey(digest).toBytes(false)
  })
  if (Result.isFailure(recovered) || recovered.success === undefined) return undefined
  const hash = keccak_256(recovered.success.subarray(1))
  return Caip.Address.make(`0x${bytesToHex(hash.subarray(12))}`)
}

/** The 32 bytes that `personal_sign` signs for a text (EIP-191). */
export const messageDigest = (text: string): Uint8Array => {
  const bytes = utf8ToBytes(text)
  return keccak_256(
    concatBytes(utf8ToBytes(`\u0019Ethereum Signed Message:\n${bytes.length}`), bytes),
  )
}
