/**
 * Tokens as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Asset"
import * as Caip from "@florin/core/domain/Caip"
import type * as AcceptedAssets from "@florin/core/engine/AcceptedAssets"
import type * as AmountView from "./AmountView.ts"

export const asset = (
  {
    asset: { decimals, name, peg, symbol, token },
    flows,
    minimum,
    network,
    reason,
  }: AcceptedAssets.Accepted,
  { iconUrl }: AmountView.Display,
): Wire.Asset => ({
  asset: Caip.formatToken(token),
  symbol,
  name,
  decimals,
  peg,
  iconUrl: iconUrl(symbol.toLowerCase()),
  network: {
    id: Caip.formatChain(network.chainId),
    name: network.name,
    iconUrl: iconUrl(network.icon),
  },
  flows,
  isOffered: reason === null,
  minimum: minimum === null ? null : minimum.toString(),
  reason,
})
