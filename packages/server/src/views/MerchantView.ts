/**
 * Merchants and their settlement destinations as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Merchant"
import type * as WireSettlement from "@florin/api/wire/Settlement"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import type * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as TimeView from "./TimeView.ts"

export const merchant = ({
  brandColor,
  checkoutOrigins,
  createdAt,
  email,
  iconUrl,
  id,
  name,
  status,
  supportEmail,
  supportUrl,
}: Merchant.Merchant): Wire.Merchant => ({
  id,
  name,
  email,
  iconUrl,
  brandColor: brandColor ?? null,
  supportEmail: supportEmail ?? null,
  supportUrl: supportUrl ?? null,
  checkoutOrigins: checkoutOrigins ?? [],
  status,
  createdAt: TimeView.iso(createdAt),
})

/** Asset and destination are returned as they were sent. A destination that is in effect has no waiting time left. */
export const settlement = ({
  assetText,
  destinationText,
  id,
  statement,
  takesEffectAt,
}: SettlementDestination.SettlementDestination): WireSettlement.CryptoSettlement => ({
  id,
  asset: assetText,
  destination: destinationText,
  ...(takesEffectAt !== undefined && { takesEffectAt: TimeView.iso(takesEffectAt) }),
  ...(statement !== undefined && { statement }),
})

export const settlements = (
  destinations: ReadonlyArray<SettlementDestination.SettlementDestination>,
): WireSettlement.Settlements => ({ crypto: destinations.map(settlement), fiat: [] })
