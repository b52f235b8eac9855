/**
 * What a transaction of a simulated chain does.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import * as Money from "@florin/core/domain/Money"
import * as PaymentOption from "@florin/core/domain/PaymentOption"
import * as Schema from "effect/Schema"

const transfer = { token: Caip.Address, to: Caip.Address, quantity: Money.Quantity }

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
  Transfer: transfer,
  /** What an account that is a contract sends in one transaction: what cannot be sent is left out. */
  Batch: { transfers: Schema.Array(Schema.Struct(transfer)) },
  Approve: { token: Caip.Address, spender: Caip.Address, quantity: Money.Quantity },
  /** Anything else: it takes its nonce and moves no token. */
  Other: { data: Schema.String },
})
