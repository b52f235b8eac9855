/**
 * Renders the alerts of Prometheus, deploy/prometheus/alerts.yml, and their table in docs/observability.md, from the
 * table of findings. A finding without a rule of its own has the one of all others.
 *
 * @module
 */
import * as Findings from "../packages/core/src/engine/status/Findings.ts"

interface Rule {
  readonly alert: string
  /** That of its finding, unless it says otherwise. */
  readonly severity?: Findings.Severity
  readonly means?: string
  readonly expr: string
  readonly for?: string
  readonly summary: string
  readonly runbook: string
}
type Complete = Rule & Required<Pick<Rule, "means" | "severity">>

const limitOf = (tag: Findings.Tag): number => Findings.table[tag].threshold?.value ?? Number.NaN

const onChain = "{{ $labels.chain }} ({{ $labels.mode }})"
const account = `{{ $labels.account }} on ${onChain}`
const lasting = "{{ $value | humanizeDuration }}"
const ofNodes = `Node {{ $labels.node }} of ${onChain}`
const askProvider = "Ask its provider or replace it. See what the others do: florin status"
/** Several processes of one service show the same figures of its storage and chains. */
const most = (series: string): string => `max without (instance, job) (${series})`
const least = (series: string): string => `min without (instance, job) (${series})`

/** The rules of findings that have metrics of their own. */
const rules: { readonly [T in Findings.Tag]?: ReadonlyArray<Rule> } = {
  Unread: [
    {
      alert: "FlorinMetricsIncomplete",
      severity: "ticket",
      means: "figures cannot be read, so other alerts may not fire",
      expr: "increase(florin_collect_errors_total[15m]) > 3",
      for: "15m",
      summary: "{{ $labels.instance }} cannot read {{ $labels.part }}: alerts about it are blind",
      runbook: "A chain or the storage does not answer in time: florin status",
    },
  ],
  ClockOff: [
    {
      alert: "FlorinClockOff",
      expr: `abs(florin_clock_offset_seconds) > ${limitOf("ClockOff")}`,
      for: "2m",
      summary: "The clock of {{ $labels.instance }} is {{ $value }} s off the storage's",
      runbook:
        "Set both clocks by NTP: a process whose clock is more than 1 s off does no work. Check with: florin status",
    },
  ],
  StorageFull: [
    {
      alert: "FlorinStorageDown",
      expr: "florin_storage_up == 0",
      for: "1m",
      summary:
        "{{ $labels.instance }} cannot use its storage: it does not respond, or its disk is full",
      runbook:
        "See that PostgreSQL runs and has space on its disk. Which of the two: florin status",
    },
  ],
  WorkWaits: [
    {
      alert: "FlorinWorkNotDone",
      expr: `${most("florin_due_work_oldest_seconds")} > ${limitOf("WorkWaits")}`,
      for: "5m",
      summary: `{{ $labels.kind }} on {{ $labels.chain }} has been due for ${lasting}`,
      runbook:
        "No worker does this work, or workers cannot keep up. See that one runs: florin serve --role worker. See why work fails: florin status",
    },
  ],
  Stuck: [
    {
      alert: "FlorinMoneyHeld",
      means: "a transfer waits for your decision",
      expr: `${most('florin_stuck{held="true"}')} > 0`,
      summary: `{{ $value }} transfers on ${onChain} are held: {{ $labels.code }}`,
      runbook:
        "List them with reasons: florin stuck. After you fixed the cause: florin payouts retry",
    },
    {
      alert: "FlorinMoneyWaits",
      means: "a transfer has been retried for an hour",
      expr: `${most('florin_stuck_oldest_seconds{held="false"}')} > ${limitOf("Stuck")}`,
      for: "5m",
      summary: `A transfer on ${onChain} has waited for ${lasting}: {{ $labels.code }}`,
      runbook: "List what waits and for what: florin stuck",
    },
  ],
  ChainHalted: [
    {
      alert: "FlorinChainHalted",
      expr: `${most("florin_chain_halted")} == 1`,
      summary: `Nothing is sent on ${onChain}`,
      runbook:
        "See why: florin chains halted. Compare with: florin reconcile. When you know what happened: florin chains resume {{ $labels.chain }}",
    },
  ],
  Unclaimed: [
    {
      alert: "FlorinMoneyUnclaimed",
      means: "money that no payment claims arrived an hour ago",
      expr: `${most("florin_unclaimed")} >= ${limitOf("Unclaimed")}`,
      for: "1h",
      summary: `{{ $value }} {{ $labels.symbol }} on ${onChain} came, and no payment claims it`,
      runbook:
        "See who sent it: florin unclaimed list. Give it back: florin unclaimed return. If you sent it: florin float put",
    },
  ],
  FloatShort: [
    {
      alert: "FlorinFloatShort",
      expr: `${most("florin_float_short")} > 0`,
      for: "15m",
      summary: `${account} lacks {{ $value }} {{ $labels.symbol }} of your own`,
      runbook:
        "See what waits for it: florin float short. Send the token there and book it: florin float put, or move it: florin float move",
    },
  ],
  WebhookLags: [
    {
      alert: "FlorinWebhookFailing",
      expr: `${most("florin_webhook_lag_seconds")} > ${limitOf("WebhookLags")}`,
      for: "5m",
      summary: `Endpoint {{ $labels.endpoint }} is ${lasting} behind`,
      runbook:
        "See whose it is: florin webhooks endpoints list. Tell the partner; it can be stopped with: florin webhooks endpoints disable",
    },
  ],
  GasLow: [
    {
      alert: "FlorinGasLow",
      means: "an account's coin lasts less than a day",
      expr: `${least("florin_relayer_gas_hours")} < ${limitOf("GasLow")} or ${least("florin_relayer_coin")} == 0`,
      for: "10m",
      summary: `${account} runs out of coin for gas`,
      runbook: "See what each account has: florin relayers list. Send coin to the account",
    },
  ],
  NonceGap: [
    {
      alert: "FlorinNonceGap",
      severity: "page",
      expr: `${most("florin_lane_nonce_gaps")} > 0`,
      for: "10m",
      summary: `${account} skipped a nonce: later transactions wait`,
      runbook:
        "Workers fill gaps by themselves. If this stays, see that they run and reach the chain: florin status",
    },
  ],
  BudgetSpent: [
    {
      alert: "FlorinGasBudgetSpent",
      means: "an account spent its `spendPerHour`",
      expr: `${most("florin_gas_budget_spent_ratio")} >= ${limitOf("BudgetSpent")}`,
      for: "5m",
      summary: `${account} spent its gas budget of this hour`,
      runbook:
        "Nothing is collected by it until the next hour. See what it spent: florin relayers list. Raise spendPerHour if this is honest traffic",
    },
  ],
  NodeDown: [
    {
      alert: "FlorinNodeDown",
      expr: `${most("florin_node_up")} == 0`,
      for: "5m",
      summary: `${ofNodes} does not answer`,
      runbook: askProvider,
    },
  ],
  NodeBehind: [
    {
      alert: "FlorinNodeBehind",
      expr: `${least("florin_node_behind_seconds")} > ${limitOf("NodeBehind")}`,
      for: "5m",
      summary: `${ofNodes} is ${lasting} behind`,
      runbook: askProvider,
    },
  ],
  ChainStalled: [
    {
      alert: "FlorinChainStalled",
      expr: `${least("florin_chain_head_age_seconds")} > ${limitOf("ChainStalled")}\nor max without (instance, job, node) (florin_node_up) == 0`,
      for: "5m",
      summary: `No node shows a new block of ${onChain}`,
      runbook:
        "Look at a block explorer: the chain stopped, or all nodes are behind or silent. Payments there wait. See: florin status",
    },
  ],
  NodesDiffer: [
    {
      alert: "FlorinNodesDiffer",
      expr: `${most("florin_nodes_differ")} == 1`,
      for: "2m",
      summary: `Nodes of ${onChain} show different blocks at a final height`,
      runbook:
        "One of them is wrong or lies. Payments there wait, and nothing is paid out. See what each shows: florin status. Compare it with a block explorer, and remove the wrong node",
    },
  ],
  TokenLeftOut: [
    {
      alert: "FlorinTokenStopped",
      expr: `${most("florin_token_left_out")} == 1`,
      for: "5m",
      summary: `{{ $labels.symbol }} on ${onChain} is not offered`,
      runbook:
        "See why and what to do: florin status. Check the token on its chain: florin assets check",
    },
  ],
}

/** The rules of what `florin status` does not see. */
const others: ReadonlyArray<Complete> = [
  {
    alert: "FlorinDown",
    severity: "page",
    means: "a process does not respond to scrapes",
    expr: 'up{job="florin"} == 0',
    for: "2m",
    summary: "{{ $labels.instance }} does not respond to scrapes",
    runbook: "Start the process again and read its log; then run: florin doctor",
  },
  {
    alert: "FlorinServerErrors",
    severity: "page",
    means: "more than 1 % of an operation's requests fail",
    expr: 'sum by (operation) (rate(florin_http_requests_total{status=~"5..",operation!="/readyz"}[5m]))\n  / sum by (operation) (rate(florin_http_requests_total{operation!="/readyz"}[5m])) > 0.01',
    for: "5m",
    summary: "{{ $value | humanizePercentage }} of {{ $labels.operation }} fail",
    runbook:
      "Read the request log for status 5xx: a defect is in its line. Then run: florin doctor",
  },
  {
    alert: "FlorinReconcileDifference",
    severity: "page",
    means: "a chain holds less than the ledger says",
    expr: `${least("florin_reconcile_difference")} < 0`,
    for: "3m",
    summary: `${account} holds {{ $value }} {{ $labels.symbol }} less than the ledger says`,
    runbook:
      "Compare again: florin reconcile. If you took the money, book it: florin float take. If not, stop the workers and find out who has the keys",
  },
  {
    alert: "FlorinReconcileStale",
    severity: "ticket",
    means: "ledger and chains were not compared for 3 hours",
    expr: `time() - ${most("florin_reconcile_timestamp_seconds")} > 10800`,
    for: "5m",
    summary: `The {{ $labels.mode }} ledger was last compared with the chains ${lasting} ago`,
    runbook: "See that a worker runs and reaches every chain; compare by hand: florin reconcile",
  },
  {
    alert: "FlorinFailureBudgetSpent",
    severity: "ticket",
    means: "many options are refused because collects failed",
    expr: "sum without (instance, job) (increase(florin_failure_budget_refusals_total[1h])) > 100",
    summary:
      "{{ $value | humanize }} options were refused in an hour because a {{ $labels.budget }}'s collects failed",
    runbook:
      "Accounts with code burn your gas. See which payments failed: florin payments list. Budgets are set with: florin serve --failure-budgets",
  },
]

const isRed = (tag: Findings.Tag): boolean => Findings.table[tag].severity !== "note"
const withoutRule = Findings.tags.filter((tag) => rules[tag] === undefined && isRed(tag))

const ofTheRest: Complete = {
  alert: "FlorinFinding",
  severity: "ticket",
  means: withoutRule.map((tag) => Findings.table[tag].means).join("; or "),
  expr: `${most(`florin_findings{finding=~"${withoutRule.map(Findings.nameOf).join("|")}"}`)} > 0`,
  for: "5m",
  summary: "florin status finds {{ $labels.finding }}",
  runbook: "See what it is and what helps: florin status",
}

const complete = (tag: Findings.Tag, rule: Rule): Complete => {
  const { means, severity } = Findings.table[tag]
  return { means, severity, ...rule }
}

/** Every alert; those that need a person immediately come first. */
export const all: ReadonlyArray<Complete> = [
  ...others,
  ...Findings.tags.flatMap((tag) => (rules[tag] ?? []).map((rule) => complete(tag, rule))),
  ofTheRest,
].toSorted((left, right) => left.severity.localeCompare(right.severity))

/** The alerts of a finding. */
export const namesOf = (tag: Findings.Tag): ReadonlyArray<string> =>
  rules[tag]?.map(({ alert }) => alert) ?? (isRed(tag) ? [ofTheRest.alert] : [])

const exprOf = (expr: string): string =>
  expr.includes("\n") ? `|\n          ${expr.replaceAll("\n", "\n          ")}` : expr

const yamlOf = ({ alert, expr, runbook, severity, summary, ...rule }: Complete): string =>
  [
    `      - alert: ${alert}`,
    `        expr: ${exprOf(expr)}`,
    ...(rule.for === undefined ? [] : [`        for: ${rule.for}`]),
    `        labels: { severity: ${severity} }`,
    "        annotations:",
    `          summary: ${JSON.stringify(summary)}`,
    `          runbook: ${JSON.stringify(runbook)}`,
    "",
  ].join("\n")

export const render =
  (): string => `# Alerts for Florin: one for each thing that needs a person. docs/observability.md says how to use them.
# Generated by scripts/alerts.ts from the table of findings: edit that instead.
#
# Several processes of one service show the same figures of its storage and chains, so alerts leave out which one did.
groups:
  - name: florin
    rules:
${all.map(yamlOf).join("\n")}`

/** The line for the panel of a metric: what a rule compares it with; null if no rule does so, or only with 0. */
export const lineOf = (
  metric: string,
): { readonly isBelow: boolean; readonly value: number } | null => {
  const compared = new RegExp(String.raw`\b${metric}(?:\{[^}]*\})?\)* (<|>=?|==) ([\d.]+)`, "u")
  for (const { expr } of all) {
    const [, is, value] = compared.exec(expr) ?? []
    if (Number(value) > 0) return { isBelow: is === "<", value: Number(value) }
  }
  return null
}
