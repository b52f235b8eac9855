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
