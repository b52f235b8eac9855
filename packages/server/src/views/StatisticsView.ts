/**
 * Statistics of payments over time, as partners see them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Payment"
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import * as Amount from "@florin/core/domain/money/Amount"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as AmountView from "./AmountView.ts"
import * as TimeView from "./TimeView.ts"

const countsOf = (
  { payments, revenue, succeeded }: PaymentSeries.Counts,
  { catalog }: AmountView.Display,
) => ({
  payments,
  succeeded,
  revenue: revenue.map(({ quantity, refunded, unit }) => {
    const sum = (value: bigint) => ({
      unit: Amount.formatUnit(unit, catalog),
      value: value.toString(),
    })
    return { gross: sum(quantity), refunded: sum(refunded), net: sum(quantity - refunded) }
  }),
})

/** Each unit that the statistics name, once. */
const unitsOf = (
  { buckets, tokens }: PaymentSeries.Series,
  display: AmountView.Display,
): Wire.Statistics["units"] => {
  const units = [
    ...buckets.flatMap(({ revenue }) => revenue.map(({ unit }) => unit)),
    ...tokens.flatMap(({ token }) => (token === null ? [] : [Amount.token(token)])),
  ]
  const shown = units.map((unit) => AmountView.unit(unit, display))
  return [...new Map(shown.map((each) => [each.unit, each])).values()]
}

export const statistics = (
  series: PaymentSeries.Series,
  edges: PaymentSeries.Edges,
  display: AmountView.Display,
): Wire.Statistics => ({
  buckets: series.buckets.map((bucket, index) => ({
    startTs: TimeView.iso(edges[index] ?? 0),
    endTs: TimeView.iso(edges[index + 1] ?? 0),
    ...countsOf(bucket, display),
  })),
  statuses: PaymentState.statuses.map((status) => ({ status, payments: series.statuses[status] })),
  tokens: series.tokens.map(({ counts, token }) => ({
    unit: token === null ? null : Amount.formatUnit(Amount.token(token), display.catalog),
    ...countsOf(counts, display),
  })),
  timeToSuccess: series.times.map((payments, index) => ({
    upToMs: PaymentSeries.classesInMs[index] ?? null,
    payments,
  })),
  units: unitsOf(series, display),
})
