/**
 * What a wallet returns: one output for each action it executed, a signature or a transaction hash.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"

/** One result on the wire: the outputs of one action, or of all of them. */
export interface WalletResult {
  readonly data: ReadonlyArray<string>
}

/** Outputs, decoded by the kind of action that each belongs to. */
export type Outputs = typeof Outputs.Type
export const Outputs = Schema.TaggedUnion({
  /** A signed authorization, and the approvals that were sent before it. */
  Authorized: { signature: Schema.String, approvals: Schema.Array(Schema.String) },
  /** A transfer that the wallet sent itself, and the signed statement of what it pays. */
  Sent: { txHash: Schema.String, signature: Schema.String },
})

const hex = /^0x[0-9a-f]*$/iu

/**
 * Converts hex to lower case, and keeps any other text. An output that no wallet writes becomes an empty one, which no
 * kind of action accepts.
 */
const fold = (output: string): string => {
  if (output.length > Limits.resultDataMaxLength) return ""
  return hex.test(output) ? output.toLowerCase() : output
}

/**
 * The outputs in order, hex in lower case, so that the same bytes always read the same: one result per action with one
 * output each, or exactly one result with all of them.
 */
export const flatten = (
  results: ReadonlyArray<WalletResult>,
): Result.Result<ReadonlyArray<string>, Invalid.InvalidInput> => {
  if (results.length === 0)
    return Invalid.fail("results", "results holds one result for each action")
  if (results.length > Limits.resultsPerConfirmMax) {
    return Invalid.fail("results", `results holds at most ${Limits.resultsPerConfirmMax} entries`)
  }
  const [first] = results
  if (results.length === 1 && first !== undefined) return Result.succeed(first.data.map(fold))
  const outputs: Array<string> = []
  for (const [index, result] of results.entries()) {
    const [output, ...more] = result.data
    if (output === undefined || more.length > 0) {
      return Invalid.fail(
        `results[${index}].data`,
        "with several results, each holds exactly the one output of its action",
      )
    }
    outputs.push(fold(output))
  }
  return Result.succeed(outputs)
}
