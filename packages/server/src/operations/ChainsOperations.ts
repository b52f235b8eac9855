/**
 * Chains with their nodes, stopped chains and tokens, and gas budgets, over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Chains"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as ChainHealth from "@florin/core/engine/chain/ChainHealth"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Relaying from "@florin/core/engine/chain/Relaying"
import { Chains } from "@florin/core/ports/Chain"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ChainView from "../views/ChainView.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

export const operator = Operation.operator(Contract.group, {
  list: Effect.fnUntraced(function* ({ display: { catalog }, query }) {
    const ports = yield* Chains
    const chains = yield* Read.inModes(query, (mode) => {
      const served = ports.of(mode)
      return Effect.forEach(
        served.chainIds,
        (chainId) =>
          Effect.map(ChainHealth.nodes(served, chainId), (found) =>
            ChainView.chain(mode, chainId, found, catalog),
          ),
        { concurrency: "unbounded" },
      )
    })
    return { chains }
  }),

  halted: Effect.fnUntraced(function* ({ display: { catalog }, query }) {
    const chains = yield* Read.inModes(query, (mode) =>
      Effect.map(Lanes.listHalted(mode), (all) =>
        all.map((each) => ChainView.halt(mode, each, catalog)),
      ),
    )
    return { chains }
  }),

  resume: Effect.fnUntraced(function* ({ display: { catalog }, param }, body) {
    const named = param("chainId")
    // A chain that the service no longer serves may still be stopped.
    const halted = yield* Read.inModes({}, Lanes.listHalted)
    const known = new Set([...catalog.networks, ...halted].map((each) => each.chainId))
    const matches = [...known].filter((each) => each === named || Caip.referenceOf(each) === named)
    const [chainId] = matches
    if (chainId === undefined || matches.length > 1) {
      return yield* Invalid.of(
        "chainId",
        "must be a chain that the service knows, such as eip155:8453",
      )
    }
    const chains = yield* Read.inModes(body, (mode) =>
      Effect.gen(function* () {
        const halt = (yield* Lanes.listHalted(mode)).find((each) => each.chainId === chainId)
        // Another process may have resumed it in the meantime.
        const isResumed = halt !== undefined && (yield* Lanes.resume(mode, chainId))
        return isResumed ? [ChainView.halt(mode, halt, catalog)] : []
      }),
    )
    return { chains }
  }),

  tokens: ({ display: { catalog } }) =>
    Effect.succeed({ tokens: catalog.assets.map((each) => ChainView.token(each, catalog)) }),

  stoppedTokens: Effect.fnUntraced(function* ({ display: { catalog }, query }) {
    const tokens = yield* Read.inModes(query, (mode) =>
      Effect.map(Lanes.stoppedTokens(mode), (all) =>
        all.map((each) => ChainView.stop(mode, each, catalog)),
      ),
    )
    return { tokens }
  }),

  resumeToken: Effect.fnUntraced(function* ({ display: { catalog } }, { asset, ...filter }) {
    const token = yield* Effect.fromResult(Read.asset("asset", asset, catalog))
    const tokens = yield* Read.inModes(filter, (mode) =>
      Effect.gen(function* () {
        const all = yield* Lanes.stoppedTokens(mode)
        const stop = all.find((each) => Caip.sameToken(each.token, token))
        const isResumed = stop !== undefined && (yield* Lanes.resumeToken(mode, token))
        return isResumed ? [ChainView.stop(mode, stop, catalog)] : []
      }),
    )
    return { tokens }
  }),

  gasBudgets: Effect.fnUntraced(function* ({ display: { catalog }, query }) {
    const now = yield* Clock.currentTimeMillis
    const budgets = yield* Read.inModes(query, (mode) =>
      Effect.map(Relaying.gasBudgets(mode, now), (all) =>
        all.map((each) => ChainView.budget(mode, each, catalog)),
      ),
    )
    return { budgets }
  }),
})
