/**
 * Merchants and their settlement destinations as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Merchant"
import type * as WireSettlement from "@florin/api/wire/Settlement"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import type * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type { DestinationEvent } from "@florin/core/domain/payment/Event"
import type * as Merchants from "@florin/core/engine/partner/Merchants"
import * as EventView from "./EventView.ts"
import * as PartnerView from "./PartnerView.ts"
import * as TimeView from "./TimeView.ts"

export const merchant = (record: Merchant.Merchant): Wire.Merchant => ({
  id: record.id,
  name: record.name,
  email: record.email,
  iconUrl: record.iconUrl,
  brandColor: record.brandColor ?? null,
  supportEmail: record.supportEmail ?? null,
  supportUrl: record.supportUrl ?? null,
  checkoutOrigins: record.checkoutOrigins ?? [],
  status: record.status,
  createdAt: TimeView.iso(record.createdAt),
})

/** Asset and destination are returned as they were sent. A destination that is in effect has no waiting time left. */
export const settlement = ({
  statement,
  takesEffectAt,
  ...registered
}: SettlementDestination.SettlementDestination): WireSettlement.CryptoSettlement => ({
  id: registered.id,
  asset: registered.assetText,
  destination: registered.destinationText,
  ...(takesEffectAt !== undefined && { takesEffectAt: TimeView.iso(takesEffectAt) }),
  ...(statement !== undefined && { statement }),
})

export const settlements = (
  destinations: ReadonlyArray<SettlementDestination.SettlementDestination>,
): WireSettlement.Settlements => ({ crypto: destinations.map(settlement), fiat: [] })

const look = ({ iconUrl, name, supportEmail, supportUrl }: Merchant.Look) => ({
  name,
  iconUrl,
  supportEmail: supportEmail ?? null,
  supportUrl: supportUrl ?? null,
})

/** A merchant of any partner, for the operator. */
export const owned = (record: Merchant.Merchant): Wire.Owned => {
  const { deletedAt, feeTerms, frozenAt, mode, partnerId, payouts, waiting } = record
  return {
    ...merchant(record),
    partnerId,
    mode,
    fees: feeTerms === undefined ? null : PartnerView.fees(feeTerms),
    payouts: payouts === undefined ? null : PayoutPolicy.format(payouts),
    frozenAt: TimeView.isoOrNull(frozenAt),
    deletedAt: TimeView.isoOrNull(deletedAt),
    waiting:
      waiting === undefined
        ? null
        : {
            since: TimeView.iso(waiting.since),
            isAlike: waiting.isAlike,
            approved: waiting.approved && look(waiting.approved),
            takesPayments: !Merchant.mustBeApproved(record),
          },
  }
}

export const waiting = ({ merchant: record, namesakes }: Merchants.Waiting) => ({
  ...owned(record),
  resembles: namesakes,
})

export const history = (changes: ReadonlyArray<DestinationEvent>): WireSettlement.History => ({
  changes: changes.map((each) => ({
    createdAt: TimeView.iso(each.createdAt),
    ...EventView.destinationChange(each),
  })),
})
