/**
 * Payouts over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Payouts"
import * as Payouts from "@florin/core/engine/books/Payouts"
import * as Effect from "effect/Effect"
import * as PayoutView from "../views/PayoutView.ts"
import * as Operation from "./Operation.ts"

export const partner = Operation.partner(Contract.group, {
  list: ({ display, query, tenant }) =>
    Effect.map(
      Payouts.list(tenant, query),
      Operation.pageOf((each) => PayoutView.listedPayout(each, display)),
    ),

  get: (call) =>
    Effect.map(Payouts.get(call.tenant, call.param("id")), (payout) =>
      PayoutView.details(payout, call.display),
    ),
})
