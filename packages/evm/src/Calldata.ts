/**
 * What a contract is called with. To find a function's selector takes longer than to encode its arguments, and it never
 * changes: what every payment calls is prepared once.
 *
 * @module
 */
import type { AbiFunction } from "viem"
import { encodeAbiParameters, toFunctionSelector } from "viem/utils"
import { type Hex, hex } from "./Queries.ts"

/** What a function takes. */
type Arguments<Function extends AbiFunction> = Parameters<
  typeof encodeAbiParameters<Function["inputs"]>
>[1]

/**
 * @example
 * const balanceOf = Calldata.of(getAbiItem({ abi: Abi.erc20, name: "balanceOf" }))
 * const data = balanceOf([owner])
 */
export const of = <const Function extends AbiFunction>(
  item: Function,
): ((args: Arguments<Function>) => Hex) => {
  const selector = toFunctionSelector(item)
  return (args) =>
    hex(`${selector}${encodeAbiParameters<Function["inputs"]>(item.inputs, args).slice(2)}`)
}
