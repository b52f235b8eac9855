/**
 * Reads a signature and finds its signer.
 *
 * A plain signature has 65 bytes r, s, v with a low s and v 27 or 28: the only spelling that every token takes. Any
 * other can only belong to an account that is a contract, and only that contract can judge it.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hashMessage, parseErc6492Signature } from "viem/utils"
import { hex } from "../read/Queries.ts"
import type { Recover } from "./Recovery.ts"

/**
 * The signature that is passed to contracts. ERC-6492 wraps it together with a call that would create the account. That
 * call is the payer's own choice, so the service never makes it, and only the inner signature counts.
 */
export const effective = (signature: string): string =>
  Result.getOrElse(
    Result.try(() => parseErc6492Signature(hex(signature)).signature),
    () => signature,
  )

const plainPattern = /^0x[0-9a-f]{128}(?:1b|1c)$/u

/** Whether a key may have made a signature. */
const isPlain = (signature: string): boolean => plainPattern.test(signature)

/** Half the order of the curve: one of s and its negative is at most this. */
const highestS = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"

/** The account that signed a digest with a plain signature; undefined if there is none. */
export const recoverBy =
  (recover: Recover) =>
  (digest: Uint8Array, signature: string): Caip.Address | undefined => {
    if (!isPlain(signature) || signature.slice(66, 130) > highestS) return undefined
    const bytes = hexToBytes(signature.slice(2, 130))
    const key = recover(digest, bytes, signature.endsWith("1b") ? 0 : 1)
    if (key === undefined) return undefined
    return Caip.Address.make(`0x${bytesToHex(keccak_256(key.subarray(1)).subarray(12))}`)
  }

/** Loaded with the first signature. A slow implementation is logged, and is no fault. */
const recovery = Effect.runSync(
  Effect.cached(
    Effect.promise(() => import("@florin/evm/Recovery")).pipe(
      Effect.tap(({ means }) =>
        means === "wasm"
          ? Effect.logInfo(
              "payers' signatures are checked in WebAssembly, at a fifth of the speed: the native addon of secp256k1 is not installed",
            )
          : Effect.void,
      ),
    ),
  ),
)

/** Recovers the signer with the fastest implementation that this process has. */
export const recover = (digest: Uint8Array, signature: string) =>
  Effect.map(recovery, (by) => recoverBy(by.recover)(digest, signature))

/** The 32 bytes that `personal_sign` signs for a text (EIP-191). */
export const messageDigest = (text: string): Uint8Array => hashMessage(text, "bytes")
