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
}).annotate(OpenApi.Summary, "Create a merchant")

export const list = HttpApiEndpoint.get("list", "/v1/merchants", {
  headers,
  query: Query.merchants,
  success: Merchant.Page,
  error: Problem.errors(),
}).annotate(OpenApi.Summary, "List merchants")

export const get = HttpApiEndpoint.get("get", "/v1/merchants/:merchantId", {
  params,
  headers,
  success: Merchant.ProfileResponse,
  error: Problem.errors("not_found"),
}).annotate(OpenApi.Summary, "Get a merchant and its settlement destinations")

export const update = HttpApiEndpoint.patch("update", "/v1/merchants/:merchantId", {
  params,
  headers,
  payload: Merchant.UpdateRequest,
  success: Merchant.Response,
  error: Problem.errors("not_found"),
}).annotate(OpenApi.Summary, "Update a merchant")

export const remove = HttpApiEndpoint.delete("remove", "/v1/merchants/:merchantId", {
  params,
  headers,
  success: Settlement.Deleted,
  error: Problem.errors("not_found"),
}).annotate(OpenApi.Summary, "Delete a merchant. Its payments are kept")

export const statement = HttpApiEndpoint.get("statement", "/v1/merchants/:merchantId/statement", {
  params,
  headers,
  query: Query.statement,
  success: Statement.Statement,
  error: Problem.errors("not_found"),
}).annotate(OpenApi.Summary, "Get a merchant's statement for a period")

export const group = HttpApiGroup.make("merchants")
  .add(create, list, get, update, remove, statement)
  .annotate(OpenApi.Description, "Merchants, who receive payments")
