/**
 * What a wallet hands back: one output for each action it executed, a signature or a transaction hash.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"
import type * as PaymentOption from "./PaymentOption.ts"

/** One result on the wire: the outputs of one action, or of all of them. */
export interface WalletResult {
  readonly data: ReadonlyArray<string>
}

/** Outputs read against the kind of action each belongs to. */
export type Outputs = typeof Outputs.Type
export const Outputs = Schema.TaggedUnion({
  /** A signed authorization, and the approvals that were sent before it. */
  Authorized: { signature: Schema.String, approvals: Schema.Array(Schema.String) },
  /** A transfer that the wallet sent itself, and the signed statement of what it pays. */
  Sent: { txHash: Schema.String, signature: Schema.String },
})

export class InvalidResults extends Schema.TaggedError<InvalidResults>()("InvalidResults", {
  field: Schema.String,
  message: Schema.String,
}) {}

const hashPattern = /^0x[0-9a-f]{64}$/u
/** At least the 64 bytes of a compact signature, always whole bytes. */
const signaturePattern = /^0x(?:[0-9a-f]{2}){64,}$/u

/** Approvals that may precede a permit signature: a reset, and the approval itself. */
const approvalsMax = 2

/** An output that no wallet writes is read as nothing, which no kind of action accepts. */
const fold = (output: string): string =>
  output.length <= Limits.resultDataMaxLength ? output.toLowerCase() : ""

const refuse = (field: string, message: string) =>
  Result.fail(new InvalidResults({ field, message }))

/**
 * The outputs in order, in lower case, so that the same bytes always read the same: one result per action with one
 * output each, or exactly one result with all of them.
 */
export const flatten = (
  results: ReadonlyArray<WalletResult>,
): Result.Result<ReadonlyArray<string>, InvalidResults> => {
  if (results.length === 0) return refuse("results", "results holds one result for each action")
  if (results.length > Limits.resultsPerConfirmMax) {
    return refuse("results", `results holds at most ${Limits.resultsPerConfirmMax} entries`)
  }
  const [first] = results
  if (results.length === 1 && first !== undefined) return Result.succeed(first.data.map(fold))
  const outputs: Array<string> = []
  for (const [index, result] of results.entries()) {
    const [output, ...more] = result.data
    if (output === undefined || more.length > 0) {
      return refuse(
        `results[${index}].data`,
        "with several results, each holds exactly the one output of its action",
      )
    }
    outputs.push(fold(output))
  }
  return Result.succeed(outputs)
}

const zeroBased = /^0x[0-9a-f]{128}0[01]$/u
const compact = /^0x[0-9a-f]{128}$/u

/**
 * The one spelling of a key's signature: 65 bytes r, s, v with v 27 or 28. Some wallets write v from 0 on, or 64 bytes
 * with v in the highest bit of s (EIP-2098). Anything else stays as it is.
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
): Result.Result<Outputs, InvalidResults> => {
  if (flow === "transfer") {
    const [txHash, signature, ...more] = outputs
    if (txHash === undefined || signature === undefined || more.length > 0) {
      return refuse("results", "this option has two outputs: a transaction hash and a signature")
    }
    if (!hashPattern.test(txHash))
      return refuse("results", "the first output is a transaction hash")
    return signaturePattern.test(signature)
      ? Result.succeed({ _tag: "Sent", txHash, signature })
      : refuse("results", "the second output is a signature")
  }
  const signature = outputs.at(-1)
  const approvals = outputs.slice(0, -1)
  if (signature === undefined || !signaturePattern.test(signature)) {
    return refuse("results", "the last output is the signature of the typed data")
  }
  if (approvals.length > (flow === "permit2" ? approvalsMax : 0)) {
    return refuse("results", "there are more outputs than this option has actions")
  }
  return approvals.every((hash) => hashPattern.test(hash))
    ? Result.succeed({ _tag: "Authorized", signature, approvals })
    : refuse("results", "every output before the signature is a transaction hash")
}
