/**
 * The other side of a signer in tests: it signs what it is asked for, or returns one of the suite's lies.
 *
 * @module
 */
import type { Unsigned } from "@florin/evm/Signer"
import * as Schema from "effect/Schema"
import { privateKeyToAccount } from "viem/accounts"
import { type Lie, lies } from "../src/SignerSuite.ts"

/** The account's key, which is only with the other side. */
export const key = `0x${"31".repeat(32)}` as const
export const { address } = privateKeyToAccount(key)

/** What an account is asked to sign, when it does not matter what. */
export const some: Unsigned = {
  type: "eip1559",
  chainId: 8453,
  nonce: 0,
  to: address,
  value: 0n,
  data: "0x",
  gas: 21_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
}

const Hex = Schema.TemplateLiteral(["0x", Schema.String])

const Call = Schema.Struct({
  from: Hex,
  type: Schema.Literal("0x2"),
  chainId: Hex,
  nonce: Hex,
  to: Hex,
  value: Hex,
  data: Hex,
  gas: Hex,
  maxFeePerGas: Hex,
  maxPriorityFeePerGas: Hex,
})
const decode = Schema.decodeUnknownSync(Call)

/** What the fields of a call ask for. */
const asked = (call: unknown): Unsigned => {
  const { data, to, ...of } = decode(call)
  return {
    type: "eip1559",
    chainId: Number(of.chainId),
    nonce: Number(of.nonce),
    to,
    value: BigInt(of.value),
    data,
    gas: BigInt(of.gas),
    maxFeePerGas: BigInt(of.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(of.maxPriorityFeePerGas),
  }
}

/** What it returns for a call, with that key or another. */
export const answer = (
  call: unknown,
  lie: Lie | undefined,
  by: `0x${string}` = key,
): Promise<string> =>
  lie === undefined
    ? privateKeyToAccount(by).signTransaction(asked(call))
    : lies[lie](asked(call), by)
