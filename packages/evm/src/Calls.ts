/**
 * The call that carries out an order: the same bytes are rehearsed, estimated and signed.
 *
 * @module
 */
import * as Action from "@florin/core/domain/Action"
import * as Asset from "@florin/core/domain/Asset"
import type * as Caip from "@florin/core/domain/Caip"
import * as PaymentOption from "@florin/core/domain/PaymentOption"
import type * as Transfer from "@florin/core/domain/Transfer"
import { getAbiItem } from "viem/utils"
import * as Abi from "./Abi.ts"
import * as Calldata from "./Calldata.ts"
import { type Hex, hex } from "./Queries.ts"

export interface ContractCall {
  readonly from: Caip.Address
  readonly to: Caip.Address
  readonly data: Hex
}

const functions = {
  authorized: Calldata.of(getAbiItem({ abi: Abi.eip3009, name: "receiveWithAuthorization" })),
  authorizedByBytes: Calldata.of(
    getAbiItem({ abi: Abi.eip3009Bytes, name: "receiveWithAuthorization" }),
  ),
  permitted: Calldata.of(getAbiItem({ abi: Abi.permit2, name: "permitTransferFrom" })),
}

/** A plain signature in its parts. */
const partsOf = (signature: string) => ({
  r: hex(signature.slice(0, 66)),
  s: hex(`0x${signature.slice(66, 130)}`),
  v: Number(`0x${signature.slice(130, 132)}`),
})

/** Only 65 bytes have parts: "0x", and two digits for each byte. */
const plainLength = 132

/**
 * Collects with EIP-3009. A contract's signature is handed over as bytes, which the token asks the contract about; a
 * plain one in parts, which every version of these tokens has.
 */
const receiveWithAuthorization = (
  option: PaymentOption.PaymentOption,
  signature: string,
  isContract: boolean,
): Hex => {
  const authorization = [
    hex(option.account.address),
    hex(option.payTo),
    option.quantity,
    0n,
    BigInt(PaymentOption.authorizationEndsAt(option)),
    hex(PaymentOption.authorizationNonce(option)),
  ] as const
  if (isContract || signature.length !== plainLength) {
    return functions.authorizedByBytes([...authorization, hex(signature)])
  }
  const { r, s, v } = partsOf(signature)
  return functions.authorized([...authorization, v, r, s])
}

const permitTransferFrom = (option: PaymentOption.PaymentOption, signature: string): Hex =>
  functions.permitted([
    {
      permitted: { token: hex(option.token.address), amount: option.quantity },
      nonce: BigInt(PaymentOption.authorizationNonce(option)),
      deadline: BigInt(PaymentOption.authorizationEndsAt(option)),
    },
    { to: hex(option.payTo), requestedAmount: option.quantity },
    hex(option.account.address),
    hex(signature),
  ])

/** Hands a payer's authorization in, from the account that it names. */
export const collect = (
  option: PaymentOption.PaymentOption,
  signature: string,
  isContract: boolean,
): ContractCall =>
  option.flow === "permit2"
    ? { from: option.payTo, to: Asset.permit2Address, data: permitTransferFrom(option, signature) }
    : {
        from: option.payTo,
        to: option.token.address,
        data: receiveWithAuthorization(option, signature, isContract),
      }

/** Sends tokens of ours. */
export const send = ({ from, quantity, to, token }: Transfer.Movement): ContractCall => ({
  from,
  to: token.address,
  data: hex(Action.transferData(to, quantity)),
})
