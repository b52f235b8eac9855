/**
 * Refunds on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"

/** `failed` is reserved: a refund that cannot be paid is held, as the money is still the payer's. */
export const statuses = ["pending", "processing", "succeeded", "failed", "held"] as const

export interface Refund extends Schema.Schema.Type<typeof Refund> {}
export const Refund = Schema.Struct({
  refundId: Schema.String,
  paymentId: Schema.String,
  status: Schema.Literals(statuses),
  amount: Amount.Amount,
}).annotate({ identifier: "Refund" })

export interface RefundRequest extends Schema.Schema.Type<typeof RefundRequest> {}
export const RefundRequest = Schema.Struct({
  paymentId: Schema.String.annotate({ description: "The payment to give back" }),
}).annotate({
  identifier: "RefundRequest",
})
