/**
 * Merchants: who is paid.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Merchant from "../wire/Merchant.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Statement from "../wire/Statement.ts"
import * as Text from "../wire/Text.ts"

const params = { merchantId: Text.merchantId.annotate({ description: "The merchant's id" }) }
const headers = Headers.common

export const create = HttpApiEndpoint.post("create", "/v1/merchants", {
  headers: Headers.createOnce,
  payload: Merchant.CreateRequest,
  success: Merchant.Response.pipe(HttpApiSchema.status(201)),
  error: Problem.errors("missing_idempotency_key", "idempotency_conflict"),
})
  .annotate(OpenApi.Summary, "Create a merchant")
  .annotate(
    OpenApi.Description,
    "A repeated call with the same `Idempotency-Key` returns the same merchant.",
  )

export const list = HttpApiEndpoint.get("list", "/v1/merchants", {
  headers,
  query: Query.merchants,
  success: Merchant.Page,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List merchants")
  .annotate(
    OpenApi.Description,
    "Lists the merchants that are not deleted. `search` finds a part of a name or of an id, ignoring case.",
  )

export const get = HttpApiEndpoint.get("get", "/v1/merchants/:merchantId", {
  params,
  headers,
  success: Merchant.ProfileResponse,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Get a merchant and its settlement destinations")
  .annotate(
    OpenApi.Description,
    "Returns the profile of a merchant and the destinations of its money.",
  )

export const update = HttpApiEndpoint.patch("update", "/v1/merchants/:merchantId", {
  params,
  headers,
  payload: Merchant.UpdateRequest,
  success: Merchant.Response,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Update a merchant")
  .annotate(
    OpenApi.Description,
    "Only the given members change. Null removes a member that can be empty. At least one member is needed.",
  )

export const remove = HttpApiEndpoint.delete("remove", "/v1/merchants/:merchantId", {
  params,
  headers,
  success: Settlement.Deleted,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Delete a merchant. Its payments are kept")
  .annotate(
    OpenApi.Description,
    "A deleted merchant is in no list and takes no new payments. Its payments can still be read, and are still paid out. Deleting it again returns the same response.",
  )

export const statement = HttpApiEndpoint.get("statement", "/v1/merchants/:merchantId/statement", {
  params,
  headers,
  query: Query.statement,
  success: Statement.Statement,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Get a merchant's statement for a period")
  .annotate(
    OpenApi.Description,
    "Shows for each token what the merchant was owed when the period began, every change in it, and what it was owed at the end.",
  )

export const group = HttpApiGroup.make("merchants")
  .add(create, list, get, update, remove, statement)
  .annotate(OpenApi.Description, "Merchants, who receive payments")
