/**
 * The gateway: the calls of a payer's wallet.
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
  // No pattern, as payment links are accepted, too.
  id: Schema.String.annotate({
    description: "The payment's id, or its payment link or pairing URI, percent-encoded",
  }),
}
const headers = Headers.common

/** Codes with which a gateway call is refused: the payment does not exist, or its state does not allow the call. */
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
})
  .annotate(OpenApi.Summary, "Get a payment as the payer sees it")
  .annotate(
    OpenApi.Description,
    "Returns the amount, the merchant and the status, to start the payer's flow with.",
  )

export const options = HttpApiEndpoint.post("options", "/v1/gateway/payment/:id/options", {
  params,
  headers,
  query: {
    includePaymentInfo: Query.flag("Also return `info`"),
    includeCosts: Query.flag("Also return `balance` and `networkFee` of each option"),
  },
  payload: Option.OptionsRequest,
  success: Payment.OptionsResponse,
  error: Problem.errors(...refusals, "sanctioned_user", "bad_gateway"),
})
  .annotate(OpenApi.Summary, "List the options of the payer's accounts")
  .annotate(
    OpenApi.Description,
    "Send every account of the payer, on every chain. The service returns an option for each token that an account can pay with now, the simplest first. `options` is empty if no account can pay, and null if the payment takes no option any more. Options expire; request them again with their ids in `refresh`.",
  )

export const fetch = HttpApiEndpoint.post("fetch", "/v1/gateway/payment/:id/fetch", {
  params,
  headers,
  payload: Option.FetchRequest,
  success: Option.FetchResponse,
  error: Problem.errors(...refusals, "quote_expired", "bad_gateway"),
})
  .annotate(OpenApi.Summary, "Get the steps of an option")
  .annotate(
    OpenApi.Description,
    "Resolves an action of the type `build` into the steps that the wallet executes, in order. With empty `data` it returns all steps of the option.",
  )

export const confirm = HttpApiEndpoint.post("confirm", "/v1/gateway/payment/:id/confirm", {
  params,
  headers,
  query: Query.longPoll,
  payload: Option.ConfirmRequest,
  success: Payment.ConfirmResponse,
  error: [...Problem.errors(...refusals, "quote_expired", "bad_gateway"), Problem.unprocessable],
})
  .annotate(OpenApi.Summary, "Confirm a payment with what the wallet signed or sent")
  .annotate(
    OpenApi.Description,
    "Send one result for each executed action, in the same order. Sending the same confirm again starts no second payment: it returns the status of the first. With `maxPollMs`, the response waits until the payment is final or the time is over.",
  )

export const status = HttpApiEndpoint.get("status", "/v1/gateway/payment/:id/status", {
  params,
  headers,
  query: Query.longPoll,
  success: Payment.StatusResponse,
  error: Problem.errors(...refusals),
})
  .annotate(OpenApi.Summary, "Get the status of a payment")
  .annotate(
    OpenApi.Description,
    "With `maxPollMs`, the response waits until the status changes or the time is over. Call again after `pollInMs` milliseconds, until `isFinal` is true.",
  )

export const cancel = HttpApiEndpoint.post("cancel", "/v1/gateway/payment/:id/cancel", {
  params,
  headers,
  success: Payment.Cancelled,
  error: Problem.errors(...refusals),
})
  .annotate(OpenApi.Summary, "Cancel a payment as the payer")
  .annotate(
    OpenApi.Description,
    "Only a payment that nobody has confirmed can be cancelled. Cancelling it again returns the same response.",
  )

export const group = HttpApiGroup.make("gateway")
  .add(get, options, fetch, confirm, status, cancel)
  .annotate(
    OpenApi.Description,
    "Calls of a payer's wallet, with a wallet key or a partner key. Most wallets use `pay` of `@florin/client`, which makes these calls in order.",
  )
