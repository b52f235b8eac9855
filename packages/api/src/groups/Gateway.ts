/**
 * The gateway: the calls of a payer's wallet.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Option from "../wire/Option.ts"
import * as Payment from "../wire/Payment.ts"
import * as Text from "../wire/Text.ts"

/** Codes with which a gateway call is refused: the payment does not exist, or its state does not allow the call. */
const refusals = [
  "payment_not_found",
  "payment_expired",
  "invalid_state",
  "missing_client_id",
  "invalid_app_id",
  "conflicting_auth_headers",
] as const

/** What every call says of its payment. */
const one = {
  params: {
    // No pattern, as payment links are accepted, too.
    id: Text.plain("The payment's id, or its payment link or pairing URI, percent-encoded"),
  },
  headers: Headers.common,
  refusals,
} as const

export const group = Endpoint.group(
  "gateway",
  "Calls of a payer's wallet, with a wallet key or a partner key. Most wallets use `pay` of `@florin/client`, which makes these calls in order.",
  Endpoint.get("get", "/v1/gateway/payment/:id", {
    ...one,
    summary: "Get a payment as the payer sees it",
    description: "Returns the amount, the merchant and the status, to start the payer's flow with.",
    success: Payment.Info,
  }),
  Endpoint.post("options", "/v1/gateway/payment/:id/options", {
    ...one,
    summary: "List the options of the payer's accounts",
    description:
      "Send every account of the payer, on every chain. The service returns an option for each token that an account can pay with now, the simplest first. `options` is empty if no account can pay, and null if the payment takes no option any more. Options expire; request them again with their ids in `refresh`.",
    query: {
      includePaymentInfo: Query.flag("Also return `info`"),
      includeCosts: Query.flag("Also return `balance` and `networkFee` of each option"),
    },
    payload: Option.OptionsRequest,
    success: Payment.OptionsResponse,
    refusals: [...refusals, "sanctioned_user", "bad_gateway"],
  }),
  Endpoint.post("fetch", "/v1/gateway/payment/:id/fetch", {
    ...one,
    summary: "Get the steps of an option",
    description:
      "Resolves an action of the type `build` into the steps that the wallet executes, in order. With empty `data` it returns all steps of the option.",
    payload: Option.FetchRequest,
    success: Option.FetchResponse,
    refusals: [...refusals, "quote_expired", "bad_gateway"],
  }),
  Endpoint.post("confirm", "/v1/gateway/payment/:id/confirm", {
    ...one,
    summary: "Confirm a payment with what the wallet signed or sent",
    description:
      "Send one result for each executed action, in the same order. Sending the same confirm again starts no second payment: it returns the status of the first. With `maxPollMs`, the response waits until the payment is final or the time is over.",
    query: Query.longPoll,
    payload: Option.ConfirmRequest,
    success: Payment.ConfirmResponse,
    refusals: [...refusals, "quote_expired", "bad_gateway"],
    isSigned: true,
  }),
  Endpoint.get("status", "/v1/gateway/payment/:id/status", {
    ...one,
    summary: "Get the status of a payment",
    description:
      "With `maxPollMs`, the response waits until the status changes or the time is over. Call again after `pollInMs` milliseconds, until `isFinal` is true.",
    query: Query.longPoll,
    success: Payment.StatusResponse,
  }),
  Endpoint.post("cancel", "/v1/gateway/payment/:id/cancel", {
    ...one,
    summary: "Cancel a payment as the payer",
    description:
      "Only a payment that nobody has confirmed can be cancelled. Cancelling it again returns the same response.",
    success: Payment.Cancelled,
  }),
)
