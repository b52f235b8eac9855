/**
 * Balances of merchants over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Balances"
import * as MerchantBalances from "@florin/core/engine/MerchantBalances"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as BalanceView from "../views/BalanceView.ts"

export const operations = Operation.partner(Contract.group, {
  list: ({ display, query, tenant }) =>
    Effect.map(MerchantBalances.list(tenant, query), (page) =>
      Operation.ok(BalanceView.merchants(page, display)),
    ),
})
