/**
 * Looks up the metrics that are not counted as they happen: what waits, what is owed, and the state of chains and
 * nodes. It writes all metrics in the Prometheus text format.
 *
 * Each part has a time limit and fails on its own: a chain that hangs loses only its own figures and does not delay the
 * scrape. Figures that could not be read are left out, never repeated.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as ChainHealth from "@florin/core/engine/ChainHealth"
import * as Float from "@florin/core/engine/Float"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Metrics from "@florin/core/engine/Metrics"
import * as Relaying from "@florin/core/engine/Relaying"
import * as Stuck from "@florin/core/engine/Stuck"
import { Assets } from "@florin/core/ports/Assets"
import { type Chain, Chains } from "@florin/core/ports/Chain"
import { DueWork } from "@florin/core/ports/DueWork"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Health from "./Health.ts"

/** The ports that are read. */
export type Ports = Assets | Chains | Signals | Storage

interface Figure {
  readonly gauge: Metric.Gauge<number>
  readonly value: number
}

const figure = <N extends Metrics.GaugeName>(
  name: N,
  labels: Metrics.Labels<N>,
  value: number,
): Figure => ({ gauge: Metrics.gaugeOf(name, labels), value })

/** A part of the metrics, which fails on its own. */
interface Part {
  readonly name: string
  /** Distinguishes it from other parts of the same name. */
  readonly of: string
  readonly read: Effect.Effect<ReadonlyArray<Figure>, unknown, Ports>
}

const part = (name: string, of: string, read: Part["read"]): Part => ({ name, of, read })

const secondsSince = (at: number, now: number): number => Math.max(0, now - at) / 1000

const storage = Effect.gen(function* () {
  const driftInMs = yield* Health.clockDrift
  if (driftInMs === null) return [figure("florin_storage_up", {}, 0)]
  return [
    figure("florin_storage_up", {}, (yield* Health.hasRoom) ? 1 : 0),
    figure("florin_clock_offset_seconds", {}, driftInMs / 1000),
  ]
})

/** The count covers all watched payments, whichever payment is passed. */
const polls = Effect.map(Signals, ({ watching }) => [
  figure("florin_parked_polls", {}, watching(PaymentId.PaymentId.make("pay_none")).all),
])

const work = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const backlog = yield* (yield* DueWork).backlog(now)
  return backlog.flatMap(({ count, group: chain, kind, oldestDueAt }) => [
    figure("florin_due_work", { kind, chain }, count),
    figure("florin_due_work_oldest_seconds", { kind, chain }, secondsSince(oldestDueAt, now)),
  ])
})

const webhooks = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const pending = yield* (yield* Outbox).pending
  return pending.flatMap(({ count, endpointId: endpoint, oldestAt }) => [
    figure("florin_webhook_pending", { endpoint }, count),
    figure("florin_webhook_lag_seconds", { endpoint }, secondsSince(oldestAt, now)),
  ])
})

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

const stuck = (mode: Mode.Mode) =>
  Effect.map(Stuck.list(mode), (all) =>
    Stuck.groups(all).flatMap(({ chainId: chain, code, count, isHeld, oldest }) => {
      const labels = { mode, chain, code: code ?? "unknown", held: String(isHeld) }
      return [
        figure("florin_stuck", labels, count),
        figure("florin_stuck_oldest_seconds", labels, oldest.ageInMs / 1000),
      ]
    }),
  )

/** The labels for a token on one of our accounts. */
const labelsOfHolding = (
  mode: Mode.Mode,
  token: Caip.Token,
  address: Caip.Address,
  catalog: Catalog.Catalog,
) => ({
  ...Metrics.tokenLabels(mode, token, catalog),
  account: Family.formatAddress(catalog, { chainId: token.chainId, address }),
})

const ledger = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const catalog = yield* Assets
    const store = yield* LedgerStore
    const holdings = (yield* store.holdings(mode)).flatMap(({ collecting, holds, owed, token }) => {
      const labels = labelsOfHolding(mode, token, collecting, catalog)
      return [
        figure("florin_owed", labels, Metrics.units(owed, token, catalog)),
        figure("florin_float", labels, Metrics.units(holds - owed, token, catalog)),
      ]
    })
    const debts = (yield* store.owing(mode, null)).map(({ quantity, token }) =>
      figure(
        "florin_debt",
        Metrics.tokenLabels(mode, token, catalog),
        Metrics.units(quantity, token, catalog),
      ),
    )
    return [...holdings, ...debts]
  })

const unclaimed = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const catalog = yield* Assets
    return (yield* (yield* InflowStore).sums(mode)).map(({ quantity, token }) =>
      figure(
        "florin_unclaimed",
        Metrics.tokenLabels(mode, token, catalog),
        Metrics.units(quantity, token, catalog),
      ),
    )
  })

const short = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const catalog = yield* Assets
    return (yield* Float.shortAccounts(mode)).map(({ address, missing, token }) =>
      figure(
        "florin_float_short",
        labelsOfHolding(mode, token, address, catalog),
        Metrics.units(missing, token, catalog),
      ),
    )
  })

const halted = (mode: Mode.Mode, { chainIds }: Chain["Service"]) =>
  Effect.map(Lanes.listHalted(mode), (stopped) =>
    chainIds.map((chain) =>
      figure(
        "florin_chain_halted",
        { mode, chain },
        stopped.some(({ chainId }) => chainId === chain) ? 1 : 0,
      ),
    ),
  )

const leftOut = (mode: Mode.Mode, { catalog, faults }: Chain["Service"]) =>
  Effect.map(faults, (found) =>
    found.map(({ token }) =>
      figure("florin_token_left_out", Metrics.tokenLabels(mode, token, catalog), 1),
    ),
  )

const budgets = (mode: Mode.Mode, { catalog }: Chain["Service"]) =>
  Effect.gen(function* () {
    const all = yield* Relaying.gasBudgets(mode, yield* Clock.currentTimeMillis)
    return all.map(({ account, limit, spent }) =>
      figure(
        "florin_gas_budget_spent_ratio",
        { mode, chain: account.chainId, account: Family.formatAddress(catalog, account) },
        limit === 0n ? 1 : Number(spent) / Number(limit),
      ),
    )
  })

const nodes = (mode: Mode.Mode, chain: Chain["Service"], chainId: Caip.ChainId) =>
  Effect.map(ChainHealth.nodes(chain, chainId), ({ differing, headAgeInMs, nodes: all }) => {
    const ofEach = all.flatMap(({ behindInMs }, index) => {
      const labels = { mode, chain: chainId, node: String(index + 1) }
      return behindInMs === null
        ? [figure("florin_node_up", labels, 0)]
        : [
            figure("florin_node_up", labels, 1),
            figure("florin_node_behind_seconds", labels, behindInMs / 1000),
          ]
    })
    const ofAll = { mode, chain: chainId }
    return [
      ...ofEach,
      figure("florin_nodes_differ", ofAll, differing === null ? 0 : 1),
      ...(headAgeInMs === null
        ? []
        : [figure("florin_chain_head_age_seconds", ofAll, headAgeInMs / 1000)]),
    ]
  })

const relayers = (mode: Mode.Mode, chain: Chain["Service"], chainId: Caip.ChainId) =>
  Effect.map(ChainHealth.senders(mode, chain, chainId), (all) =>
    all.flatMap(({ account, coins, lane, lastsInHours, unitsPerCoin }) => {
      const labels = {
        mode,
        chain: chainId,
        account: Family.formatAddress(chain.catalog, account),
      }
      return [
        figure("florin_relayer_coin", labels, Number(coins) / Number(unitsPerCoin)),
        ...(lastsInHours === null
          ? []
          : [figure("florin_relayer_gas_hours", labels, lastsInHours)]),
        ...(lane === null
          ? []
          : [
              figure("florin_lane_waiting_transactions", labels, lane.waiting),
              figure("florin_lane_nonce_gaps", labels, lane.gaps),
            ]),
      ]
    }),
  )

const partsOf = (mode: Mode.Mode, chain: Chain["Service"]): ReadonlyArray<Part> => [
  part("outflows", mode, outflows(mode)),
  part("stuck", mode, stuck(mode)),
  part("ledger", mode, ledger(mode)),
  part("unclaimed", mode, unclaimed(mode)),
  part("float", mode, short(mode)),
  part("halted", mode, halted(mode, chain)),
  part("tokens", mode, leftOut(mode, chain)),
  part("budgets", mode, budgets(mode, chain)),
  ...chain.chainIds.flatMap((chainId) => [
    part("nodes", `${mode} ${chainId}`, nodes(mode, chain, chainId)),
    part("relayers", `${mode} ${chainId}`, relayers(mode, chain, chainId)),
  ]),
]

/** A part that takes longer is left out. Prometheus waits 10 s for all of them. */
const readsWithin = "4 seconds"
/** Several scrapes within this time share one look-up. */
const keptFor = "5 seconds"

/** The current figures of each part of a registry, shared by all readers of the registry. */
const shownIn = new WeakMap<Metric.MetricRegistry, Map<string, ReadonlyArray<Figure>>>()

/** Looks up all figures, and sets them in the registry for the exporter; does nothing if that was done just now. */
export const make = Effect.gen(function* () {
  const context = yield* Effect.context<Ports>()
  const { of } = yield* Chains
  const parts = [
    part("storage", "", storage),
    part("polls", "", polls),
    part("work", "", work),
    part("webhooks", "", webhooks),
    ...Mode.Mode.literals.flatMap((mode) => partsOf(mode, of(mode))),
  ]
  const registry = Context.get(context, Metric.MetricRegistry)
  const shown = shownIn.get(registry) ?? new Map<string, ReadonlyArray<Figure>>()
  shownIn.set(registry, shown)

  /** In one step, so that no export sees only half of it. */
  const show = ({ name, of: subject }: Part, figures: ReadonlyArray<Figure>) =>
    Effect.sync(() => {
      const key = `${name} ${subject}`
      for (const { gauge } of shown.get(key) ?? []) Metric.removeUnsafe(gauge, context)
      for (const { gauge, value } of figures) gauge.updateUnsafe(value, context)
      shown.set(key, figures)
    })

  const look = Effect.forEach(
    parts,
    (each) =>
      each.read.pipe(
        Effect.timeout(readsWithin),
        Effect.catchCause(() =>
          Effect.as(Metrics.count("florin_collect_errors_total", { part: each.name }), []),
        ),
        Effect.flatMap((figures) => show(each, figures)),
      ),
    { concurrency: "unbounded", discard: true },
  ).pipe(Effect.provideContext(context))
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
