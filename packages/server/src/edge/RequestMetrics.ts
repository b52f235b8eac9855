/**
 * Counts requests and measures their duration. Every request passes here, so this only adds to numbers. The metrics
 * exporter reads them.
 *
 * @module
 */
import * as Metrics from "@florin/core/engine/record/Metrics"
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** Records a request. */
type Observe = (operation: string, status: number, durationInMs: number) => void

interface Operation {
  readonly byStatus: Map<number, { count: number }>
  /** Per bound, the number of requests that took no longer than this bound and longer than the one before. */
  readonly buckets: Array<number>
  count: number
  sum: number
  min: number
  max: number
}

const { bounds } = Metrics.table.florin_http_request_duration_seconds

/** The registry only reads these metrics; it does not update them. */
const readOnly = { update: () => undefined, modify: () => undefined }

const beginOperation = (context: Context.Context<never>, operation: string): Operation => {
  const seen: Operation = {
    byStatus: new Map(),
    buckets: bounds.map(() => 0),
    count: 0,
    sum: 0,
    min: Infinity,
    max: 0,
  }
  Metric.registerUnsafe(
    Metrics.histogramOf("florin_http_request_duration_seconds", { operation }),
    context,
    {
      ...readOnly,
      get: () => {
        const { count, max, min, sum } = seen
        let below = 0
        const buckets = bounds.map((bound, index): [number, number] => {
          below += seen.buckets[index] ?? 0
          return [bound, below]
        })
        return { buckets, count, min, max, sum }
      },
    },
  )
  return seen
}

const beginStatus = (context: Context.Context<never>, operation: string, status: number) => {
  const seen = { count: 0 }
  Metric.registerUnsafe(
    Metrics.counterOf("florin_http_requests_total", { operation, status: String(status) }),
    context,
    { ...readOnly, get: () => ({ count: seen.count, incremental: true }) },
  )
  return seen
}

const begin = (context: Context.Context<never>): Observe => {
  const operations = new Map<string, Operation>()
  return (operation, status, durationInMs) => {
    let of = operations.get(operation)
    if (of === undefined) operations.set(operation, (of = beginOperation(context, operation)))
    let ofStatus = of.byStatus.get(status)
    if (ofStatus === undefined) {
      of.byStatus.set(status, (ofStatus = beginStatus(context, operation, status)))
    }
    const seconds = durationInMs / 1000
    const bucket = bounds.findIndex((bound) => seconds <= bound)
    if (bucket !== -1) of.buckets[bucket] = (of.buckets[bucket] ?? 0) + 1
    ofStatus.count += 1
    of.count += 1
    of.sum += seconds
    if (seconds < of.min) of.min = seconds
    if (seconds > of.max) of.max = seconds
  }
}

/** Handlers whose metrics go to one registry count together. */
const known = new WeakMap<Metric.MetricRegistry, Observe>()

/** Makes the function that records requests in the registry of a context. */
export const make = (context: Context.Context<never>): Observe => {
  const registry = Context.get(context, Metric.MetricRegistry)
  const observe = known.get(registry) ?? begin(context)
  known.set(registry, observe)
  return observe
}
