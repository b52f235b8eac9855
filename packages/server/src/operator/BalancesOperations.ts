/**
 * Balances over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Balances"
import * as Balances from "@florin/core/engine/Balances"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as BalanceView from "../views/BalanceView.ts"
import * as Read from "./Read.ts"

export const operations = Operation.operator(Contract.group, {
  list: Effect.fnUntraced(function* ({ display, query }) {
    const found = yield* Effect.forEach(Read.modes(query), Balances.look, {
      concurrency: "unbounded",
    })
    return Operation.ok({
      accounts: found.flatMap((each) => BalanceView.accounts(each, display)),
      tokens: found.flatMap((each) => BalanceView.tokens(each, display)),
    })
  }),
})
