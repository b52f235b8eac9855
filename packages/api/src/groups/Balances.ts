/**
 * Balances: what merchants are owed now.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Balance from "../wire/Balance.ts"

export const group = Endpoint.group(
  "balances",
  "What merchants are owed",
  Endpoint.get("list", "/v1/balances", {
    summary: "List what each merchant is owed, by token",
    description:
      "The newest merchant comes first. Deleted merchants with a balance are in the list, too. Balances of zero are left out. `available` is what the next payout can take, `pending` is held back by the operator's limits, `inPayout` is on its way, `reserved` is what refunds took that are not sent, and `debt` is what the merchant owes after refunds, which the next payouts deduct.",
    headers: Headers.common,
    query: Query.balances,
    success: Balance.MerchantPage,
  }),
)
