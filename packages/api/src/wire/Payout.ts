/**
 * What merchants are paid out, on the wire.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/Limits"
import * as Obstacle from "@florin/core/domain/Obstacle"
import * as OutflowState from "@florin/core/domain/OutflowState"
import * as Domain from "@florin/core/domain/SharePayout"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Amount from "./Amount.ts"
import * as Text from "./Text.ts"

const timestamp = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, with milliseconds, in UTC",
})

/** A description of words: each with what it means. */
const meanings = (of: { readonly [word: string]: string }): string =>
  Object.entries(of)
    .map(([word, meaning]) => `\`${word}\`: ${meaning}`)
    .join(". ")

const nettedRule =
  "What of the share was set off so far against refunds of money that the merchant had: it is never sent"

/** What becomes of the merchant's share of a payment. */
export interface SharePayout extends Schema.Schema.Type<typeof SharePayout> {}
export const SharePayout = Schema.Struct({
  id: Schema.NullOr(Text.payoutId).annotate({
    description:
      "The payout that carries the share, or that paid the last part of it; null if there is none",
  }),
  state: Schema.Literals(Struct.keys(Domain.states)).annotate({
    description: meanings(Domain.states),
  }),
  reason: Schema.NullOr(Schema.Literals(Struct.keys(Domain.reasons))).annotate({
    description: `Why the share is not paid yet; null if it is, or if that is not known. ${meanings(Domain.reasons)}`,
  }),
  dueAt: Schema.NullOr(timestamp).annotate({
    description:
      "When it goes on at the latest if nothing comes in between; null if that is not known",
  }),
  netted: Amount.Quantity.annotateKey({ description: nettedRule }),
}).annotate({
  identifier: "SharePayout",
  description: "What becomes of the merchant's share, once the payment succeeded",
})

const stateMeanings: { readonly [S in (typeof OutflowState.statuses)[number]]: string } = {
  waiting: "it was not sent yet",
  sent: "its transaction is signed, and not final on its chain",
  paid: "the money is there for good",
  held: "the operator has to retry it",
  cancelled: "it is not sent: its shares go out with other payouts",
}

const payout = {
  id: Text.payoutId,
  state: OutflowState.Status.annotate({
    identifier: "PayoutState",
    description: meanings(stateMeanings),
  }),
  reason: Schema.NullOr(
    Schema.Literals([...Obstacle.waitCodes, ...Obstacle.heldCodes]).annotate({
      description: meanings(Obstacle.meanings),
    }),
  ).annotate({ description: "What hinders it; null if nothing does, or if that is not known" }),
  amount: Amount.Amount,
  destination: Text.account.annotate({ description: "A CAIP-10 account" }),
  txId: Schema.NullOr(Schema.String).annotate({
    description: "The hash of the transaction, once it is final",
  }),
  paymentCount: Schema.Int.annotate({ description: "How many payments it pays" }),
  createdAt: timestamp,
  sentAt: Schema.NullOr(timestamp).annotate({
    description: "When its transaction was signed last; null if it never was",
  }),
  paidAt: Schema.NullOr(timestamp),
} as const

/** A transfer to merchants of a partner. */
export interface Payout extends Schema.Schema.Type<typeof Payout> {}
export const Payout = Schema.Struct(payout).annotate({ identifier: "Payout" })

export interface Page extends Schema.Schema.Type<typeof Page> {}
export const Page = Schema.Struct({
  data: Schema.Array(Payout),
  nextCursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "PayoutPage" })

export interface Details extends Schema.Schema.Type<typeof Details> {}
export const Details = Schema.Struct({
  ...payout,
  payments: Schema.Array(
    Schema.Struct({
      paymentId: Text.paymentId,
      merchantId: Text.merchantId,
      amount: Amount.Quantity.annotateKey({ description: "What of the payout is for the payment" }),
      netted: Amount.Quantity.annotateKey({
        description: "What more of its share pays off earlier refunds of the merchant",
      }),
    }).annotate({ identifier: "PayoutShare" }),
  ).annotate({ description: `At most ${Limits.sharesPerOutflowMax}` }),
  advance: Schema.optionalKey(
    Schema.Struct({ merchantId: Text.merchantId, amount: Amount.Quantity }).annotate({
      identifier: "PayoutAdvance",
      description: "What the transfer paid beyond these shares: the merchant owes it",
    }),
  ),
}).annotate({ identifier: "PayoutDetails" })
