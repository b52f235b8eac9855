/**
 * A token that we accept: its chain and contract, its decimals, and how a payer can pay with it.
 *
 * Decimals belong to a contract, never to a symbol: USDC has 6 on Base and 18 on BNB Smart Chain.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import * as PaymentOption from "./PaymentOption.ts"

/** No token has more decimals: options of all tokens are compared at this scale. */
export const decimalsMost = 36

/** The symbol that a person reads and filters by; icons are named after it. */
export const Symbol = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9.+-]{0,15}$/u, {
    expected: "a symbol of 1 to 16 letters, digits, points, + or -",
  }),
)

/** The name that a person sees. */
export const Name = Schema.String.check(
  Schema.isPattern(/^(?=.*[\p{L}\p{N}])[^\p{C}\p{M}\p{Zl}\p{Zp}]{1,60}$/u, {
    expected: "a name of 1 to 60 visible characters, with a letter or a digit",
  }),
)

export interface Asset extends Schema.Schema.Type<typeof Asset> {}
export const Asset = Schema.Struct({
  token: Caip.Token,
  symbol: Symbol,
  name: Name,
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: decimalsMost })),
  /** The fiat currency of which the token is worth one unit; null if a price source must provide its value. */
  peg: Schema.NullOr(
    Schema.String.check(
      Schema.isPattern(/^[A-Z]{3}$/u, { expected: "a currency, such as USD, or null" }),
    ),
  ),
  /** How payers pay with it, unless an operator configures another flow. */
  flow: PaymentOption.Flow,
  /** Further data for the token's adapter. The core stores it, and reads none of it. */
  details: Schema.JsonObject,
})
