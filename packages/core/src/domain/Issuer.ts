/**
 * What issuers build into their tokens beyond the standards: how a token is stopped, and how an account is barred. A
 * token names its issuer's rules, or that it has none, so none is ever taken whose rules nobody looked up.
 *
 * @module
 */

export interface Issuer {
  /** Functions of the token that answer 0 while it moves in full. */
  readonly switches: ReadonlyArray<"paused" | "deprecated" | "basisPointsRate">
  /** The function of the token that tells whether it bars an account; null if it bars nobody. */
  readonly blocklist: "isBlacklisted" | "isFrozen" | "isBlocked" | "isBlackListed" | null
}

export const circle: Issuer = { switches: ["paused"], blocklist: "isBlacklisted" }
export const paxos: Issuer = { switches: ["paused"], blocklist: "isFrozen" }
export const usdt0: Issuer = { switches: [], blocklist: "isBlocked" }
export const tether: Issuer = {
  switches: ["paused", "deprecated", "basisPointsRate"],
  blocklist: "isBlackListed",
}
/** Binance's pegged tokens can be neither stopped nor barred. */
export const binance: Issuer = { switches: [], blocklist: null }
