/**
 * Statements as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Statement"
import * as Statement from "@florin/core/domain/list/Statement"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Record from "effect/Record"
import * as AmountView from "./AmountView.ts"

const balance = ({ debt, kept, owed }: Statement.Balance): Wire.Balance => ({
  owed: owed.toString(),
  kept: kept.toString(),
  debt: debt.toString(),
})

const ofToken = (token: Statement.OfToken, display: AmountView.Display): Wire.OfToken => ({
  ...AmountView.unit(Amount.token(token.token), display),
  opening: balance(token.opening),
  ...Record.map(Statement.lines, (_, line) => token[line].toString()),
  closing: balance(token.closing),
})

export const statement = (
  input: {
    readonly merchant: Merchant.Merchant
    readonly days: Statement.Days
    readonly tokens: ReadonlyArray<Statement.OfToken>
  },
  display: AmountView.Display,
): Wire.Statement => ({
  merchantId: input.merchant.id,
  merchantName: input.merchant.name,
  from: input.days.from,
  to: input.days.to,
  tokens: input.tokens.map((each) => ofToken(each, display)),
})
