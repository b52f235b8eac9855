/**
 * What merchants are paid out, on the wire.
 *
 * @module
 */
import * as Domain from "@florin/core/domain/SharePayout"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Amount from "./Amount.ts"

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
  id: Schema.NullOr(Schema.String).annotate({
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
