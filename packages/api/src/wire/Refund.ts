/**
 * Refunds on the wire.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Held from "./Held.ts"
import * as Members from "./Members.ts"
import * as Text from "./Text.ts"

/** `failed` is reserved: a refund that cannot be paid is held, as the money is still the payer's. */
export const statuses = ["pending", "processing", "succeeded", "failed", "held"] as const

/** Why a refund is not paid yet. */
export const pendingReasons = ["insufficient_credit", "insufficient_funds", "daily_limit"] as const

export interface Refund extends Schema.Schema.Type<typeof Refund> {}
export const Refund = Schema.Struct({
  refundId: Text.refundId,
  paymentId: Text.paymentId,
  status: Schema.Literals(statuses),
  amount: Amount.Amount,
  requested: Schema.optionalKey(Amount.Quantity).annotateKey({
    description:
      "Of a part: how much of the payment's amount it is, in the unit that the payment asked for. It is converted at the rate of the payment, rounded down to the unit of the token",
  }),
  ...Members.optional({
    reason: Schema.String,
    destination: Text.account.annotate({
      description:
        "The account to which it goes, if that is another one than the account that paid, which signed for it",
    }),
    txId: Text.plain("The hash of the transaction that paid it, once that is final"),
    pendingReason: Schema.Literals(pendingReasons).annotate({
      description:
        "Present only if the refund waits for one of these reasons. In the first two, the payment's own share does not cover the refund, because it was paid out or because of the fee, and the merchant's next shares are kept for it. `insufficient_credit`: these shares and the credit that the operator granted are not enough, so it waits for more sales or more credit. `insufficient_funds`: the operator has too little of the token now. `daily_limit`: the refunds for the partner have reached the operator's limit for 24 hours",
    }),
    pendingUntil: Text.time(
      "Only with `daily_limit`: the earliest time at which the refund is sent. Absent if the refund alone exceeds the limit, so that the operator has to raise it",
    ),
    held: Held.Held,
  }),
}).annotate({ identifier: "Refund" })

const destination = Text.account.annotate({
  description: "A CAIP-10 account on the chain on which the payment was paid",
  examples: ["eip155:8453:0x2222222222222222222222222222222222222222"],
})

export interface RefundRequest extends Schema.Schema.Type<typeof RefundRequest> {}
export const RefundRequest = Schema.Struct({
  paymentId: Text.paymentId.annotate({ description: "The payment to refund" }),
  amount: Schema.optionalKey(Amount.Quantity).annotateKey({
    description:
      "A part of the payment, in the unit that the payment asked for or in the token that was paid; it requires an Idempotency-Key. Without it, the whole payment is refunded",
  }),
  ...Members.optional({
    reason: Schema.String.check(
      Schema.isMinCodePoints(1),
      Schema.isMaxCodePoints(Limits.refundReasonMaxLength),
    ).annotate({
      description: "Why it is refunded, for your own records. The payer does not see it",
      examples: ["One of two bags was returned"],
    }),
    destination: destination.annotate({
      description:
        "Another account than the one that paid, on the same chain. It requires `statement` and `proof`",
    }),
    statement: Schema.String.check(Schema.isMaxLength(Limits.refundProofMaxLength)).annotate({
      description:
        "The text from POST /v1/refunds/destination, as the account that paid signed it. It is valid for this one refund",
    }),
    proof: Schema.String.check(Schema.isMaxLength(Limits.refundProofMaxLength)).annotate({
      description: "The signature of `statement` by the account that paid, by `personal_sign`",
      examples: ["0x…"],
    }),
  }),
}).annotate({
  identifier: "RefundRequest",
})

/** Asks for the text with which the payer allows a refund to another account. */
export interface DestinationRequest extends Schema.Schema.Type<typeof DestinationRequest> {}
export const DestinationRequest = Schema.Struct({
  paymentId: Text.paymentId.annotate({ description: "The payment to refund" }),
  amount: Schema.optionalKey(Amount.Quantity).annotateKey({
    description: "As in the refund; without it, the whole payment is refunded",
  }),
  destination,
})

export interface Statement extends Schema.Schema.Type<typeof Statement> {}
export const Statement = Schema.Struct({
  statement: Text.plain(
    "The text that the account that paid has to sign with `personal_sign`, exactly as it is. A contract may confirm the signature by ERC-1271",
  ),
  expiresAt: Schema.Int.annotate({
    format: "int64",
    description: "Unix seconds. A refund with this statement is accepted until then",
  }),
})

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({
  data: Schema.Array(Refund).annotateKey({ description: "Newest first" }),
  nextCursor: Schema.Null.annotate({
    description: `A payment has at most ${Limits.refundsPerPaymentMax} refunds, which are on one page`,
  }),
}).annotate({ identifier: "RefundList" })
