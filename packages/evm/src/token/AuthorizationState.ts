/**
 * Reads from the token or Permit2 whether a payer's authorization was used or revoked, and computes from when on it is
 * refused.
 *
 * @module
 */
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Option from "effect/Option"
import type { Query } from "../node/Rpc.ts"
import * as Abi from "../read/Abi.ts"
import * as Queries from "../read/Queries.ts"
import * as Authorization from "./Authorization.ts"

/** A query that converts the word which a contract returns to a boolean. */
const convert = (word: Query<bigint>, by: (value: bigint) => boolean): Query<boolean> => ({
  ...word,
  read: (response) => Option.map(word.read(response), by),
})

/** Whether the authorization of an option is used or revoked after a block. */
export const isSpent = (option: PaymentOption.PaymentOption, at: Queries.At): Query<boolean> => {
  const owner = Queries.hex(option.account.address)
  if (option.flow === "permit2") {
    const { mask, word } = Authorization.permitBit(option)
    const data = Abi.calls.nonceBitmap([owner, word])
    const bitmap = Queries.word({ to: Eip155.permit2Address, data }, at)
    return convert(bitmap, (bits) => (bits & mask) !== 0n)
  }
  const nonce = Queries.hex(PaymentOption.authorizationNonce(option))
  const data = Abi.calls.authorizationState([owner, nonce])
  return convert(Queries.word({ to: option.token.address, data }, at), (spent) => spent !== 0n)
}

/** The first block time at which it is refused. Permits are still valid in the second in which they end. */
export const refusedFrom = (option: PaymentOption.PaymentOption): number =>
  PaymentOption.authorizationEndsAt(option) + (option.flow === "eip3009" ? 0 : 1)
