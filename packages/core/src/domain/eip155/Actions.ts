/**
 * What a wallet of an EVM chain is asked to do for an option: to sign typed data, to send a transaction, or to sign a
 * statement.
 *
 * @module
 */
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Action, Chosen, WalletRpc } from "../chain/Action.ts"
import type * as Asset from "../chain/Asset.ts"
import type * as Caip from "../chain/Caip.ts"
import * as PaymentOption from "../chain/PaymentOption.ts"
import * as Money from "../ground/Money.ts"
import * as Remembered from "../ground/Remembered.ts"
import * as Details from "./Details.ts"
import * as Eip712 from "./Eip712.ts"
import * as Names from "./Names.ts"

export const methods = ["eth_signTypedData_v4", "eth_sendTransaction", "personal_sign"] as const
export type Method = (typeof methods)[number]

const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const addressWord = (address: Caip.Address): string => address.slice(2).padStart(64, "0")

const approveSelector = "0x095ea7b3"
const transferSelector = "0xa9059cbb"

/** Calldata of `approve(spender, quantity)`. */
export const approveData = (spender: Caip.Address, quantity: Money.Quantity): string =>
  `${approveSelector}${addressWord(spender)}${word(quantity)}`

/** Calldata of `transfer(to, quantity)`. */
export const transferData = (to: Caip.Address, quantity: Money.Quantity): string =>
  `${transferSelector}${addressWord(to)}${word(quantity)}`

const receiveWithAuthorization: Eip712.TypedData["types"] = {
  ReceiveWithAuthorization: Eip712.fieldsOf(
    "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce",
  ),
}

const permitTransferFrom: Eip712.TypedData["types"] = {
  PermitTransferFrom: Eip712.fieldsOf(
    "TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline",
  ),
  TokenPermissions: Eip712.fieldsOf("address token, uint256 amount"),
}

const permit: Eip712.TypedData["types"] = {
  Permit: Eip712.fieldsOf(
    "address owner, address spender, uint256 value, uint256 nonce, uint256 deadline",
  ),
}

/** One object for each token, so that its hash is remembered. */
const permit2Domain = Remembered.memoize(({ token }: Asset.Asset): Eip712.Domain => ({
  name: "Permit2",
  chainId: Names.numberOf(token.chainId),
  verifyingContract: Names.permit2Address,
}))

/**
 * The typed data that a payer signs for an option. The server builds it again from the option at confirm, and never
 * trusts a client's claim of what was signed. Undefined for `transfer`, which signs no typed data.
 */
export const typedData = ({ asset, option }: Chosen): Eip712.TypedData | undefined => {
  const endsAt = PaymentOption.authorizationEndsAt(option).toString()
  const nonce = PaymentOption.authorizationNonce(option)
  const { domain } = Details.of(asset)
  if (option.flow === "eip3009" && domain !== undefined) {
    return {
      domain,
      types: receiveWithAuthorization,
      primaryType: "ReceiveWithAuthorization",
      message: {
        from: option.account.address,
        to: option.payTo,
        value: option.quantity.toString(),
        validAfter: "0",
        validBefore: endsAt,
        nonce,
      },
    }
  }
  if (option.flow === "permit2") {
    return {
      domain: permit2Domain(asset),
      types: permitTransferFrom,
      primaryType: "PermitTransferFrom",
      message: {
        permitted: { token: option.token.address, amount: option.quantity.toString() },
        spender: option.payTo,
        nonce: BigInt(nonce).toString(),
        deadline: endsAt,
      },
    }
  }
  if (option.flow === "permit" && domain !== undefined && option.permitNonce !== undefined) {
    return {
      domain,
      types: permit,
      primaryType: "Permit",
      message: {
        owner: option.account.address,
        spender: option.payTo,
        value: option.quantity.toString(),
        nonce: option.permitNonce.toString(),
        deadline: endsAt,
      },
    }
  }
  return undefined
}

/** The statement that the payer of a `transfer` option signs, so that nobody can claim another's transfer. */
export const statement = ({ asset, option }: Chosen): string =>
  [
    "I pay this payment with the transfer I just sent.",
    `Payment: ${option.paymentId}`,
    `Amount: ${Money.toDecimal(option.quantity, asset.decimals)} ${asset.symbol}`,
    `To: ${Names.formatAddress(option.payTo)}`,
    `Option: ${PaymentOption.authorizationNonce(option)}`,
  ].join("\n")

const sign = (
  option: PaymentOption.PaymentOption,
  data: Eip712.TypedData,
): WalletRpc & { readonly method: Method } => ({
  _tag: "WalletRpc",
  chainId: option.token.chainId,
  method: "eth_signTypedData_v4",
  params: [option.account.address, Eip712.toJson(data)],
})

const send = (option: PaymentOption.PaymentOption, data: string): WalletRpc => ({
  _tag: "WalletRpc",
  chainId: option.token.chainId,
  method: "eth_sendTransaction",
  params: [
    JSON.stringify({ from: option.account.address, to: option.token.address, data, value: "0x0" }),
  ],
})

const hexOf = (text: string): string => `0x${bytesToHex(utf8ToBytes(text))}`

/** Names the final signing step, so that a wallet sees what it will be asked before it fetches. */
const buildData = (rpc: WalletRpc): string =>
  bytesToHex(
    utf8ToBytes(
      JSON.stringify({
        chain_id: rpc.chainId,
        method: rpc.method,
        params: rpc.params,
      }),
    ),
  )

/** A transfer that the wallet sends itself, and the statement that names its payment. */
const direct = ({ asset, option }: Chosen): ReadonlyArray<WalletRpc> => [
  send(option, transferData(option.payTo, option.quantity)),
  {
    _tag: "WalletRpc",
    chainId: option.token.chainId,
    method: "personal_sign",
    params: [hexOf(statement({ asset, option })), option.account.address],
  },
]

/**
 * The actions with which an option is offered: executable if they follow from the option alone, a build action if they
 * depend on an allowance.
 */
export const offeredActions = (chosen: Chosen): ReadonlyArray<Action> => {
  const { option } = chosen
  const data = typedData(chosen)
  if (data === undefined) return direct(chosen)
  const rpc = sign(option, data)
  return option.flow === "permit2" ? [{ _tag: "Build", data: buildData(rpc) }] : [rpc]
}

/**
 * The allowance that Permit2 needs for the option in addition to the committed part: an approval sets, it does not add.
 */
export const neededOf = (
  { quantity }: Pick<PaymentOption.PaymentOption, "quantity">,
  committed: Money.Quantity,
): Money.Quantity => Money.clamp(quantity + committed, Money.largest)

const mustReset = (asset: Asset.Asset, allowance: Money.Quantity): boolean =>
  allowance > 0n && Details.of(asset).approveResets === true

/** Whether an approval for the option would reset to 0 the allowance committed to other payments. */
export const breaksOthers = (
  { asset, option }: Chosen,
  allowance: Money.Quantity,
  committed: Money.Quantity,
): boolean =>
  committed > 0n && allowance < neededOf(option, committed) && mustReset(asset, allowance)

/**
 * The allowances to set before Permit2 can take the payment, in order. Never more than this payment and the committed
 * part need. If a token refuses to raise a non-zero allowance, it is set to 0 first.
 */
const approvals = (
  { asset, option }: Chosen,
  allowance: Money.Quantity,
  committed: Money.Quantity,
): ReadonlyArray<Money.Quantity> => {
  const needed = neededOf(option, committed)
  if (option.flow !== "permit2" || allowance >= needed) return []
  return mustReset(asset, allowance) ? [Money.zero, needed] : [needed]
}

/**
 * The executable actions of an option, given its account's current Permit2 allowance, and how much of that other
 * payments will use.
 */
export const executable = (
  chosen: Chosen,
  allowance: Money.Quantity,
  committed: Money.Quantity = Money.zero,
): ReadonlyArray<WalletRpc> => {
  const { option } = chosen
  const data = typedData(chosen)
  return data === undefined
    ? direct(chosen)
    : [
        ...approvals(chosen, allowance, committed).map((quantity) =>
          send(option, approveData(Names.permit2Address, quantity)),
        ),
        sign(option, data),
      ]
}

/**
 * How many steps the wallet takes. One is a signature; more begin with a transaction, for which the payer needs gas.
 */
export const stepCount = (
  chosen: Chosen,
  allowance: Money.Quantity,
  committed: Money.Quantity = Money.zero,
): number =>
  chosen.option.flow === "transfer" ? 2 : 1 + approvals(chosen, allowance, committed).length
