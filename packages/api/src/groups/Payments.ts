/**
 * Payments, as the partner that created them sees them.
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
import * as Payment from "../wire/Payment.ts"
import * as Text from "../wire/Text.ts"

const params = { id: Text.paymentId.annotate({ description: "The payment's id" }) }

const createWith = {
  headers: Headers.createForMerchant,
  payload: Payment.CreateRequest,
  success: Payment.Created.pipe(HttpApiSchema.status(201)),
  error: Problem.errors("missing_merchant_id", "merchant_not_found", "idempotency_conflict"),
}

const statusWith = {
  params,
  headers: Headers.paymentRead,
  query: Query.longPoll,
  success: Payment.StatusResponse,
  error: Problem.errors("missing_merchant_id", "payment_not_found"),
}

const listWith = {
  query: Query.payments,
  success: Payment.Page,
  error: Problem.errors("missing_merchant_id", "merchant_not_found"),
}

export const create = HttpApiEndpoint.post("create", "/v1/payments", createWith)
  .annotate(OpenApi.Summary, "Create a payment")
  .annotate(
    OpenApi.Description,
    "Returns `gatewayUrl`, which you show to the payer as a link or a QR code. With an `Idempotency-Key`, a repeated call returns the same payment.",
  )

export const list = HttpApiEndpoint.get("list", "/v1/payments", {
  ...listWith,
  headers: Headers.partner,
})
  .annotate(OpenApi.Summary, "List payments")
  .annotate(
    OpenApi.Description,
    "Lists the payments of all your merchants, newest first. `stats` counts everything that matches the filters, not only the page.",
  )

export const statistics = HttpApiEndpoint.get("statistics", "/v1/payments/statistics", {
  headers: Headers.partner,
  query: Query.statistics,
  success: Payment.Statistics,
  error: Problem.errors("missing_merchant_id", "merchant_not_found"),
})
  .annotate(OpenApi.Summary, "Get statistics of payments over time")
  .annotate(
    OpenApi.Description,
    "Counts the payments that match the filters by day, week or month of a time zone, by status, by token, and by the time until they succeeded. `startTs` and `endTs` choose the periods, and each counts whole. Net revenue is what was requested and not refunded, before fees.",
  )

export const get = HttpApiEndpoint.get("get", "/v1/payments/:id", {
  params,
  headers: Headers.paymentRead,
  success: Payment.Details,
  error: Problem.errors("missing_merchant_id", "payment_not_found"),
})
  .annotate(OpenApi.Summary, "Get a payment")
  .annotate(
    OpenApi.Description,
    "Returns everything about one payment: its status, what the merchant was paid, and its refund.",
  )

export const status = HttpApiEndpoint.get("status", "/v1/payments/:id/status", statusWith)
  .annotate(OpenApi.Summary, "Get the status of a payment")
  .annotate(
    OpenApi.Description,
    "With `maxPollMs`, the response waits until the status changes or the time is over. Call again after `pollInMs` milliseconds, until `isFinal` is true.",
  )

export const cancel = HttpApiEndpoint.post("cancel", "/v1/payments/:id/cancel", {
  params,
  headers: Headers.partner,
  success: Payment.Cancelled,
  error: Problem.errors("payment_not_found", "payment_expired", "invalid_state"),
})
  .annotate(OpenApi.Summary, "Cancel a payment as the merchant")
  .annotate(
    OpenApi.Description,
    "Only a payment that nobody has confirmed can be cancelled. Cancelling it again returns the same response.",
  )

export const listOfMerchant = HttpApiEndpoint.get("listOfMerchant", "/v1/merchants/payments", {
  ...listWith,
  headers: { ...Headers.common, "merchant-id": Headers.paymentRead["merchant-id"] },
})
  .annotate(OpenApi.Summary, "List the payments of a merchant")
  .annotate(
    OpenApi.Description,
    "Lists the payments of the merchant in `Merchant-Id`, with the filters and the response of `GET /v1/payments`.",
  )

export const listOfMerchantByPath = HttpApiEndpoint.get(
  "listOfMerchantByPath",
  "/v1/merchants/:merchantId/payments",
  {
    ...listWith,
    params: { merchantId: Text.merchantId.annotate({ description: "The merchant's id" }) },
    headers: Headers.legacy,
  },
)
  .annotate(OpenApi.Summary, "List the payments of a merchant (old path)")
  .annotate(
    OpenApi.Description,
    "Use `GET /v1/merchants/payments`. Filters work in snake_case, too. If the operator allows it, a key in `X-Api-Key` gets the legacy shape: every member in snake_case, and one `total_revenue`.",
  )
  .annotate(OpenApi.Deprecated, true)

export const createAlias = HttpApiEndpoint.post("createAlias", "/v1/merchant/payment", createWith)
  .annotate(OpenApi.Summary, "Create a payment (old path)")
  .annotate(OpenApi.Description, "Use `POST /v1/payments`.")
  .annotate(OpenApi.Deprecated, true)

export const statusAlias = HttpApiEndpoint.get(
  "statusAlias",
  "/v1/merchant/payment/:id/status",
  statusWith,
)
  .annotate(OpenApi.Summary, "Get the status of a payment (old path)")
  .annotate(OpenApi.Description, "Use `GET /v1/payments/{id}/status`.")
  .annotate(OpenApi.Deprecated, true)

export const group = HttpApiGroup.make("payments")
  .add(
    create,
    list,
    statistics,
    get,
    status,
    cancel,
    listOfMerchant,
    listOfMerchantByPath,
    createAlias,
    statusAlias,
  )
  .annotate(OpenApi.Description, "Payments, with a partner key")
