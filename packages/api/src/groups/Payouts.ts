/**
 * Payouts: what merchants were paid, and what is on its way to them.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Payout from "../wire/Payout.ts"
import * as Text from "../wire/Text.ts"

export const group = Endpoint.group(
  "payouts",
  "Payouts: transfers to merchants",
  Endpoint.get("list", "/v1/payouts", {
    summary: "List payouts to merchants, newest first",
    description:
      "A payout is one transfer to a merchant's destination, and pays the shares of one or more payments.",
    headers: Headers.common,
    query: Query.payouts,
    success: Payout.Page,
  }),
  Endpoint.get("get", "/v1/payouts/:id", {
    summary: "Get a payout and its payments",
    description:
      "Lists for each of its payments the part of the payout that is for it, and the part of its share that paid off earlier refunds.",
    params: { id: Text.payoutId.annotate({ description: "The payout's id" }) },
    headers: Headers.common,
    success: Payout.Details,
    refusals: ["not_found"],
  }),
)
