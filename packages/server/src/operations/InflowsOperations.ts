/**
 * Unclaimed money over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Inflows"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as Effect from "effect/Effect"
import * as InflowView from "../views/InflowView.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"
import * as Records from "./Records.ts"

export const operator = Operation.operator(Contract.group, {
  list: Effect.fnUntraced(function* ({ display, query }) {
    const found = yield* Read.inModes(query, (mode) =>
      Effect.map(Inflows.list(mode), (all) => [{ mode, all }]),
    )
    return {
      inflows: found.flatMap(({ all }) =>
        all.flatMap(({ transfers }) => transfers.map((each) => InflowView.inflow(each, display))),
      ),
      others: found.flatMap(({ all, mode }) => InflowView.sums(mode, all, display)),
    }
  }),

  find: Effect.fnUntraced(function* ({ display, param }) {
    const found = yield* Inflows.broughtBy(param("txId"))
    return { inflows: found.map((each) => InflowView.inflow(each, display)) }
  }),

  return: Effect.fnUntraced(function* (call) {
    const outflowId = yield* Inflows.giveBack(yield* Read.idOfInflow(call))
    return yield* Records.outflow(outflowId, call.display)
  }),
})
