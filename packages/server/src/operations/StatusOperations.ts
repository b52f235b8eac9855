/**
 * What needs the operator, over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Status"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Status from "@florin/core/engine/status/Status"
import * as Stuck from "@florin/core/engine/status/Stuck"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ChainView from "../views/ChainView.ts"
import * as StatusView from "../views/StatusView.ts"
import * as TimeView from "../views/TimeView.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

export const operator = Operation.operator(Contract.group, {
  get: ({ display }) =>
    Effect.map(Status.look(), (status) => StatusView.status(status, display.catalog)),

  stuck: Effect.fnUntraced(function* ({ display, query }) {
    const stuck = yield* Read.inModes(query, (mode) =>
      Effect.gen(function* () {
        const chains = yield* Lanes.listHalted(mode)
        const tokens = yield* Lanes.stoppedTokens(mode)
        const money = yield* Stuck.list(mode)
        const unclaimed = yield* Inflows.list(mode)
        return [
          ...chains.map((each) => StatusView.halt(ChainView.halt(mode, each, display.catalog))),
          ...tokens.map((each) => StatusView.stop(ChainView.stop(mode, each, display.catalog))),
          ...money.map((each) => StatusView.money(each, display)),
          ...unclaimed.flatMap((each) => StatusView.unclaimed(each, display)),
        ]
      }),
    )
    return { at: TimeView.iso(yield* Clock.currentTimeMillis), stuck }
  }),
})
