/**
 * Partners as the operator's API shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Partner"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as TimeView from "./TimeView.ts"

export const fees = (terms: Fees.FeeTerms): Wire.Fees => ({
  percentage: Fees.formatPercentage(terms.percentage),
  fixed: terms.fixed.map(({ currency, quantity }) => ({
    unit: `iso4217/${currency}`,
    value: String(quantity),
  })),
  returned: terms.returned ?? "never",
})

export const partner = (record: Merchant.Partner): Wire.Partner => {
  const { credit, feeTerms, frozenAt, id, name, payouts, secondPerson, suspendedAt, versionPin } =
    record
  const creditIn = (mode: Mode.Mode) => {
    const granted = credit?.[mode]
    return granted === undefined ? null : Credit.format(granted)
  }
  const limitsIn = (mode: Mode.Mode) => PartnerLimits.format(Merchant.limitsOf(record, mode))
  return {
    id,
    name,
    versionPin,
    fees: fees(feeTerms),
    payouts: payouts === undefined ? null : PayoutPolicy.format(payouts),
    credit: { test: creditIn("test"), live: creditIn("live") },
    limits: { test: limitsIn("test"), live: limitsIn("live") },
    secondPerson: secondPerson ?? false,
    suspendedAt: TimeView.isoOrNull(suspendedAt),
    frozenAt: TimeView.isoOrNull(frozenAt),
  }
}
