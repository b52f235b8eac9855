/**
 * Unclaimed money over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Inflows"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import * as Inflows from "@florin/core/engine/Inflows"
import { OutflowStore, findOutflow } from "@florin/core/ports/OutflowStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as InflowView from "../views/InflowView.ts"
import * as OutflowView from "../views/OutflowView.ts"
import * as Read from "./Read.ts"

const isInflowId = Schema.is(InflowId.InflowId)

export const operations = Operation.operator(Contract.group, {
  list: Effect.fnUntraced(function* ({ display, query }) {
    const found = yield* Read.inModes(query, (mode) =>
      Effect.map(Inflows.list(mode), (all) => [{ mode, all }]),
    )
    return Operation.ok({
      inflows: found.flatMap(({ all }) =>
        all.flatMap(({ transfers }) => transfers.map((each) => InflowView.inflow(each, display))),
      ),
      others: found.flatMap(({ all, mode }) => InflowView.sums(mode, all, display)),
    })
  }),

  find: Effect.fnUntraced(function* ({ display, param }) {
    const found = yield* Inflows.broughtBy(param("txId"))
    return Operation.ok({ inflows: found.map((each) => InflowView.inflow(each, display)) })
  }),

  return: Effect.fnUntraced(function* (call) {
    const outflowId = yield* Inflows.giveBack(
      yield* Read.idInPath(call, "inflowId", isInflowId, "inflow"),
    )
    const outflow = yield* findOutflow(yield* OutflowStore, outflowId)
    return { status: 201, body: yield* OutflowView.outflow(outflow, call.display) }
  }),
})
