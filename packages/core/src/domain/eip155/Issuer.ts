/**
 * Functions of issuers' tokens beyond the standards: how a token is stopped, and how an account is barred. A token
 * names its issuer's rules, or states that there are none, so that no token is taken without a check of its rules.
 *
 * @module
 */
import * as Schema from "effect/Schema"

export interface Issuer extends Schema.Schema.Type<typeof Issuer> {}
export const Issuer = Schema.Struct({
  /** Functions of the token that return 0 while it moves in full. */
  switches: Schema.Array(Schema.Literals(["paused", "deprecated", "basisPointsRate"])),
  /** The function of the token that returns whether it bars an account; null if it bars nobody. */
  blocklist: Schema.NullOr(
    Schema.Literals(["isBlacklisted", "isFrozen", "isBlocked", "isBlackListed"]),
  ),
})

export const circle: Issuer = { switches: ["paused"], blocklist: "isBlacklisted" }
export const paxos: Issuer = { switches: ["paused"], blocklist: "isFrozen" }
export const usdt0: Issuer = { switches: [], blocklist: "isBlocked" }
export const tether: Issuer = {
  switches: ["paused", "deprecated", "basisPointsRate"],
  blocklist: "isBlackListed",
}
/** Binance's pegged tokens can be neither stopped nor barred. */
export const binance: Issuer = { switches: [], blocklist: null }
