/**
 * Payouts to merchants, on the wire.
 *
 * @module
 */
import * as Domain from "@florin/core/domain/books/SharePayout"
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Amount from "./Amount.ts"
import * as Pages from "./Page.ts"
import * as Text from "./Text.ts"

const nettedRule =
  "The part of the share that was set off so far against refunds of money that the merchant already had. It is never sent"

/** The payout of the merchant's share of a payment. */
export interface SharePayout extends Schema.Schema.Type<typeof SharePayout> {}
export const SharePayout = Schema.Struct({
  id: Schema.NullOr(Text.payoutId).annotate({
    description: "The payout with the share, or with the last part of it; null if there is none",
  }),
  state: Schema.Literals(Struct.keys(Domain.states)).annotate({
    description: Text.meanings(Domain.states),
  }),
  reason: Schema.NullOr(Schema.Literals(Struct.keys(Domain.reasons))).annotate({
    description: `Why the share is not paid yet; null if it is paid, or if the reason is not known. ${Text.meanings(Domain.reasons)}`,
  }),
  dueAt: Schema.NullOr(Text.dateTime).annotate({
    description:
      "The latest time when processing continues if nothing else happens; null if it is not known",
  }),
  netted: Amount.Quantity.annotateKey({ description: nettedRule }),
}).annotate({
  identifier: "SharePayout",
  description: "The state of the merchant's share, once the payment succeeded",
})

const stateMeanings: { readonly [S in (typeof OutflowState.statuses)[number]]: string } = {
  waiting: "it was not sent yet",
  sent: "its transaction is signed, but not final on its chain",
  paid: "the transfer is final",
  held: "the operator has to retry it",
  cancelled: "it will not be sent; its shares are paid with other payouts",
}

const payout = {
  id: Text.payoutId,
  state: OutflowState.Status.annotate({
    identifier: "PayoutState",
    description: Text.meanings(stateMeanings),
  }),
  reason: Schema.NullOr(
    Schema.Literals([...Obstacle.waitCodes, ...Obstacle.heldCodes]).annotate({
      description: Text.meanings(Obstacle.meanings),
    }),
  ).annotate({
    description: "The problem that delays the payout; null if there is none, or if it is not known",
  }),
  amount: Amount.Amount,
  destination: Text.account.annotate({ description: "A CAIP-10 account" }),
  txId: Schema.NullOr(Schema.String).annotate({
    description: "The hash of the transaction, once it is final",
  }),
  paymentCount: Schema.Int.annotate({ description: "The number of payments in the payout" }),
  createdAt: Text.dateTime,
  sentAt: Schema.NullOr(Text.dateTime).annotate({
    description: "When its transaction was last signed; null if never",
  }),
  paidAt: Schema.NullOr(Text.dateTime),
} as const

/** A transfer to merchants of a partner. */
export interface Payout extends Schema.Schema.Type<typeof Payout> {}
export const Payout = Schema.Struct(payout).annotate({ identifier: "Payout" })

export interface Page extends Schema.Schema.Type<typeof Page> {}
export const Page = Pages.of(Payout, "PayoutPage")

export interface Details extends Schema.Schema.Type<typeof Details> {}
export const Details = Schema.Struct({
  ...payout,
  payments: Schema.Array(
    Schema.Struct({
      paymentId: Text.paymentId,
      merchantId: Text.merchantId,
      amount: Amount.Quantity.annotateKey({
        description: "The part of the payout that is for the payment",
      }),
      netted: Amount.Quantity.annotateKey({
        description:
          "The part of its share that pays off earlier refunds of the merchant; it is not part of the payout",
      }),
    }).annotate({ identifier: "PayoutShare" }),
  ).annotate({ description: `At most ${Limits.sharesPerOutflowMax}` }),
  advance: Schema.optionalKey(
    Schema.Struct({ merchantId: Text.merchantId, amount: Amount.Quantity }).annotate({
      identifier: "PayoutAdvance",
      description: "The part of the transfer that exceeds these shares. The merchant owes it",
    }),
  ),
}).annotate({ identifier: "PayoutDetails" })
