/**
 * Reads what wallets of EVM chains return, and converts signatures to their canonical spelling.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { Outputs } from "../chain/ActionResult.ts"
import type * as PaymentOption from "../chain/PaymentOption.ts"
import * as Invalid from "../ground/Invalid.ts"

const hashPattern = /^0x[0-9a-f]{64}$/u
/**
 * At least the 64 bytes of a compact signature, always whole bytes; or empty, for a contract that recorded its approval
 * on its chain. Whether the account is a contract is decided on the chain.
 */
const signaturePattern = /^0x(?:(?:[0-9a-f]{2}){64,})?$/u

/** Approvals that may precede a permit signature: a reset, and the approval itself. */
const approvalsMax = 2

const refuse = (message: string) => Invalid.fail("results", message)

const zeroBased = /^0x[0-9a-f]{128}0[01]$/u
const compact = /^0x[0-9a-f]{128}$/u

/**
 * The canonical spelling of a key's signature: 65 bytes r, s, v with v 27 or 28. Some wallets write v as 0 or 1, or 64
 * bytes with v in the highest bit of s (EIP-2098). Anything else stays unchanged.
 *
 * @example
 * canonicalSignature(`0x${r}${s}00`) // `0x${r}${s}1b`
 */
export const canonicalSignature = (signature: string): string => {
  if (zeroBased.test(signature)) {
    return `${signature.slice(0, 130)}${signature.endsWith("1") ? "1c" : "1b"}`
  }
  if (!compact.test(signature)) return signature
  const top = Number.parseInt(signature.charAt(66), 16)
  const s = `${(top & 7).toString(16)}${signature.slice(67)}`
  return `${signature.slice(0, 66)}${s}${top >= 8 ? "1c" : "1b"}`
}

/** Reads the outputs of a confirm against the option they are for: how many, in which order, and of what kind. */
export const read = (
  flow: PaymentOption.Flow,
  outputs: ReadonlyArray<string>,
): Result.Result<Outputs, Invalid.InvalidInput> => {
  if (flow === "transfer") {
    const [txHash, signature, ...more] = outputs
    if (txHash === undefined || signature === undefined || more.length > 0) {
      return refuse("this option has two outputs: a transaction hash and a signature")
    }
    if (!hashPattern.test(txHash)) return refuse("the first output is a transaction hash")
    return signaturePattern.test(signature)
      ? Result.succeed({ _tag: "Sent", txHash, signature })
      : refuse("the second output is a signature")
  }
  const signature = outputs.at(-1)
  const approvals = outputs.slice(0, -1)
  if (signature === undefined || !signaturePattern.test(signature)) {
    return refuse("the last output is the signature of the typed data")
  }
  if (approvals.length > (flow === "permit2" ? approvalsMax : 0)) {
    return refuse("there are more outputs than this option has actions")
  }
  return approvals.every((hash) => hashPattern.test(hash))
    ? Result.succeed({ _tag: "Authorized", signature, approvals })
    : refuse("every output before the signature is a transaction hash")
}
