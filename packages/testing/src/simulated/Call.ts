/**
 * What a transaction of a simulated chain does.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Money from "@florin/core/domain/ground/Money"
import * as Schema from "effect/Schema"

const transfer = { token: Caip.Address, to: Caip.Address, quantity: Money.Quantity }

export type Call = typeof Call.Type
export const Call = Schema.TaggedUnion({
  /**
   * Submits a payer's authorization. `payee`: only the payee may submit it, as with `receiveWithAuthorization` and
   * Permit2. `anyone`: a stranger may submit it first, as with `transferWithAuthorization`.
   */
  Collect: {
    option: PaymentOption.PaymentOption,
    signature: Schema.String,
    by: Schema.Literals(["payee", "anyone"]),
  },
  /** Submits a payer's permit, which anybody may do: it moves no money. */
  Permit: { option: PaymentOption.PaymentOption, signature: Schema.String },
  /** The collecting account takes the money that a permit allows; the call names the payment. */
  Take: { option: PaymentOption.PaymentOption },
  /** Uses up an authorization, or the nonce of a permit, without moving money. */
  Cancel: { option: PaymentOption.PaymentOption },
  Transfer: transfer,
  /** Transfers that a contract account sends in one transaction; transfers that fail are left out. */
  Batch: { transfers: Schema.Array(Schema.Struct(transfer)) },
  Approve: { token: Caip.Address, spender: Caip.Address, quantity: Money.Quantity },
  /** Anything else: it uses its nonce and moves no token. */
  Other: { data: Schema.String },
})
