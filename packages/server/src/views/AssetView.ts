/**
 * Tokens as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Asset"
import * as Family from "@florin/core/domain/chain/Family"
import type * as AcceptedAssets from "@florin/core/engine/chain/AcceptedAssets"
import type * as AmountView from "./AmountView.ts"

export const asset = (
  {
    asset: { decimals, name, peg, symbol, token },
    flows,
    minimum,
    network,
    reason,
  }: AcceptedAssets.Accepted,
  { catalog, iconUrl }: AmountView.Display,
): Wire.Asset => ({
  asset: Family.formatToken(catalog, token),
  symbol,
  name,
  decimals,
  peg,
  iconUrl: iconUrl(symbol.toLowerCase()),
  network: {
    id: network.chainId,
    name: network.name,
    iconUrl: iconUrl(network.icon),
  },
  flows,
  isOffered: reason === null,
  minimum: minimum === null ? null : minimum.toString(),
  reason,
})
