/**
 * How much gas a collect from an account with code may take: a fixed sum over what its data costs.
 *
 * The account's own code says whether its signature counts, and it can answer well under `eth_call` and burn everything
 * in a block. Nothing that it says beforehand limits that, so the limit does not depend on it. docs/security.md has what
 * real accounts take.
 *
 * @module
 */
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Networks from "@florin/core/domain/eip155/Networks"
import * as Effect from "effect/Effect"
import { hexToBytes } from "viem/utils"
import type * as Calls from "./Calls.ts"
import type { Link } from "./Link.ts"
import * as Queries from "./Queries.ts"

/** What a transaction takes for its data alone, whatever it calls. */
const intrinsic = (data: Queries.Hex): bigint =>
  hexToBytes(data).reduce((sum, byte) => sum + Gas.ofByte(byte), Gas.transaction)

/**
 * The most that the call may take. A network that charges for data in gas is asked what as much data costs on the way
 * from our account to itself, where no code of the payer's runs.
 */
export const most = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  { data, from }: Calls.ContractCall,
) {
  const isDataInGas = config.gas.most > Networks.usualGas.most
  const ofData = isDataInGas ? yield* rpc.ask(Queries.gas({ from, to: from, data })) : 0n
  const least = intrinsic(data)
  return Gas.collecting + (ofData > least ? ofData : least)
})
