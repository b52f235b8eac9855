/**
 * A token whose units are cents, and amounts of it, for tests of credit and limits.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as Credit from "@florin/core/domain/money/Credit"
import * as Fixtures from "../Fixtures.ts"

/** A dollar token with two decimals, so that its units are cents. */
export const assetOf = (token: Caip.Token): Asset.Asset => ({
  token,
  symbol: "TUSD",
  name: "Test dollar",
  decimals: 2,
  peg: "USD",
  flow: "eip3009",
  details: {},
})

export const dollars = (cents: bigint): Credit.Credit => ({
  _tag: "Limited",
  amounts: [{ currency: "USD", quantity: Fixtures.quantity(cents) }],
})
