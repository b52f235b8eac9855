/**
 * Chains as the operator's API shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Chain"
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as ChainHealth from "@florin/core/engine/chain/ChainHealth"
import type * as Lanes from "@florin/core/engine/chain/Lanes"
import type * as Relaying from "@florin/core/engine/chain/Relaying"
import type * as Effect from "effect/Effect"
import * as TimeView from "./TimeView.ts"

type Listed<
  F extends (mode: Mode.Mode) => Effect.Effect<ReadonlyArray<unknown>, unknown, unknown>,
> = Effect.Success<ReturnType<F>>[number]

export const chain = (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  { differing, headAgeInMs, nodes }: ChainHealth.Nodes,
  catalog: Catalog.Catalog,
): Wire.List["chains"][number] => ({
  mode,
  chainId,
  networkName: catalog.network(chainId)?.name ?? null,
  headAgeMs: headAgeInMs,
  doNodesAgree: differing === null,
  nodes: nodes.map(({ behindInMs, health }) => ({
    host: health.host ?? null,
    headBlock: health.newestBlock ?? null,
    behindMs: behindInMs,
    finalBlock: health.finalBlock?.hash ?? null,
    error: health.error ?? null,
  })),
})

export const halt = (
  mode: Mode.Mode,
  { chainId, haltedAt, reason }: Listed<typeof Lanes.listHalted>,
  catalog: Catalog.Catalog,
): Wire.Halts["chains"][number] => ({
  mode,
  chainId,
  networkName: catalog.network(chainId)?.name ?? null,
  reason,
  haltedAt: TimeView.iso(haltedAt),
})

export const stop = (
  mode: Mode.Mode,
  { reason, stoppedAt, token }: Listed<typeof Lanes.stoppedTokens>,
  catalog: Catalog.Catalog,
): Wire.Stops["tokens"][number] => ({
  mode,
  asset: Family.formatToken(catalog, token),
  symbol: catalog.find(token)?.symbol ?? null,
  networkName: catalog.network(token.chainId)?.name ?? null,
  reason,
  stoppedAt: TimeView.iso(stoppedAt),
})

export const token = (
  { decimals, symbol, token: of }: Catalog.Catalog["assets"][number],
  catalog: Catalog.Catalog,
): Wire.Tokens["tokens"][number] => ({
  asset: Family.formatToken(catalog, of),
  symbol,
  decimals,
  networkName: catalog.network(of.chainId)?.name ?? null,
  isServed: catalog.served(of) !== undefined,
})

export const budget = (
  mode: Mode.Mode,
  { account, isSpent, limit, spent, spentForCode }: Relaying.GasBudget,
  known: Family.Known,
): Wire.Budgets["budgets"][number] => ({
  mode,
  account: Family.formatAccount(known, account),
  limit: limit.toString(),
  spent: spent.toString(),
  spentForCode: spentForCode.toString(),
  isSpent,
})
