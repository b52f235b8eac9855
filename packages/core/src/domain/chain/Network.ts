/**
 * A network that we serve: its name, how long payments take on it, and the defaults for its transactions.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"

/**
 * When a block counts as final: a block tag of the chain, or a number of blocks on top of it.
 *
 * @example
 * const finality: Finality = "finalized" // or "safe", or 12
 */
export type Finality = typeof Finality.Type
export const Finality = Schema.Union([
  Schema.Literals(["finalized", "safe"]),
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })),
])

const Coin = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9]{1,12}$/u, { expected: "1 to 12 letters or digits" }),
)

/** The URL of a page, to which a hash is appended. */
export const ExplorerUrl = Schema.String.check(
  Schema.isPattern(/^https:\/\/[^\s"'<>\\@*[\]]+[/=]$/u, {
    expected: "an https address to which a hash is appended, such as https://scan.example/tx/",
  }),
)

/** Far below any value that would not fit a quantity of a token with the most decimals. */
export const minimumMost = 1_000_000_000
const Minimum = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: minimumMost }))

export interface Network extends Schema.Schema.Type<typeof Network> {}
export const Network = Schema.Struct({
  chainId: Caip.ChainId,
  /** Letters, digits and a few signs: it is drawn and printed. */
  name: Schema.String.check(
    Schema.isPattern(/^[\p{L}\p{N}][\p{L}\p{N} .()-]{0,39}$/u, {
      expected: "a name of 1 to 40 letters, digits, spaces, points, - or brackets",
    }),
  ),
  /** Names the drawing that the server serves for this network. */
  icon: Schema.String.check(
    Schema.isPattern(/^[a-z0-9-]{1,40}$/u, {
      expected: "1 to 40 small letters, digits or -",
    }),
  ),
  /** The symbol of the coin that pays for transactions. */
  coin: Coin,
  /** Its coins are worth nothing: it serves test mode only. */
  isTest: Schema.optionalKey(Schema.Literal(true)),
  /** The usual number of seconds from the payer's signature to a final payment. */
  etaInS: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 })),
  /** A transaction's hash is appended to this URL to open it in the network's explorer; null if there is none. */
  explorerUrl: Schema.NullOr(ExplorerUrl),
  /** docs/security.md describes for how long a block can still be removed. */
  finality: Finality,
  /** Below this, in whole units of a token, gas would cost too much of a payment that we collect. */
  minimum: Minimum,
  /** Further data for the network's adapter. The core stores it, and reads none of it. */
  details: Schema.JsonObject,
})
