/**
 * A refund: a payment, or a part of it, on its way back to the account that paid it.
 *
 * @module
 */
import * as BigInt from "effect/BigInt"
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import * as Transfer from "../chain/Transfer.ts"
import * as Money from "../ground/Money.ts"
import * as OutflowId from "../ground/OutflowId.ts"
import * as Amount from "../money/Amount.ts"

export type RefundId = Brand.Branded<string, "RefundId">
export const RefundId = Schema.String.check(Schema.isPattern(/^rfnd_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("RefundId", Brand.nominal<RefundId>()),
)

export type State = typeof State.Type
export const State = Schema.TaggedUnion({
  /**
   * Not sent yet: waiting for a worker, for the operator's money, for credit that the partner was not granted, or for
   * what it may refund in a day.
   */
  Pending: {
    waitsForFloat: Schema.Boolean,
    waitsForCredit: Schema.optionalKey(Schema.Boolean),
    /** The earliest time at which it proceeds; null if only a higher limit allows it. */
    limitedUntil: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  },
  Processing: {},
  Succeeded: { txHash: Schema.String, succeededAt: Schema.Int },
  /** The payer's account cannot be paid, for example because it is blocklisted: only an operator can continue it. */
  Held: { ...Transfer.Failure.fields, heldAt: Schema.Int },
})

const Kept = Schema.Struct({ collecting: Caip.Address, quantity: Money.Quantity })

export interface Refund extends Schema.Schema.Type<typeof Refund> {}
export const Refund = Schema.Struct({
  id: RefundId,
  requestedAt: Schema.Int,
  /** The outflow that carries the money. */
  outflowId: OutflowId.OutflowId,
  to: Caip.Account,
  token: Caip.Token,
  quantity: Money.Quantity,
  /** How much of the payment's amount it is, in the unit of that amount. */
  value: Money.Quantity,
  reason: Schema.optionalKey(Schema.String),
  /** How much of the fee is given back with it. */
  fee: Money.Quantity,
  /**
   * How much it took of the payment's own share. The rest comes from the merchant's other shares, or from the operator:
   * the operator's part becomes the merchant's debt.
   */
  own: Money.Quantity,
  /** How much of the merchant's other shares was kept for it, on each of our accounts. */
  kept: Schema.optionalKey(Schema.Array(Kept)),
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

/** What an unsent refund waits for. */
export type Lack = "credit" | "float" | "limit"

/** What it waits for, unless only a worker must take it up. */
export const lack = ({ state }: Refund): Lack | null => {
  if (state._tag !== "Pending") return null
  if (state.limitedUntil !== undefined) return "limit"
  return state.waitsForCredit === true ? "credit" : state.waitsForFloat ? "float" : null
}

/** The earliest time at which it proceeds, if that is known. */
export const limitedUntil = ({ state }: Refund): number | null =>
  state._tag === "Pending" ? (state.limitedUntil ?? null) : null

/** The total that was kept for it. */
export const keptOf = ({ kept = [], quantity }: Refund): Money.Quantity =>
  Money.clamp(BigInt.sumAll(kept.map((each) => each.quantity)), quantity)

/** How much of it the merchant's money did not cover, other than the fee. */
export const lent = (refund: Refund): Money.Quantity =>
  Money.clamp(refund.quantity - refund.fee - refund.own - keptOf(refund), refund.quantity)

/** Whether it needs more than the payment's own share. */
export const drawsOnFloat = ({ fee, own, quantity }: Refund): boolean => own + fee < quantity

/** How much it still needs from its merchant: nothing once it is sent. */
export const need = (refund: Refund): Money.Quantity =>
  refund.state._tag === "Pending" ? lent(refund) : Money.zero

/** How much of a payment is refunded: in its token, in the unit of its amount, and of its fee. */
export const totals = (refunds: ReadonlyArray<Refund>) => ({
  quantity: BigInt.sumAll(refunds.map((each) => each.quantity)),
  value: BigInt.sumAll(refunds.map((each) => each.value)),
  fee: BigInt.sumAll(refunds.map((each) => each.fee)),
})

/** The refunded amount. */
export const amount = (refund: Refund): Amount.Amount => ({
  unit: Amount.token(refund.token),
  quantity: refund.quantity,
})
