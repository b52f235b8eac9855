/**
 * Sets the metrics that are not counted as they happen: the figures of all readings of `Status`, and the findings in
 * them. It writes all metrics in the Prometheus text format.
 *
 * Each part has a time limit and fails on its own: a chain that hangs loses only its own figures and does not delay the
 * scrape. Figures that could not be read are left out, never repeated.
 *
 * @module
 */
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Metrics from "@florin/core/engine/record/Metrics"
import * as Findings from "@florin/core/engine/status/Findings"
import * as Status from "@florin/core/engine/status/Status"
import type { Assets } from "@florin/core/ports/Assets"
import type { Chains } from "@florin/core/ports/Chain"
import { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/** The ports that are read. */
export type Ports = Assets | Chains | Signals | Storage

const { figure } = Metrics
type Figures = ReadonlyArray<Metrics.Figure>

/** The count covers all watched payments, whichever payment is passed. */
const polls = Effect.map(Signals, ({ watching }) => [
  figure("florin_parked_polls", {}, watching(PaymentId.PaymentId.make("pay_none")).all),
])

/** How many findings of each kind need a person. */
const findings = (found: ReadonlyArray<Findings.Finding>): Figures =>
  Findings.tags
    .filter((tag) => Findings.table[tag].severity !== "note")
    .map((tag) =>
      figure(
        "florin_findings",
        { finding: Findings.nameOf(tag), severity: Findings.table[tag].severity },
        found.filter(({ _tag, isRed }) => isRed && _tag === tag).length,
      ),
    )

/** Several scrapes within this time share one look-up. */
const keptFor = "5 seconds"

/** The current figures of a registry, shared by all readers of the registry. */
const shownIn = new WeakMap<Metric.MetricRegistry, Figures>()

/** Looks up all figures, and sets them in the registry for the exporter; does nothing if that was done just now. */
export const make = Effect.gen(function* () {
  const context = yield* Effect.context<Ports>()
  const readings = yield* Status.readings({ waits: false })
  const registry = Context.get(context, Metric.MetricRegistry)

  /** In one step, so that no export sees only half of it. */
  const show = (figures: Figures) =>
    Effect.sync(() => {
      for (const { gauge } of shownIn.get(registry) ?? []) Metric.removeUnsafe(gauge, context)
      for (const { gauge, value } of figures) gauge.updateUnsafe(value, context)
      shownIn.set(registry, figures)
    })

  const look = Effect.gen(function* () {
    const made = yield* Status.make(readings)
    for (const { figures, reading } of made) {
      if (figures === null) {
        yield* Metrics.count("florin_collect_errors_total", { part: reading.part })
      }
    }
    yield* show([
      ...made.flatMap(({ figures, reading }) => figures ?? reading.unread ?? []),
      ...findings(made.flatMap((each) => each.findings)),
      ...(yield* polls),
    ])
  }).pipe(Effect.provideContext(context))
  return yield* Effect.cachedWithTTL(look, keptFor)
})

/** All metrics of the current registry in the Prometheus text format, after a look-up. */
export const text = Effect.map(make, (look) =>
  Effect.gen(function* () {
    yield* look
    // Loaded only for an export, as it brings in a router.
    const prometheus = yield* Effect.promise(() => import("effect/observability/PrometheusMetrics"))
    return yield* prometheus.format()
  }),
)

/** The media type of that text. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"
