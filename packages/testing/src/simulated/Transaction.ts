/**
 * Transactions of the simulated chain: what they call, and their bytes.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import * as Money from "@florin/core/domain/Money"
import * as PaymentOption from "@florin/core/domain/PaymentOption"
import type { Order } from "@florin/core/ports/Chain"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export type Call = typeof Call.Type
export const Call = Schema.TaggedUnion({
  /**
   * Hands in a payer's authorization. `payee`: only the payee may, as with `receiveWithAuthorization` and Permit2.
   * `anyone`: as with `transferWithAuthorization`, which lets a stranger come first.
   */
  Collect: {
    option: PaymentOption.PaymentOption,
    signature: Schema.String,
    by: Schema.Literals(["payee", "anyone"]),
  },
  /** Hands in a payer's permit, as anybody may: it moves no money. */
  Permit: { option: PaymentOption.PaymentOption, signature: Schema.String },
  /** The collecting account takes what a permit lets it take; the call names the payment. */
  Take: { option: PaymentOption.PaymentOption },
  /** Uses up an authorization, or the nonce of a permit, without moving money. */
  Cancel: { option: PaymentOption.PaymentOption },
  Transfer: { token: Caip.Address, to: Caip.Address, quantity: Money.Quantity },
  Approve: { token: Caip.Address, spender: Caip.Address, quantity: Money.Quantity },
  /** Anything else: it takes its nonce and moves no token. */
  Other: { data: Schema.String },
})

export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}
export const Transaction = Schema.Struct({
  chainId: Caip.ChainId,
  sender: Caip.Address,
  nonce: Schema.Int,
  call: Call,
})

/** Bytes that are no transaction of this chain. */
export class InvalidTransaction extends Schema.TaggedError<InvalidTransaction>()(
  "InvalidTransaction",
  { message: Schema.String },
) {}

const Json = Schema.fromJsonString(Schema.toCodecJson(Transaction))
const encodeJson = Schema.encodeSync(Json)
const decodeJson = Schema.decodeUnknownResult(Json)

const hashOf = (bytes: Uint8Array): string => `0x${bytesToHex(keccak_256(bytes))}`

/** The same transaction always has the same bytes, and so the same hash. */
export const encode = (
  transaction: Transaction,
): { readonly raw: string; readonly hash: string } => {
  const bytes = utf8ToBytes(encodeJson(transaction))
  return { raw: `0x${bytesToHex(bytes)}`, hash: hashOf(bytes) }
}

export const decode = (
  raw: string,
): Result.Result<
  { readonly transaction: Transaction; readonly hash: string },
  InvalidTransaction
> => {
  const bytes = Result.try(() => hexToBytes(raw.slice(2)))
  const invalid = () =>
    Result.fail(new InvalidTransaction({ message: "the bytes are not a transaction" }))
  if (Result.isFailure(bytes)) return invalid()
  const decoded = decodeJson(new TextDecoder().decode(bytes.success))
  return Result.isSuccess(decoded)
    ? Result.succeed({ transaction: decoded.success, hash: hashOf(bytes.success) })
    : invalid()
}

/** The call that carries out an order; of a permit's two, the one that is due. */
export const ofOrder = (order: Order, isTaking = false): Call => {
  if (order._tag === "Send") {
    const { token, to, quantity } = order.movement
    return { _tag: "Transfer", token: token.address, to, quantity }
  }
  const { option, outputs } = order.attempt
  if (option.flow === "permit") {
    return isTaking
      ? { _tag: "Take", option }
      : { _tag: "Permit", option, signature: outputs.signature }
  }
  return { _tag: "Collect", option, signature: outputs.signature, by: "payee" }
}

const callPattern =
  /^0x(?<selector>[0-9a-f]{8})0{24}(?<address>[0-9a-f]{40})(?<quantity>[0-9a-f]{64})/u

/** Reads the calldata that a wallet was asked to send to a token. */
export const ofCalldata = (to: Caip.Address, data: string): Call => {
  const groups = callPattern.exec(data.toLowerCase())?.groups
  const address = Caip.Address.make(`0x${groups?.["address"] ?? "0".repeat(40)}`)
  const quantity = Money.Quantity.make(BigInt(`0x${groups?.["quantity"] ?? "0"}`))
  switch (groups?.["selector"]) {
    case "a9059cbb":
      return { _tag: "Transfer", token: to, to: address, quantity }
    case "095ea7b3":
      return { _tag: "Approve", token: to, spender: address, quantity }
    default:
      return { _tag: "Other", data }
  }
}
