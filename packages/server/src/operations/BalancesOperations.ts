/**
 * Balances of merchants, and of the service's accounts, over HTTP.
 *
 * @module
 */
import * as OfPartner from "@florin/api/groups/Balances"
import * as OfOperator from "@florin/api/operator/Balances"
import * as Balances from "@florin/core/engine/books/Balances"
import * as MerchantBalances from "@florin/core/engine/books/MerchantBalances"
import * as Effect from "effect/Effect"
import * as BalanceView from "../views/BalanceView.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

export const partner = Operation.partner(OfPartner.group, {
  list: ({ display, query, tenant }) =>
    Effect.map(MerchantBalances.list(tenant, query), (page) =>
      BalanceView.merchants(page, display),
    ),
})

export const operator = Operation.operator(OfOperator.group, {
  list: Effect.fnUntraced(function* ({ display, query }) {
    const found = yield* Effect.forEach(Read.modes(query), Balances.look, {
      concurrency: "unbounded",
    })
    return {
      accounts: found.flatMap((each) => BalanceView.accounts(each, display)),
      tokens: found.flatMap((each) => BalanceView.tokens(each, display)),
    }
  }),
})
