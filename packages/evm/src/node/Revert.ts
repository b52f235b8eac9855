/**
 * Reads the reason that a contract gave for its revert.
 *
 * @module
 */
import * as Option from "effect/Option"
import { decodeErrorResult, parseAbi } from "viem/utils"

/** The errors with which tokens and proxies refuse a call. A plain text arrives as `Error`. */
export const errors = parseAbi([
  "error Error(string reason)",
  "error EnforcedPause()",
  "error ContractPaused()",
  "error AddressFrozen()",
  "error InvalidSignature()",
  "error FunctionNotFound(bytes4 selector)",
  "error FunctionDoesNotExist(bytes4 selector)",
])

const decode = Option.liftThrowable((data: `0x${string}`) =>
  decodeErrorResult({ abi: errors, data }),
)

const isHex = (text: string): text is `0x${string}` => text.startsWith("0x")

/** The reason in a revert's data: a text, or the name of an error that we know. Null if it holds nothing readable. */
export const reasonOf = (data: string): string | null => {
  // Some nodes write a word before the data.
  const [hex = ""] = /0x[0-9a-f]{8,}/iu.exec(data) ?? []
  if (!isHex(hex)) return null
  const error = Option.getOrNull(decode(hex))
  if (error === null) return null
  return error.errorName === "Error" ? error.args[0] : error.errorName
}
