/**
 * Alerts, dashboard and metrics under the real Prometheus, which Debian and Ubuntu have as the package `prometheus`.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Program from "../program.ts"
import * as Promtool from "../promtool.ts"
import * as Serving from "../serving.ts"

const rulesFile = resolve("deploy/prometheus/alerts.yml")
const alerts = Array.from(
  readFileSync(rulesFile, "utf8").matchAll(/- alert: (\w+)/gu),
  ([, name]) => name,
)
const dashboardFile = resolve("deploy/grafana/florin.json")

Promtool.announce("alerts, dashboard and metrics were")

/**
 * An alert, a series that fires it, and what the series shows each minute for an hour or more: a fault, and all well.
 */
type Case = readonly [alert: string, series: string, fires: string, rests: string]

const onChain = 'mode="live",chain="eip155:8453"'
const ofToken = `${onChain},symbol="USDC",token="eip155:8453/erc20:0x0"`
const ofAccount = `${onChain},account="0x1"`

/** In promtool's own notation: `1x60` is 1 for an hour, `0+60x60` grows by 60 each minute. */
const cases: ReadonlyArray<Case> = [
  ["FlorinDown", 'up{job="florin"}', "0x60", "1x60"],
  ["FlorinStorageDown", "florin_storage_up", "0x60", "1x60"],
  ["FlorinClockOff", "florin_clock_offset_seconds", "-0.9x60", "0.1x60"],
  [
    "FlorinWorkNotDone",
    'florin_due_work_oldest_seconds{kind="collect",chain="eip155:8453"}',
    "0+60x60",
    "30x60",
  ],
  [
    "FlorinServerErrors",
    'florin_http_requests_total{operation="gateway.confirm",status="500"}',
    "0+6x60",
    "7x60",
  ],
  ["FlorinChainHalted", `florin_chain_halted{${onChain}}`, "1x60", "0x60"],
  ["FlorinNodeDown", `florin_node_up{${onChain},node="1"}`, "0x60", "1x60"],
  ["FlorinNodeBehind", `florin_node_behind_seconds{${onChain},node="1"}`, "90x60", "12x60"],
  ["FlorinChainStalled", `florin_chain_head_age_seconds{${onChain}}`, "0+60x60", "12x60"],
  ["FlorinChainStalled", `florin_node_up{${onChain},node="1"}`, "0x60", "1x60"],
  ["FlorinNodesDiffer", `florin_nodes_differ{${onChain}}`, "1x60", "0x60"],
  ["FlorinMoneyHeld", `florin_stuck{${onChain},code="payee",held="true"}`, "1x60", "0x60"],
  [
    "FlorinMoneyWaits",
    `florin_stuck_oldest_seconds{${onChain},code="paused",held="false"}`,
    "3600+60x60",
    "600x60",
  ],
  ["FlorinMoneyUnclaimed", `florin_unclaimed{${ofToken}}`, "12.5x120", "0.5x120"],
  ["FlorinFloatShort", `florin_float_short{${ofToken},account="0x1"}`, "12.5x60", "0x60"],
  ["FlorinGasLow", `florin_relayer_gas_hours{${ofAccount}}`, "20x60", "200x60"],
  ["FlorinGasBudgetSpent", `florin_gas_budget_spent_ratio{${ofAccount}}`, "1x60", "0.5x60"],
  ["FlorinNonceGap", `florin_lane_nonce_gaps{${ofAccount}}`, "1x60", "0x60"],
  ["FlorinTokenStopped", `florin_token_left_out{${ofToken}}`, "1x60", "_x60"],
  [
    "FlorinReconcileDifference",
    `florin_reconcile_difference{${ofToken},account="0x1"}`,
    "-3x60",
    "3x60",
  ],
  ["FlorinReconcileStale", 'florin_reconcile_timestamp_seconds{mode="live"}', "0x300", "0+60x300"],
  ["FlorinWebhookFailing", 'florin_webhook_lag_seconds{endpoint="whk_1"}', "0+60x60", "20x60"],
  [
    "FlorinFailureBudgetSpent",
    'florin_failure_budget_refusals_total{mode="live",budget="account"}',
    "0+10x60",
    "5x60",
  ],
  [
    "FlorinFinding",
    'florin_findings{finding="deny_list_refused",severity="ticket"}',
    "1x60",
    "0x60",
  ],
  ["FlorinMetricsIncomplete", 'florin_collect_errors_total{part="nodes"}', "0+2x60", "3x60"],
]

const minutesOf = (values: string): number => Number(values.split("x").at(-1))

/** The alerts that fire at the end of what a series shows, by promtool's own test of rules. */
const testOf = ([alert, series]: Case, values: string, fires: boolean) => ({
  interval: "1m",
  input_series: [{ series, values }],
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
      eval_time: `${minutesOf(values)}m`,
      exp_samples: fires ? [{ labels: "{}", value: 1 }] : [],
    },
  ],
})

const freePort = () =>
  new Promise<number>((found) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => found(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const Answer = Schema.Struct({
  status: Schema.String,
  data: Schema.Struct({
    result: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          metric: Schema.Record(Schema.String, Schema.String),
          value: Schema.Tuple([Schema.Finite, Schema.String]),
        }),
      ),
    ),
    groups: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          rules: Schema.Array(Schema.Struct({ name: Schema.String, health: Schema.String })),
        }),
      ),
    ),
  }),
})
const decodeAnswer = Schema.decodeUnknownSync(Answer)

const Dashboard = Schema.Struct({
  panels: Schema.Array(
    Schema.Struct({
      targets: Schema.optionalKey(Schema.Array(Schema.Struct({ expr: Schema.String }))),
    }),
  ),
})

/** What every panel asks, of both modes. */
const expressions = () =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Dashboard))(readFileSync(dashboardFile, "utf8"))
    .panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll("$mode", ".*"))

/** A Prometheus that scrapes one process each second, for as long as the work lasts. */
const scraping = async (
  target: string,
  directory: string,
  work: (ask: (path: string) => Promise<typeof Answer.Type>) => Promise<void>,
) => {
  const port = await freePort()
  const config = join(directory, "prometheus.yml")
  const job = { job_name: "florin", static_configs: [{ targets: [target] }] }
  const global = { scrape_interval: "1s", evaluation_interval: "1s" }
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ global, rule_files: [rulesFile], scrape_configs: [job] }))
  const prometheus = spawn(
    "prometheus",
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory, "tsdb")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  )
  const ended = new Promise((done) => {
    prometheus.once("close", done)
  })
  try {
    await work(async (path) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
      return decodeAnswer(await response.json())
    })
  } finally {
    prometheus.kill()
    await ended
  }
}

const timeout = 240_000

describe.skipIf(!Promtool.isInstalled)("under Prometheus", () => {
  it("alert rules are valid", () => {
    Promtool.run(["check", "rules", rulesFile])
  })

  it("each alert fires when it should, and not if all is well", () =>
    Program.inDirectory(async (directory) => {
      assert.sameMembers([...new Set(cases.map(([alert]) => alert))], alerts)
      const file = join(directory, "tests.yml")
      const tests = cases.flatMap((each) => [
        testOf(each, each[2], true),
        testOf(each, each[3], false),
      ])
      writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], tests }))
      Promtool.run(["test", "rules", file])
    }))

  it(
    "a running service is scraped: its metrics are well formed, and rules and panels read them",
    () =>
      Program.inDirectory(async (directory) => {
        const args = "--storage memory --port 0 --operator-port 0 --local-chains 8453".split(" ")
        const { child, ended, said } = await Serving.serve({}, ...args)
        const [, url = ""] = /operator's port is open.* url=(\S+)/u.exec(said.err + said.out) ?? []
        const scraped = await fetch(`${url}/metrics`)
        assert.strictEqual(scraped.status, 200)
        Promtool.run(["check", "metrics"], await scraped.text())
        await scraping(new URL(url).host, directory, async (ask) => {
          const query = async (expr: string) => {
            const { data, status } = await ask(`query?query=${encodeURIComponent(expr)}`)
            assert.strictEqual(status, "success", expr)
            return data.result ?? []
          }
          const isUp = () => query('up{job="florin"} == 1').then(({ length }) => length === 1)
          await Serving.until(() => isUp().catch(() => false))
          const [node] = await query('florin_node_up{mode="test"}')
          assert.strictEqual(node?.value[1], "1")
          assert.strictEqual(node?.metric["chain"], "eip155:8453")
          assert.isNotEmpty(await query("florin_float > 0"))
          for (const expr of expressions()) {
            // oxlint-disable-next-line no-await-in-loop -- one after the other
            await query(expr)
          }
          const areJudged = async () => {
            const { data } = await ask("rules")
            const all = (data.groups ?? []).flatMap(({ rules }) => rules)
            return all.length === alerts.length && all.every(({ health }) => health === "ok")
          }
          await Serving.until(areJudged)
          const firing = await query('ALERTS{alertstate="firing"}')
          assert.deepStrictEqual(
            firing.map(({ metric }) => metric["alertname"]),
            [],
          )
        })
        await Serving.end({ child, ended }, "SIGTERM")
      }),
    timeout,
  )
})
