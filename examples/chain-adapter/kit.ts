/**
 * What the test suite needs to know about pebble's payers.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import type { Kit } from "@florin/testing/Kit"
import * as Wallet from "@florin/testing/Wallet"
import { ed25519 } from "@noble/curves/ed25519.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import { family, pledgeOf } from "./family.ts"
import * as Sdk from "./sdk.ts"

export const secretKey = (seed: number): Uint8Array => sha256(utf8ToBytes(`pebble/wallet/${seed}`))

/** A wallet that signs every request for its own account. */
const walletOf = (key: Uint8Array): Wallet.Payer => {
  const address = Caip.Address.make(Sdk.addressOf(ed25519.getPublicKey(key)))
  return {
    address,
    privateKey: bytesToHex(key),
    account: (chain) => ({ chainId: Wallet.chainIdOf(chain), address }),
    execute: (steps) =>
      Effect.forEach(steps, (step) => {
        const [account, text = ""] = step._tag === "WalletRpc" ? step.params : []
        return account === address
          ? Effect.succeed(Sdk.sign(text, key))
          : new Wallet.WalletRefused({ message: "this wallet signs pledges of its own account" })
      }),
  }
}

/** The same signature with the order of the curve added to its second half. Chains refuse such a signature. */
const withLargerScalar = (signature: string): string => {
  const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
  const scalar = hexToBytes(signature.slice(64)).toReversed()
  const larger = (BigInt(`0x${bytesToHex(scalar)}`) + order).toString(16).padStart(64, "0")
  return `${signature.slice(0, 64)}${bytesToHex(hexToBytes(larger).toReversed())}`
}

export const kit: Kit = {
  family,
  flows: { direct: "pledge" },
  isNumbered: false,
  wallet: (seed) => walletOf(secretKey(seed)),
  signature: ({ privateKey }, { option }) =>
    Sdk.sign(Sdk.pledgeText(pledgeOf(option)), hexToBytes(privateKey)),
  signText: ({ privateKey }, text) => Sdk.sign(text, hexToBytes(privateKey)),
  hash: (name) => bytesToHex(sha256(utf8ToBytes(`pebble/hash/${name}`))),
  spellings: { "in capital letters": (signature) => signature.toUpperCase() },
  forgeries: {
    "a larger scalar": withLargerScalar,
    "trailing letters": (signature) => `${signature}00`,
    nothing: () => "",
    zeros: (signature) => "0".repeat(signature.length),
  },
}
