/**
 * A refund: the whole of a payment on its way back to the account that paid it.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Caip from "./Caip.ts"
import * as Money from "./Money.ts"
import * as Outflow from "./Outflow.ts"
import * as Transfer from "./Transfer.ts"

export type RefundId = Brand.Branded<string, "RefundId">
export const RefundId = Schema.String.check(Schema.isPattern(/^rfnd_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("RefundId", Brand.nominal<RefundId>()),
)

export type State = typeof State.Type
export const State = Schema.TaggedUnion({
  /** Not sent yet: waiting for a worker, or for money to give back. */
  Pending: { waitsForFloat: Schema.Boolean },
  Processing: {},
  Succeeded: { txHash: Schema.String, succeededAt: Schema.Int },
  /** The payer's account cannot be paid, as when it is blocklisted: only an operator moves it on. */
  Held: { ...Transfer.Failure.fields, heldAt: Schema.Int },
})

export interface Refund extends Schema.Schema.Type<typeof Refund> {}
export const Refund = Schema.Struct({
  id: RefundId,
  requestedAt: Schema.Int,
  /** What carries the money. */
  outflowId: Outflow.OutflowId,
  to: Caip.Account,
  token: Caip.Token,
  quantity: Money.Quantity,
  /** The merchant already has its share, so the money comes from the operator and becomes the merchant's debt. */
  drawsOnFloat: Schema.Boolean,
  state: State,
})

export type Status = "pending" | "processing" | "succeeded" | "held"

const statuses: { readonly [Tag in State["_tag"]]: Status } = {
  Pending: "pending",
  Processing: "processing",
  Succeeded: "succeeded",
  Held: "held",
}

export const status = (refund: Refund): Status => statuses[refund.state._tag]

/** What goes back. */
export const amount = (refund: Refund): Amount.Amount => ({
  unit: Amount.token(refund.token),
  quantity: refund.quantity,
})
