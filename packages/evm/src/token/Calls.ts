/**
 * The call that carries out an order: the same bytes are rehearsed, estimated and signed.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Abi from "../read/Abi.ts"
import { type Hex, hex } from "../read/Queries.ts"
import * as Permit from "./Permit.ts"

export interface ContractCall {
  readonly from: Caip.Address
  readonly to: Caip.Address
  readonly data: Hex
}

/** Only a signature of 65 bytes has parts: "0x", and two digits for each byte. */
const plainLength = 132

/** The parts v, r and s of a plain signature; null if it is passed as bytes. */
const partsOf = (signature: string, isContract: boolean): readonly [number, Hex, Hex] | null =>
  isContract || signature.length !== plainLength
    ? null
    : [
        Number(`0x${signature.slice(130, 132)}`),
        hex(signature.slice(0, 66)),
        hex(`0x${signature.slice(66, 130)}`),
      ]

/**
 * Collects with EIP-3009. A contract's signature is passed as bytes, and the token asks the contract to verify it. A
 * plain one is passed in parts, which every version of these tokens supports.
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
  const parts = partsOf(signature, isContract)
  return parts === null
    ? Abi.calls.receiveWithAuthorizationByBytes([...authorization, hex(signature)])
    : Abi.calls.receiveWithAuthorization([...authorization, ...parts])
}

const permitTransferFrom = (option: PaymentOption.PaymentOption, signature: string): Hex =>
  Abi.calls.permitTransferFrom([
    {
      permitted: { token: hex(option.token.address), amount: option.quantity },
      nonce: BigInt(PaymentOption.authorizationNonce(option)),
      deadline: BigInt(PaymentOption.authorizationEndsAt(option)),
    },
    { to: hex(option.payTo), requestedAmount: option.quantity },
    hex(option.account.address),
    hex(signature),
  ])

/** Lets the collecting account take the money. A contract's signature is passed as bytes, as with EIP-3009. */
const permit = (
  option: PaymentOption.PaymentOption,
  signature: string,
  isContract: boolean,
): Hex => {
  const allowance = [
    hex(option.account.address),
    hex(option.payTo),
    option.quantity,
    BigInt(PaymentOption.authorizationEndsAt(option)),
  ] as const
  const parts = partsOf(signature, isContract)
  return parts === null
    ? Abi.calls.permitByBytes([...allowance, hex(signature)])
    : Abi.calls.permit([...allowance, ...parts])
}

/** Submits a payer's authorization from the account that it names. A permit moves nothing: {@link take} must follow. */
export const collect = (
  option: PaymentOption.PaymentOption,
  signature: string,
  isContract: boolean,
): ContractCall => {
  const { flow, payTo: from, token } = option
  switch (flow) {
    case "permit2":
      return { from, to: Eip155.permit2Address, data: permitTransferFrom(option, signature) }
    case "permit":
      return { from, to: token.address, data: permit(option, signature, isContract) }
    default:
      return {
        from,
        to: token.address,
        data: receiveWithAuthorization(option, signature, isContract),
      }
  }
}

/** Takes the money that a permit lets us take. */
export const take = (option: PaymentOption.PaymentOption): ContractCall => ({
  from: option.payTo,
  to: option.token.address,
  data: Permit.takeData(option),
})

/** Sends tokens from one of our accounts. From a payer's, it is only simulated. */
export const send = ({ from, quantity, to, token }: Transfer.Movement): ContractCall => ({
  from,
  to: token.address,
  data: hex(Actions.transferData(to, quantity)),
})
