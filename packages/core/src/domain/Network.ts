/**
 * A network that we serve: what a person calls it, how long it takes, and what is usual for its transactions.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"

/**
 * When a block counts as final: the chain's own word for it, or a number of blocks on top of it.
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

/** The address of a page, which a hash ends. */
export const ExplorerUrl = Schema.String.check(
  Schema.isPattern(/^https:\/\/[^\s"'<>\\@*[\]]+[/=]$/u, {
    expected: "an https address that a hash ends, such as https://scan.example/tx/",
  }),
)

/** Far below what would not fit a quantity of a token with the most decimals. */
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
  /** Seconds from the payer's signature to a final payment, as a rule. */
  etaInS: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 })),
  /** What a transaction's hash is appended to, to look at it in the network's explorer; null if there is none. */
  explorerUrl: Schema.NullOr(ExplorerUrl),
  /** How long a block can still go is in docs/security.md. */
  finality: Finality,
  /** Below this, in whole units of a token, gas would eat a payment that we collect. */
  minimum: Minimum,
  /** What its adapter knows of it besides. The core keeps it, and reads none of it. */
  details: Schema.JsonObject,
})
