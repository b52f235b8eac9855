/**
 * Statements of merchants, on the wire.
 *
 * @module
 */
import * as Domain from "@florin/core/domain/list/Statement"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Text from "./Text.ts"

const value = Text.quantity.annotate({ examples: ["1234"] })

const signed = (description: string) =>
  Text.signedQuantity.annotate({
    description: `An integer in the smallest unit of the token, negative if it reduces the amount owed to the merchant: ${description}`,
    examples: ["-1234"],
  })

export interface Balance extends Schema.Schema.Type<typeof Balance> {}
export const Balance = Schema.Struct({
  owed: value.annotateKey({ description: "The amount that is owed to the merchant" }),
  kept: value.annotateKey({
    description: "The merchant's money that is kept for refunds that wait",
  }),
  debt: value.annotateKey({
    description: "The amount that the merchant owes after refunds of money that it already had",
  }),
}).annotate({
  identifier: "StatementBalance",
  description: "Integers in the smallest unit of the token",
})

export interface OfToken extends Schema.Schema.Type<typeof OfToken> {}
export const OfToken = Schema.Struct({
  unit: Text.tokenUnit.annotate({ description: "`caip19/<chain>/<namespace>:<contract>`" }),
  display: Amount.Display,
  opening: Balance,
  ...Record.map(Domain.lines, signed),
  closing: Balance,
}).annotate({
  identifier: "StatementOfToken",
  description: "`opening.owed` plus all lines is `closing.owed`",
})

export interface Statement extends Schema.Schema.Type<typeof Statement> {}
export const Statement = Schema.Struct({
  merchantId: Text.merchantId,
  merchantName: Schema.String,
  from: Text.plain("The first day, in UTC"),
  to: Text.plain("The last day, in UTC"),
  tokens: Schema.Array(OfToken),
}).annotate({ identifier: "Statement" })
