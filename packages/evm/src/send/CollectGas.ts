/**
 * How much gas a collect from an account with code may take: a fixed amount on top of the cost of its data.
 *
 * The account's own code decides whether its signature is valid. It can succeed under `eth_call` and burn all the gas
 * in a block. No simulation limits that, so the limit does not depend on one. docs/security.md lists what real accounts
 * take.
 *
 * @module
 */
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Networks from "@florin/core/domain/eip155/Networks"
import * as Effect from "effect/Effect"
import { hexToBytes } from "viem/utils"
import type { Link } from "../read/Link.ts"
import * as Queries from "../read/Queries.ts"
import type * as Calls from "../token/Calls.ts"

/** The gas that a transaction takes for its data alone, no matter what it calls. */
const intrinsic = (data: Queries.Hex): bigint =>
  hexToBytes(data).reduce((sum, byte) => sum + Gas.ofByte(byte), Gas.transaction)

/**
 * The most that the call may take. On a network that charges for data in gas, the node estimates the same amount of
 * data in a transaction from our account to itself, so that no code of the payer runs.
 */
export const most = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  { data, from }: Calls.ContractCall,
) {
  const isDataInGas = config.gas.most > Networks.usualGas.most
  const ofData = isDataInGas ? yield* rpc.ask(Queries.gas({ from, to: from, data })) : 0n
  const least = intrinsic(data)
  return Gas.collection + (ofData > least ? ofData : least)
})
