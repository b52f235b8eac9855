/**
 * Chains and their nodes, where the service stopped sending, and what it spends on gas.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Chain from "../wire/Chain.ts"
import * as Mode from "../wire/Mode.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "chains",
  "Chains and their nodes, where sending stopped, and gas budgets",
  Endpoint.get("list", "/operator/v1/chains", {
    scope: "read",
    summary: "List the chains and the state of their nodes",
    description:
      "Asks each node for its newest block, and compares the blocks that the nodes show at a final height. It takes a few seconds at most.",
    query: Mode.filter,
    success: Chain.List,
  }),
  Endpoint.get("halted", "/operator/v1/chains/halted", {
    scope: "read",
    summary: "List the chains that are stopped",
    description:
      "The service sends no new transaction on a stopped chain. A chain stops if blocks that were final are gone, or if an account of the service sent a transaction that the ledger does not have, for example after a restore from an older backup.",
    query: Mode.filter,
    success: Chain.Halts,
  }),
  Endpoint.post("resume", "/operator/v1/chains/:chainId/resume", {
    scope: "admin",
    action: "chain.resumed",
    summary: "Resume a stopped chain",
    description:
      "Find the cause first: compare the chain's nodes, and reconcile. After a restore, make sure that the ledger has every payout, because a payout that it does not have is paid again. The workers send what waited. Returns the chain in each mode in which it was stopped.",
    params: { chainId: Chain.chainId },
    payload: Schema.Struct(Mode.filter).annotate({ identifier: "ResumeChainRequest" }),
    success: Chain.Halts,
  }),
  Endpoint.get("tokens", "/operator/v1/tokens", {
    scope: "read",
    summary: "List the tokens that the service knows",
    description:
      "Lists each token with its symbol and decimals, also those that are no longer in the settings.",
    success: Chain.Tokens,
  }),
  Endpoint.get("stoppedTokens", "/operator/v1/tokens/stopped", {
    scope: "read",
    summary: "List the tokens that are stopped",
    description:
      "The service sends nothing more of a stopped token. A token stops if a transfer of the service moved something else than its amount.",
    query: Mode.filter,
    success: Chain.Stops,
  }),
  Endpoint.post("resumeToken", "/operator/v1/tokens/resume", {
    scope: "admin",
    action: "asset.resumed",
    summary: "Resume a stopped token",
    description:
      "Find the cause first: a token that keeps a part of each transfer pays every merchant too little. Returns the token in each mode in which it was stopped.",
    payload: Schema.Struct({ asset: Chain.asset, ...Mode.filter }).annotate({
      identifier: "ResumeTokenRequest",
    }),
    success: Chain.Stops,
  }),
  Endpoint.get("gasBudgets", "/operator/v1/chains/gas-budgets", {
    scope: "read",
    summary: "List what each account spent on gas in this hour",
    description: "Lists the accounts on chains with the setting `spendPerHour`.",
    query: Mode.filter,
    success: Chain.Budgets,
  }),
)
