/**
 * Transactions that wallets send themselves.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { hex, type Hex } from "../src/read/Queries.ts"

/** A transaction before it is signed. */
export interface Unsigned {
  readonly type: "eip1559"
  readonly chainId: number
  readonly nonce: number
  readonly to: Hex
  readonly data: Hex
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

const gasForACall = 500_000n
const coin = 10n ** 18n

const readHash = Schema.decodeUnknownSync(Schema.String)
const readNumber = Schema.decodeUnknownSync(Schema.FiniteFromString)

/** Signs and sends a call, with the next nonce of the chain's pool, and sees to its gas. */
export const from = Effect.fnUntraced(function* (
  local: LocalChain.LocalChain,
  account: {
    readonly address: string
    readonly signTransaction: (transaction: Unsigned) => Promise<string>
  },
  call: { readonly to: string; readonly data: string },
) {
  const address = Caip.Address.make(account.address.toLowerCase())
  yield* local.fundGas(address, coin)
  const nonce = yield* local.request("eth_getTransactionCount", [address, "pending"])
  const raw = yield* Effect.promise(() =>
    account.signTransaction({
      type: "eip1559",
      chainId: Eip155.numberOf(local.chainId),
      nonce: readNumber(nonce),
      to: hex(call.to),
      data: hex(call.data),
      gas: gasForACall,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    }),
  )
  return readHash(yield* local.request("eth_sendRawTransaction", [raw]))
})
