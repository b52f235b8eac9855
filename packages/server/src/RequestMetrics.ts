/**
 * Counts requests and measures their duration.
 *
 * @module
 */
import * as Metrics from "@florin/core/engine/Metrics"
import type * as Context from "effect/Context"
import type * as Metric from "effect/Metric"

/** Makes the function that records requests in the registry of a context. Each series is named only once. */
export const make = (context: Context.Context<never>) => {
  const durations = new Map<string, Metric.Histogram<number>>()
  const counts = new Map<string, Metric.Counter<number>>()
  return (operation: string, status: number, durationInMs: number): void => {
    const duration =
      durations.get(operation) ??
      Metrics.histogramOf("florin_http_request_duration_seconds", { operation })
    durations.set(operation, duration)
    duration.updateUnsafe(durationInMs / 1000, context)
    const series = `${operation} ${status}`
    const count =
      counts.get(series) ??
      Metrics.counterOf("florin_http_requests_total", { operation, status: String(status) })
    counts.set(series, count)
    count.updateUnsafe(1, context)
  }
}
