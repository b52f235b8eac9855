/**
 * Counts requests, and how long they took. Every request passes here, so each series is made once and kept.
 *
 * @module
 */
import * as Metrics from "@florin/core/engine/Metrics"
import type * as Context from "effect/Context"
import type * as Metric from "effect/Metric"

interface Series {
  readonly duration: Metric.Histogram<number>
  readonly byStatus: Map<number, Metric.Counter<number>>
}

/** Notes a request in the registry of a context. */
export const make = (context: Context.Context<never>) => {
  const known = new Map<string, Series>()

  const seriesOf = (operation: string): Series => {
    const duration = Metrics.histogramOf("florin_http_request_duration_seconds", { operation })
    const series: Series = { duration, byStatus: new Map() }
    known.set(operation, series)
    return series
  }

  return (operation: string, status: number, durationInMs: number): void => {
    const { byStatus, duration } = known.get(operation) ?? seriesOf(operation)
    let counter = byStatus.get(status)
    if (counter === undefined) {
      counter = Metrics.counterOf("florin_http_requests_total", {
        operation,
        status: String(status),
      })
      byStatus.set(status, counter)
    }
    counter.updateUnsafe(1, context)
    duration.updateUnsafe(durationInMs / 1000, context)
  }
}
