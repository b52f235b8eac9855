/**
 * Chains and their nodes, where the service stopped sending, and what it spends on gas.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Problem from "../Problem.ts"
import * as Chain from "../wire/Chain.ts"
import * as Mode from "../wire/Mode.ts"
import * as Endpoint from "./Endpoint.ts"

const list = HttpApiEndpoint.get("list", "/operator/v1/chains", {
  query: Mode.filter,
  success: Chain.List,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List the chains and the state of their nodes",
    description:
      "Asks each node for its newest block, and compares the blocks that the nodes show at a final height. It takes a few seconds at most.",
  }),
)

const halted = HttpApiEndpoint.get("halted", "/operator/v1/chains/halted", {
  query: Mode.filter,
  success: Chain.Halts,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List the chains that are stopped",
    description:
      "The service sends no new transaction on a stopped chain. A chain stops if blocks that were final are gone, or if an account of the service sent a transaction that the ledger does not have, for example after a restore from an older backup.",
  }),
)

const resume = HttpApiEndpoint.post("resume", "/operator/v1/chains/:chainId/resume", {
  params: { chainId: Chain.chainId },
  payload: Schema.Struct(Mode.filter).annotate({ identifier: "ResumeChainRequest" }),
  success: Chain.Halts,
  error: Problem.errors(),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "chain.resumed",
    summary: "Resume a stopped chain",
    description:
      "Find the cause first: compare the chain's nodes, and reconcile. After a restore, make sure that the ledger has every payout, because a payout that it does not have is paid again. The workers send what waited. Returns the chain in each mode in which it was stopped.",
  }),
)

const tokens = HttpApiEndpoint.get("tokens", "/operator/v1/tokens", {
  success: Chain.Tokens,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List the tokens that the service knows",
    description:
      "Lists each token with its symbol and decimals, also those that are no longer in the settings.",
  }),
)

const stoppedTokens = HttpApiEndpoint.get("stoppedTokens", "/operator/v1/tokens/stopped", {
  query: Mode.filter,
  success: Chain.Stops,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List the tokens that are stopped",
    description:
      "The service sends nothing more of a stopped token. A token stops if a transfer of the service moved something else than its amount.",
  }),
)

const resumeToken = HttpApiEndpoint.post("resumeToken", "/operator/v1/tokens/resume", {
  payload: Schema.Struct({ asset: Chain.asset, ...Mode.filter }).annotate({
    identifier: "ResumeTokenRequest",
  }),
  success: Chain.Stops,
  error: Problem.errors(),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "asset.resumed",
    summary: "Resume a stopped token",
    description:
      "Find the cause first: a token that keeps a part of each transfer pays every merchant too little. Returns the token in each mode in which it was stopped.",
  }),
)

const gasBudgets = HttpApiEndpoint.get("gasBudgets", "/operator/v1/chains/gas-budgets", {
  query: Mode.filter,
  success: Chain.Budgets,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List what each account spent on gas in this hour",
    description: "Lists the accounts on chains with the setting `spendPerHour`.",
  }),
)

export const group = Endpoint.group(
  "chains",
  "Chains and their nodes, where sending stopped, and gas budgets",
  list,
  halted,
  resume,
  tokens,
  stoppedTokens,
  resumeToken,
  gasBudgets,
)
