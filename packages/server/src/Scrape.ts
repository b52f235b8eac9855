/**
 * Sets the metrics that are not counted as they happen: the figures of all readings of `Status`, the findings in them,
 * and what nobody needs to act on. It writes all metrics in the Prometheus text format.
 *
 * Each part has a time limit and fails on its own: a chain that hangs loses only its own figures and does not delay the
 * scrape. Figures that could not be read are left out, never repeated.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Findings from "@florin/core/engine/Findings"
import * as Metrics from "@florin/core/engine/Metrics"
import * as Status from "@florin/core/engine/Status"
import { Assets } from "@florin/core/ports/Assets"
import type { Chains } from "@florin/core/ports/Chain"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import * as Arr from "effect/Array"
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

const labelsOfOutflow = ({ mode, movement, purpose, state }: Outflow.Outflow) => ({
  mode,
  chain: movement.token.chainId,
  purpose: purpose._tag.toLowerCase(),
  state: state._tag.toLowerCase(),
})

const outflows = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const open = yield* (yield* OutflowStore).openOutflows(mode)
    const groups = Arr.groupBy(open.map(labelsOfOutflow), (each) => Object.values(each).join(" "))
    return Object.values(groups).map((alike) => figure("florin_outflows", alike[0], alike.length))
  })

const ledger = (mode: Mode.Mode, catalog: Catalog.Catalog) =>
  Effect.gen(function* () {
    const holdings = yield* (yield* LedgerStore).holdings(mode)
    return holdings.flatMap(({ collecting, holds, owed, token }) => {
      const labels = Metrics.holdingLabels(mode, token, collecting, catalog)
      return [
        figure("florin_owed", labels, Metrics.units(owed, token, catalog)),
        figure("florin_float", labels, Metrics.units(holds - owed, token, catalog)),
      ]
    })
  })

const part = (name: string, read: Effect.Effect<Figures, unknown, Ports>) => ({ name, read })
const inMode = (mode: Mode.Mode, catalog: Catalog.Catalog) => [
  part("outflows", outflows(mode)),
  part("ledger", ledger(mode, catalog)),
]

/** How many findings of each kind need a person. */
const findings = (found: ReadonlyArray<Findings.Finding>): Figures =>
  Findings.tags.map((tag) =>
    figure(
      "florin_findings",
      { finding: Findings.nameOf(tag), severity: Findings.table[tag].severity },
      found.filter(({ _tag, isRed }) => isRed && _tag === tag).length,
    ),
  )

/** A part that takes longer is left out. Prometheus waits 10 s for all of them. */
const readsWithin = "4 seconds"
/** Several scrapes within this time share one look-up. */
const keptFor = "5 seconds"

/** The current figures of a registry, shared by all readers of the registry. */
const shownIn = new WeakMap<Metric.MetricRegistry, Figures>()

/** Looks up all figures, and sets them in the registry for the exporter; does nothing if that was done just now. */
export const make = Effect.gen(function* () {
  const context = yield* Effect.context<Ports>()
  const catalog = yield* Assets
  const readings = yield* Status.readings
  const registry = Context.get(context, Metric.MetricRegistry)
  const unread = (name: string) => Metrics.count("florin_collect_errors_total", { part: name })

  const others = Effect.forEach(
    [part("polls", polls), ...Mode.Mode.literals.flatMap((mode) => inMode(mode, catalog))],
    ({ name, read }) =>
      read.pipe(
        Effect.timeout(readsWithin),
        Effect.catchCause(() => Effect.as(unread(name), [])),
      ),
    { concurrency: "unbounded" },
  )

  /** In one step, so that no export sees only half of it. */
  const show = (figures: Figures) =>
    Effect.sync(() => {
      for (const { gauge } of shownIn.get(registry) ?? []) Metric.removeUnsafe(gauge, context)
      for (const { gauge, value } of figures) gauge.updateUnsafe(value, context)
      shownIn.set(registry, figures)
    })

  const look = Effect.gen(function* () {
    const [made, more] = yield* Effect.all([Status.make(readings), others], {
      concurrency: "unbounded",
    })
    for (const { figures, reading } of made) if (figures === null) yield* unread(reading.part)
    yield* show([
      ...made.flatMap(({ figures, reading }) => figures ?? reading.unread ?? []),
      ...findings(made.flatMap((each) => each.findings)),
      ...more.flat(),
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
