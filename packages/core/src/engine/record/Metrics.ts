/**
 * Every metric of the service: one table of names, types, meanings and labels. docs/metrics.md is generated from it.
 *
 * The code counts events where they happen. A scrape of the server, or a worker, sets figures that must be looked up, such
 * as a balance. Labels have few values, none of which comes from a payer: no ids of payments, no URLs, and no addresses
 * except those of our own accounts.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Caip from "../../domain/chain/Caip.ts"
import type * as Catalog from "../../domain/chain/Catalog.ts"
import * as Family from "../../domain/chain/Family.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as Change from "../../domain/payment/Change.ts"
import * as Payment from "../../domain/payment/Payment.ts"

export interface Definition {
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly labels: ReadonlyArray<string>
  /** The upper bounds of a histogram's buckets. */
  readonly bounds?: ReadonlyArray<number>
}

const counter = <const L extends ReadonlyArray<string>>(labels: L, help: string) =>
  ({ type: "counter", labels, help }) as const
const gauge = <const L extends ReadonlyArray<string>>(labels: L, help: string) =>
  ({ type: "gauge", labels, help }) as const
const histogram = <const L extends ReadonlyArray<string>>(
  labels: L,
  bounds: ReadonlyArray<number>,
  help: string,
) => ({ type: "histogram", labels, bounds, help }) as const

const onChain = ["mode", "chain"] as const
const ofToken = [...onChain, "symbol", "token"] as const
const ofAccount = [...onChain, "account"] as const
const ofHolding = [...ofToken, "account"] as const

const responseBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const stateBounds = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400, 604_800]

export const table = {
  florin_http_requests_total: counter(
    ["operation", "status"],
    "Requests by operation and HTTP status. The operation of a page is its path. For an unknown path it is none.",
  ),
  florin_http_request_duration_seconds: histogram(
    ["operation"],
    responseBounds,
    "Duration of requests, including long polls.",
  ),
  florin_parked_polls: gauge([], "Long polls that wait in this process."),
  florin_confirms_total: counter(
    ["mode", "outcome"],
    "Confirms by outcome: accepted, repeated, declined by screening, or why they were refused.",
  ),
  florin_payment_state_seconds: histogram(
    ["mode", "state", "next"],
    stateBounds,
    "Time that payments spent in a state, by the next state. From succeeded to settled is the wait for the payout.",
  ),
  florin_failure_budget_refusals_total: counter(
    ["mode", "budget"],
    "Options and confirms that were refused because a budget for failed collects, or for the gas of refunds, was used up.",
  ),
  florin_work_total: counter(
    ["kind", "outcome"],
    "Pieces of work that a worker of this process finished (done), or that failed and were postponed (failed).",
  ),
  florin_due_work: gauge(
    ["kind", "chain"],
    "Due work that no worker has leased, up to 10,000 of each kind. The chain is - for work that needs no chain.",
  ),
  florin_due_work_oldest_seconds: gauge(
    ["kind", "chain"],
    "How long the oldest due work has been due. It grows if no worker runs or workers cannot keep up.",
  ),
  florin_webhook_attempts_total: counter(
    ["endpoint", "outcome"],
    "Calls of webhook endpoints by outcome: delivered or failed.",
  ),
  florin_webhook_pending: gauge(
    ["endpoint"],
    "Deliveries that were not made yet, up to 1,000. No value if nothing waits.",
  ),
  florin_webhook_lag_seconds: gauge(
    ["endpoint"],
    "Age of the oldest event that was not delivered to an endpoint yet. No value if nothing waits.",
  ),
  florin_outflows: gauge(
    [...onChain, "purpose", "state"],
    "Number of outgoing transfers that are waiting, sent or held.",
  ),
  florin_stuck: gauge(
    [...onChain, "code", "held"],
    "Stuck transfers, by reason. held is true if a person must act.",
  ),
  florin_stuck_oldest_seconds: gauge(
    [...onChain, "code", "held"],
    "How long the oldest stuck money has been stuck.",
  ),
  florin_owed: gauge(
    ofHolding,
    "Amount that is owed from an account of the service, in units of the token.",
  ),
  florin_float: gauge(
    ofHolding,
    "Amount that an account of the service holds beyond what is owed from it, in units of the token.",
  ),
  florin_float_short: gauge(
    ofHolding,
    "Amount of float that an account lacks for waiting transfers, in units of the token.",
  ),
  florin_unclaimed: gauge(
    ofToken,
    "Amount that arrived on accounts of the service and that no payment claims, in units of the token. It waits in suspense.",
  ),
  florin_debt: gauge(ofToken, "Amount that merchants owe after refunds, in units of the token."),
  florin_reconcile_difference: gauge(
    ofHolding,
    "Balance on the chain minus balance in the ledger, at the last comparison, in units of the token.",
  ),
  florin_reconcile_timestamp_seconds: gauge(
    ["mode"],
    "Unix time at which this process last compared the ledger with the chains.",
  ),
  florin_chain_halted: gauge(
    onChain,
    "1 if nothing is sent on a chain until an operator resumes it.",
  ),
  florin_chain_head_age_seconds: gauge(onChain, "Age of the newest block that any node shows."),
  florin_node_up: gauge(
    [...onChain, "node"],
    "1 if a node responds. Nodes are numbered from 1 in the order of their configuration.",
  ),
  florin_node_behind_seconds: gauge(
    [...onChain, "node"],
    "How much older a node's newest block is than the newest block of all nodes of its chain.",
  ),
  florin_nodes_differ: gauge(
    onChain,
    "1 if nodes of a chain show different blocks at the same final height: at least one of them is wrong.",
  ),
  florin_token_left_out: gauge(
    ofToken,
    "1 for a token that should be offered but is not, for example because it is paused.",
  ),
  florin_relayer_coin: gauge(
    ofAccount,
    "Coin that an account of the service has for gas, in whole coins.",
  ),
  florin_relayer_gas_hours: gauge(
    ofAccount,
    "Hours that this coin lasts if each costs as much as the last hour in which the account sent something. No value if it never sent anything.",
  ),
  florin_gas_budget_spent_ratio: gauge(
    ofAccount,
    "Share of spendPerHour that an account used in the current clock hour.",
  ),
  florin_lane_waiting_transactions: gauge(
    ofAccount,
    "Transactions of an account that are signed but not mined.",
  ),
  florin_lane_nonce_gaps: gauge(
    ofAccount,
    "Skipped nonces of an account. Later transactions wait until these nonces are filled.",
  ),
  florin_storage_up: gauge([], "1 if the storage responds and has space on its disk."),
  florin_clock_offset_seconds: gauge(
    [],
    "How far the clock of this process is ahead of the storage's. Negative if it is behind.",
  ),
  florin_findings: gauge(
    ["finding", "severity"],
    "Findings of florin status that need a person, by kind. severity is page or ticket.",
  ),
  florin_collect_errors_total: counter(
    ["part"],
    "Reads for these metrics that failed or took too long. Their figures are left out.",
  ),
} satisfies { readonly [name: string]: Definition }

type Table = typeof table
type Named<T extends Definition["type"]> = {
  [N in keyof Table]: Table[N]["type"] extends T ? N : never
}[keyof Table]
export type GaugeName = Named<"gauge">
export type Labels<N extends keyof Table> = {
  readonly [L in Table[N]["labels"][number]]: string
}

/** One series of a counter. */
export const counterOf = <N extends Named<"counter">>(name: N, attributes: Labels<N>) =>
  Metric.counter(name, { description: table[name].help, incremental: true, attributes })

/** One series of a gauge. */
export const gaugeOf = <N extends Named<"gauge">>(name: N, attributes: Labels<N>) =>
  Metric.gauge(name, { description: table[name].help, attributes })

/** One series of a histogram. */
export const histogramOf = <N extends Named<"histogram">>(name: N, attributes: Labels<N>) =>
  Metric.histogram(name, {
    description: table[name].help,
    boundaries: table[name].bounds,
    attributes,
  })

/** A value of a gauge that was looked up. */
export interface Figure {
  readonly gauge: Metric.Gauge<number>
  readonly value: number
}

export const figure = <N extends GaugeName>(name: N, labels: Labels<N>, value: number): Figure => ({
  gauge: gaugeOf(name, labels),
  value,
})

/** Counts one more. */
export const count = <N extends Named<"counter">>(
  name: N,
  labels: Labels<N>,
): Effect.Effect<void> => Metric.update(counterOf(name, labels), 1)

/** The name of an error, as a label. */
export const labelOf = (tag: string): string =>
  tag.replaceAll(/(?<=.)[A-Z]/gu, (letter) => `_${letter}`).toLowerCase()

/** The labels of a token. */
export const tokenLabels = (mode: Mode.Mode, token: Caip.Token, catalog: Catalog.Catalog) => ({
  mode,
  chain: token.chainId,
  symbol: catalog.find(token)?.symbol ?? "unknown",
  token: Family.formatToken(catalog, token),
})

/** A quantity in units of its token, as exact as a graph needs. */
export const units = (quantity: bigint, token: Caip.Token, catalog: Catalog.Catalog): number =>
  Number(quantity) / 10 ** (catalog.find(token)?.decimals ?? 0)

/** The state that a change ended, how long it lasted, and what followed; null if it ended none. */
const endedBy = ({ event, payment }: Change.Change) => {
  const confirmedAt = Payment.attemptOf(payment)?.confirmedAt
  const { createdAt, state, updatedAt } = payment
  switch (event) {
    case "payment.processing":
    case "payment.expired":
    case "payment.cancelled":
      return { state: "requires_action", since: createdAt, until: confirmedAt ?? updatedAt }
    case "payment.succeeded":
    case "payment.failed":
      return confirmedAt === undefined
        ? { state: "requires_action", since: createdAt, until: updatedAt }
        : { state: "processing", since: confirmedAt, until: updatedAt }
    case "payment.settled":
      return state._tag === "Succeeded"
        ? { state: "succeeded", since: state.succeededAt, until: updatedAt }
        : null
    default:
      return null
  }
}

/** Notes how long payments were in the states that written changes ended. */
export const recordChanges = Effect.fnUntraced(function* (changes: ReadonlyArray<Change.Change>) {
  for (const change of changes) {
    const ended = endedBy(change)
    if (ended === null || change.event === undefined) continue
    const { since, state, until } = ended
    const next = change.event.slice("payment.".length)
    const { mode } = change.payment
    yield* Metric.update(
      histogramOf("florin_payment_state_seconds", { mode, state, next }),
      Math.max(0, until - since) / 1000,
    )
  }
})
