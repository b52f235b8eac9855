/**
 * Renders deploy/grafana/florin.json: rows of panels, each with its Prometheus query.
 *
 * A metric that an alert compares with a threshold has that threshold as a line.
 *
 * @module
 */
import * as alerts from "./alerts.ts"

interface Panel {
  readonly title: string
  readonly expr: string
  readonly legend: string
  readonly unit?: string
}

const overAll = (name: string): string => `max without (instance, job) (${name}{mode=~"$mode"})`

const rows: ReadonlyArray<{ readonly title: string; readonly panels: ReadonlyArray<Panel> }> = [
  {
    title: "Requests",
    panels: [
      {
        title: "Requests by operation",
        expr: "sum by (operation) (rate(florin_http_requests_total[5m]))",
        legend: "{{operation}}",
        unit: "reqps",
      },
      {
        title: "Refused and failed requests",
        expr: 'sum by (operation, status) (rate(florin_http_requests_total{status=~"[45].."}[5m]))',
        legend: "{{operation}} {{status}}",
        unit: "reqps",
      },
      {
        title: "99th percentile of the duration",
        expr: "histogram_quantile(0.99, sum by (operation, le) (rate(florin_http_request_duration_seconds_bucket[5m])))",
        legend: "{{operation}}",
        unit: "s",
      },
      {
        title: "Parked polls",
        expr: "florin_parked_polls",
        legend: "{{instance}}",
      },
    ],
  },
  {
    title: "Payments",
    panels: [
      {
        title: "Confirms by outcome",
        expr: 'sum by (outcome) (rate(florin_confirms_total{mode=~"$mode"}[5m]))',
        legend: "{{outcome}}",
        unit: "ops",
      },
      {
        title: "90th percentile of the time in a state",
        expr: 'histogram_quantile(0.9, sum by (state, next, le) (rate(florin_payment_state_seconds_bucket{mode=~"$mode"}[30m])))',
        legend: "{{state}} to {{next}}",
        unit: "s",
      },
      {
        title: "Refusals by spent failure budgets",
        expr: 'sum by (budget) (increase(florin_failure_budget_refusals_total{mode=~"$mode"}[1h]))',
        legend: "{{budget}}",
      },
    ],
  },
  {
    title: "Work",
    panels: [
      {
        title: "Due work",
        expr: "max without (instance, job) (florin_due_work)",
        legend: "{{kind}} {{chain}}",
      },
      {
        title: "Oldest due work",
        expr: "max without (instance, job) (florin_due_work_oldest_seconds)",
        legend: "{{kind}} {{chain}}",
        unit: "s",
      },
      {
        title: "Work done and failed",
        expr: "sum by (kind, outcome) (rate(florin_work_total[5m]))",
        legend: "{{kind}} {{outcome}}",
        unit: "ops",
      },
      {
        title: "Webhook lag",
        expr: "max without (instance, job) (florin_webhook_lag_seconds)",
        legend: "{{endpoint}}",
        unit: "s",
      },
      {
        title: "Pending deliveries",
        expr: "max without (instance, job) (florin_webhook_pending)",
        legend: "{{endpoint}}",
      },
      {
        title: "Calls of webhooks",
        expr: "sum by (endpoint, outcome) (rate(florin_webhook_attempts_total[5m]))",
        legend: "{{endpoint}} {{outcome}}",
        unit: "ops",
      },
    ],
  },
  {
    title: "Money",
    panels: [
      {
        title: "Money on its way out",
        expr: overAll("florin_outflows"),
        legend: "{{purpose}} {{state}} {{chain}} {{mode}}",
      },
      {
        title: "Stuck money",
        expr: overAll("florin_stuck"),
        legend: "{{code}} {{chain}} {{mode}}",
      },
      {
        title: "Oldest stuck money",
        expr: overAll("florin_stuck_oldest_seconds"),
        legend: "{{code}} {{chain}} {{mode}}",
        unit: "s",
      },
      {
        title: "Owed",
        expr: `sum by (mode, chain, symbol) (${overAll("florin_owed")})`,
        legend: "{{symbol}} {{chain}} {{mode}}",
      },
      {
        title: "Float",
        expr: overAll("florin_float"),
        legend: "{{symbol}} {{chain}} {{account}}",
      },
      {
        title: "Float that is short",
        expr: overAll("florin_float_short"),
        legend: "{{symbol}} {{chain}} {{account}}",
      },
      {
        title: "Money that no payment claims",
        expr: overAll("florin_unclaimed"),
        legend: "{{symbol}} {{chain}} {{mode}}",
      },
      {
        title: "Debt of merchants",
        expr: overAll("florin_debt"),
        legend: "{{symbol}} {{chain}} {{mode}}",
      },
      {
        title: "Chain minus ledger",
        expr: 'florin_reconcile_difference{mode=~"$mode"}',
        legend: "{{symbol}} {{chain}} {{account}}",
      },
      {
        title: "Since the last comparison",
        expr: 'time() - max by (mode) (florin_reconcile_timestamp_seconds{mode=~"$mode"})',
        legend: "{{mode}}",
        unit: "s",
      },
    ],
  },
  {
    title: "Chains",
    panels: [
      {
        title: "Halted chains",
        expr: overAll("florin_chain_halted"),
        legend: "{{chain}} {{mode}}",
      },
      {
        title: "Nodes that answer",
        expr: 'florin_node_up{mode=~"$mode"}',
        legend: "{{chain}} node {{node}} {{instance}}",
      },
      {
        title: "Nodes that are behind",
        expr: 'florin_node_behind_seconds{mode=~"$mode"}',
        legend: "{{chain}} node {{node}} {{instance}}",
        unit: "s",
      },
      {
        title: "Nodes that show different blocks",
        expr: overAll("florin_nodes_differ"),
        legend: "{{chain}} {{mode}}",
      },
      {
        title: "Age of the newest block",
        expr: 'florin_chain_head_age_seconds{mode=~"$mode"}',
        legend: "{{chain}} {{instance}}",
        unit: "s",
      },
      {
        title: "Coin for gas",
        expr: overAll("florin_relayer_coin"),
        legend: "{{chain}} {{account}}",
      },
      {
        title: "Hours of gas left",
        expr: overAll("florin_relayer_gas_hours"),
        legend: "{{chain}} {{account}}",
        unit: "h",
      },
      {
        title: "Gas budget spent",
        expr: overAll("florin_gas_budget_spent_ratio"),
        legend: "{{chain}} {{account}}",
        unit: "percentunit",
      },
      {
        title: "Transactions that are not mined",
        expr: overAll("florin_lane_waiting_transactions"),
        legend: "{{chain}} {{account}}",
      },
      {
        title: "Skipped nonces",
        expr: overAll("florin_lane_nonce_gaps"),
        legend: "{{chain}} {{account}}",
      },
      {
        title: "Tokens that are not offered",
        expr: overAll("florin_token_left_out"),
        legend: "{{symbol}} {{chain}} {{mode}}",
      },
    ],
  },
  {
    title: "Processes",
    panels: [
      {
        title: "Findings that need a person",
        expr: "max without (instance, job) (florin_findings)",
        legend: "{{finding}} {{severity}}",
      },
      { title: "Storage", expr: "florin_storage_up", legend: "{{instance}}" },
      {
        title: "Clock offset",
        expr: "florin_clock_offset_seconds",
        legend: "{{instance}}",
        unit: "s",
      },
      {
        title: "Figures that could not be read",
        expr: "increase(florin_collect_errors_total[5m])",
        legend: "{{part}} {{instance}}",
      },
    ],
  },
]

const [columns, wide, high] = [24, 8, 8]
const datasource = { type: "prometheus", uid: "${datasource}" }

/** The line from where on a person must act. */
const thresholds = (expr: string) => {
  const [metric = ""] = /florin_\w+/u.exec(expr) ?? []
  const limit = alerts.lineOf(metric)
  if (limit === null) return {}
  const { isBelow, value } = limit
  const [below, above] = isBelow ? ["red", "green"] : ["green", "red"]
  const steps = [
    { color: below, value: null },
    { color: above, value },
  ]
  return {
    custom: { thresholdsStyle: { mode: "line" } },
    thresholds: { mode: "absolute", steps },
  }
}

/** Three panels in a line, below the title of their row. */
const laidOut = () => {
  const all: Array<object> = []
  let y = 0
  for (const { panels, title } of rows) {
    const at = { x: 0, y, w: columns, h: 1 }
    all.push({ id: all.length + 1, type: "row", title, gridPos: at })
    y += 1
    for (const [index, { expr, legend, title: name, unit = "short" }] of panels.entries()) {
      const line = Math.floor((index * wide) / columns)
      all.push({
        id: all.length + 1,
        type: "timeseries",
        title: name,
        datasource,
        gridPos: { x: (index * wide) % columns, y: y + line * high, w: wide, h: high },
        fieldConfig: { defaults: { unit, ...thresholds(expr) }, overrides: [] },
        targets: [{ refId: "A", datasource, expr, legendFormat: legend }],
      })
    }
    y += Math.ceil((panels.length * wide) / columns) * high
  }
  return all
}

export const render = (): string =>
  `${JSON.stringify(
    {
      uid: "florin",
      title: "Florin",
      tags: ["florin"],
      schemaVersion: 39,
      refresh: "30s",
      time: { from: "now-6h", to: "now" },
      templating: {
        list: [
          { name: "datasource", type: "datasource", query: "prometheus", label: "Data source" },
          {
            name: "mode",
            type: "custom",
            label: "Mode",
            query: "live,test",
            includeAll: true,
            allValue: ".*",
            current: { text: "live", value: "live" },
          },
        ],
      },
      panels: laidOut(),
    },
    null,
    2,
  )}\n`
