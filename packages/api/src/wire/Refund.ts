/**
 * Refunds on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Held from "./Held.ts"
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
  pendingReason: Schema.optionalKey(
    Schema.Literals(pendingReasons).annotate({
      description:
        "Only while it waits for more than a worker. `insufficient_credit` and `insufficient_funds`: the merchant had its share, and its next shares are kept for the refund, but they and the credit that the operator granted are not enough, or the operator has too little of the token now. `daily_limit`: what the operator lets be refunded for the partner in 24 hours was refunded",
    }),
  ),
  pendingUntil: Schema.optionalKey(
    Schema.String.annotate({
      format: "date-time",
      description:
        "Only with `daily_limit`: when the refund is sent at the earliest. Absent if the refund alone is more than the limit, so that the operator must raise it",
    }),
  ),
  held: Schema.optionalKey(Held.Held),
}).annotate({ identifier: "Refund" })

export interface RefundRequest extends Schema.Schema.Type<typeof RefundRequest> {}
export const RefundRequest = Schema.Struct({
  paymentId: Text.paymentId.annotate({ description: "The payment to give back" }),
}).annotate({
  identifier: "RefundRequest",
})
