/**
 * The gateway: what a payer's wallet calls.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Option from "../wire/Option.ts"
import * as Payment from "../wire/Payment.ts"

const params = {
  id: Schema.String.annotate({
    description: "The payment's id, or its payment link or pairing URI, percent-encoded",
  }),
}
const headers = Headers.common

/** Codes by which a gateway call is refused: the payment is not there, or its state does not allow the call. */
const refusals = [
  "payment_not_found",
  "payment_expired",
  "invalid_state",
  "missing_client_id",
  "invalid_app_id",
  "conflicting_auth_headers",
] as const

export const get = HttpApiEndpoint.get("get", "/v1/gateway/payment/:id", {
  params,
  headers,
  success: Payment.Info,
  error: Problem.errors(...refusals),
}).annotate(OpenApi.Summary, "Basic payment information to start the payer's flow")

export const options = HttpApiEndpoint.post("options", "/v1/gateway/payment/:id/options", {
  params,
  headers,
  query: { includePaymentInfo: Query.flag("Answer `info` too") },
  payload: Option.OptionsRequest,
  success: Payment.OptionsAnswer,
  error: Problem.errors(...refusals, "sanctioned_user", "bad_gateway"),
}).annotate(OpenApi.Summary, "How the wallet's accounts can pay")

export const fetch = HttpApiEndpoint.post("fetch", "/v1/gateway/payment/:id/fetch", {
  params,
  headers,
  payload: Option.FetchRequest,
  success: Option.FetchAnswer,
  error: Problem.errors(...refusals, "quote_expired", "bad_gateway"),
}).annotate(OpenApi.Summary, "Resolve a build action into the steps to execute")

export const confirm = HttpApiEndpoint.post("confirm", "/v1/gateway/payment/:id/confirm", {
  params,
  headers,
  query: Query.longPoll,
  payload: Option.ConfirmRequest,
  success: Payment.ConfirmAnswer,
  error: [...Problem.errors(...refusals, "quote_expired", "bad_gateway"), Problem.unprocessable],
}).annotate(OpenApi.Summary, "Hand in what the wallet signed or sent")

export const status = HttpApiEndpoint.get("status", "/v1/gateway/payment/:id/status", {
  params,
  headers,
  query: Query.longPoll,
  success: Payment.StatusAnswer,
  error: Problem.errors(...refusals),
}).annotate(OpenApi.Summary, "Where the payment stands")

export const cancel = HttpApiEndpoint.post("cancel", "/v1/gateway/payment/:id/cancel", {
  params,
  headers,
  success: Payment.Cancelled,
  error: Problem.errors(...refusals),
}).annotate(OpenApi.Summary, "The payer calls the payment off")

export const group = HttpApiGroup.make("gateway")
  .add(get, options, fetch, confirm, status, cancel)
  .annotate(OpenApi.Description, "What a payer's wallet calls, with a wallet key or a partner key")
