/**
 * Balances: what merchants are owed now.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Balance from "../wire/Balance.ts"

export const list = HttpApiEndpoint.get("list", "/v1/balances", {
  headers: Headers.common,
  query: Query.balances,
  success: Balance.MerchantPage,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List what each merchant is owed, by token")
  .annotate(
    OpenApi.Description,
    "Lists the merchants with a balance, newest first, deleted ones too. Balances of zero are left out.",
  )

export const group = HttpApiGroup.make("balances")
  .add(list)
  .annotate(OpenApi.Description, "What merchants are owed")
