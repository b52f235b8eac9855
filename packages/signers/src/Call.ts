/**
 * A transaction as JSON-RPC writes it.
 *
 * @module
 */
import type { Unsigned } from "@florin/evm/Signer"

const hex = (number: number | bigint): string => `0x${number.toString(16)}`

/** What `eth_signTransaction` takes. */
export const of = (from: string, transaction: Unsigned) => ({
  from,
  type: "0x2",
  chainId: hex(transaction.chainId),
  nonce: hex(transaction.nonce),
  to: transaction.to,
  value: hex(transaction.value),
  data: transaction.data,
  gas: hex(transaction.gas),
  maxFeePerGas: hex(transaction.maxFeePerGas),
  maxPriorityFeePerGas: hex(transaction.maxPriorityFeePerGas),
})
