/**
 * Tokens as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Asset"
import * as Family from "@florin/core/domain/chain/Family"
import type * as AcceptedAssets from "@florin/core/engine/chain/AcceptedAssets"
import * as AmountView from "./AmountView.ts"

export const asset = (
  {
    asset: { decimals, name, peg, symbol, token },
    flows,
    minimum,
    network,
    reason,
  }: AcceptedAssets.Accepted,
  display: AmountView.Display,
): Wire.Asset => ({
  asset: Family.formatToken(display.catalog, token),
  symbol,
  name,
  decimals,
  peg,
  iconUrl: AmountView.iconUrl(display, symbol.toLowerCase()),
  network: {
    id: network.chainId,
    name: network.name,
    iconUrl: AmountView.iconUrl(display, network.icon),
  },
  flows,
  isOffered: reason === null,
  minimum: minimum === null ? null : minimum.toString(),
  reason,
})
