/**
 * Encodes the data that a contract is called with. Finding a function's selector takes longer than encoding its
 * arguments, and the selector never changes, so calls that every payment makes are prepared once.
 *
 * @module
 */
import type { AbiFunction } from "viem"
import { encodeAbiParameters, toFunctionSelector } from "viem/utils"
import { type Hex, hex } from "./Queries.ts"

/** The arguments of a function. */
type Arguments<Function extends AbiFunction> = Parameters<
  typeof encodeAbiParameters<Function["inputs"]>
>[1]

const isWord = ({ type }: { readonly type: string }): boolean =>
  /^(?:address|bytes32|uint\d+)$/u.test(type)

/** The word of an address, of 32 bytes, or of a number. */
const wordOf = (value: unknown): string =>
  typeof value === "bigint" || typeof value === "number"
    ? value.toString(16).padStart(64, "0")
    : String(value).slice(2).toLowerCase().padStart(64, "0")

/**
 * Arguments of one word each are written directly, in a tenth of the time.
 *
 * @example
 * const balanceOf = Calldata.of(parseAbiItem("function balanceOf(address owner)"))
 * const data = balanceOf([owner])
 */
export const of = <const Function extends AbiFunction>(
  item: Function,
): ((args: Arguments<Function>) => Hex) => {
  const selector = toFunctionSelector(item)
  return item.inputs.every(isWord)
    ? (args) => hex(`${selector}${Array.from(args, wordOf).join("")}`)
    : (args) =>
        hex(`${selector}${encodeAbiParameters<Function["inputs"]>(item.inputs, args).slice(2)}`)
}
