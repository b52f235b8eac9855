/**
 * Payouts: what merchants were paid, and what is on its way to them.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Payout from "../wire/Payout.ts"
import * as Text from "../wire/Text.ts"

export const list = HttpApiEndpoint.get("list", "/v1/payouts", {
  headers: Headers.common,
  query: Query.payouts,
  success: Payout.Page,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List payouts to merchants, newest first")
  .annotate(
    OpenApi.Description,
    "A payout is one transfer to a merchant's destination, and pays the shares of one or more payments.",
  )

export const get = HttpApiEndpoint.get("get", "/v1/payouts/:id", {
  params: { id: Text.payoutId.annotate({ description: "The payout's id" }) },
  headers: Headers.common,
  success: Payout.Details,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Get a payout and its payments")
  .annotate(
    OpenApi.Description,
    "Lists for each of its payments the part of the payout that is for it, and the part of its share that paid off earlier refunds.",
  )

export const group = HttpApiGroup.make("payouts")
  .add(list, get)
  .annotate(OpenApi.Description, "Payouts: transfers to merchants")
