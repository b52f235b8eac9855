/**
 * A token that we accept: where it lives, how it counts, and how a payer can hand it over.
 *
 * Decimals belong to a contract, never to a symbol: USDC has 6 on Base and 18 on BNB Smart Chain.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import * as Eip712 from "./Eip712.ts"
import * as Issuer from "./Issuer.ts"

/**
 * `eip3009`: the payer signs `ReceiveWithAuthorization`, which the token itself honours.
 * `permit2`: the payer approves Permit2 once and signs `PermitTransferFrom`.
 */
export const flows = ["eip3009", "permit2"] as const
export type Flow = (typeof flows)[number]

/** No token counts in smaller parts: options of all tokens are compared at this scale. */
export const decimalsMost = 36

/** What a person reads and filters by; icons are named after it. */
export const Symbol = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9.+-]{0,15}$/u, {
    expected: "a symbol of 1 to 16 letters, digits, points, + or -",
  }),
)

/** What a person is shown. */
export const Name = Schema.String.check(
  Schema.isPattern(/^(?=.*[\p{L}\p{N}])[^\p{C}\p{M}\p{Zl}\p{Zp}]{1,60}$/u, {
    expected: "a name of 1 to 60 characters that are seen, with a letter or a digit",
  }),
)

export interface Asset extends Schema.Schema.Type<typeof Asset> {}
export const Asset = Schema.Struct({
  token: Caip.Token,
  symbol: Symbol,
  name: Name,
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: decimalsMost })),
  /** The fiat currency that the token is worth one unit of; null if a price source must say what it is worth. */
  peg: Schema.NullOr(
    Schema.String.check(
      Schema.isPattern(/^[A-Z]{3}$/u, { expected: "a currency, such as USD, or null" }),
    ),
  ),
  flow: Schema.Literals(flows),
  issuer: Issuer.Issuer,
  /** The token's own EIP-712 domain, absent if the token has none. */
  domain: Schema.optionalKey(Eip712.Domain),
  /** What the token's contract must return for its domain separator. */
  separatorPin: Schema.optionalKey(Schema.String),
  /** The token refuses to raise a non-zero allowance: it must be set to 0 first. */
  approveResets: Schema.optionalKey(Schema.Literal(true)),
})

/** Uniswap's Permit2 lives at one address on every chain. Its domain has no version. */
export const permit2Address = Caip.Address.make("0x000000000022d473030f116ddee9f6b43ac78ba3")
