/**
 * Counts requests and measures their duration. Every request passes here, so the series of an operation are made once.
 *
 * @module
 */
import * as Metrics from "@florin/core/engine/record/Metrics"
import type * as Context from "effect/Context"
import type * as Metric from "effect/Metric"

const durationOf = (operation: string) =>
  Metrics.histogramOf("florin_http_request_duration_seconds", { operation })

const countOf = (operation: string, status: number) =>
  Metrics.counterOf("florin_http_requests_total", { operation, status: String(status) })

/** Makes the function that records requests in the registry of a context. */
export const make = (context: Context.Context<never>) => {
  const durations = new Map<string, Metric.Histogram<number>>()
  const counts = new Map<string, Map<number, Metric.Counter<number>>>()
  return (operation: string, status: number, durationInMs: number): void => {
    const duration = durations.get(operation) ?? durationOf(operation)
    const byStatus = counts.get(operation) ?? new Map<number, Metric.Counter<number>>()
    const count = byStatus.get(status) ?? countOf(operation, status)
    durations.set(operation, duration)
    counts.set(operation, byStatus.set(status, count))
    duration.updateUnsafe(durationInMs / 1000, context)
    count.updateUnsafe(1, context)
  }
}
