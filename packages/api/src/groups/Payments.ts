/**
 * Payments, as the partner that created them sees them.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Payment from "../wire/Payment.ts"
import * as Text from "../wire/Text.ts"

const params = { id: Text.paymentId.annotate({ description: "The payment's id" }) }

const createWith = {
  headers: Headers.createForMerchant,
  payload: Payment.CreateRequest,
  success: Endpoint.created(Payment.Created),
  refusals: ["missing_merchant_id", "merchant_not_found", "idempotency_conflict"],
} as const

const statusWith = {
  params,
  headers: Headers.paymentRead,
  query: Query.longPoll,
  success: Payment.StatusResponse,
  refusals: ["missing_merchant_id", "payment_not_found"],
} as const

const listWith = {
  query: Query.payments,
  success: Payment.Page,
  refusals: ["missing_merchant_id", "merchant_not_found"],
} as const

export const group = Endpoint.group(
  "payments",
  "Payments, with a partner key",
  Endpoint.post("create", "/v1/payments", {
    summary: "Create a payment",
    description:
      "Returns `gatewayUrl`, which you show to the payer as a link or a QR code. With an `Idempotency-Key`, a repeated call returns the same payment.",
    ...createWith,
  }),
  Endpoint.get("list", "/v1/payments", {
    summary: "List payments",
    description:
      "Lists the payments of all your merchants, newest first. `stats` counts everything that matches the filters, not only the page.",
    ...listWith,
    headers: Headers.partner,
  }),
  Endpoint.get("statistics", "/v1/payments/statistics", {
    summary: "Get statistics of payments over time",
    description:
      "Counts the payments that match the filters by day, week or month of a time zone, by status, by token, and by the time until they succeeded. `startTs` and `endTs` choose the periods, and each counts whole. Net revenue is what was requested and not refunded, before fees.",
    headers: Headers.partner,
    query: Query.statistics,
    success: Payment.Statistics,
    refusals: ["missing_merchant_id", "merchant_not_found"],
  }),
  Endpoint.get("get", "/v1/payments/:id", {
    summary: "Get a payment",
    description:
      "Returns everything about one payment: its status, what the merchant was paid, and its refund.",
    params,
    headers: Headers.paymentRead,
    success: Payment.Details,
    refusals: ["missing_merchant_id", "payment_not_found"],
  }),
  Endpoint.get("status", "/v1/payments/:id/status", {
    summary: "Get the status of a payment",
    description:
      "With `maxPollMs`, the response waits until the status changes or the time is over. Call again after `pollInMs` milliseconds, until `isFinal` is true.",
    ...statusWith,
  }),
  Endpoint.post("cancel", "/v1/payments/:id/cancel", {
    summary: "Cancel a payment as the merchant",
    description:
      "Only a payment that nobody has confirmed can be cancelled. Cancelling it again returns the same response.",
    params,
    headers: Headers.partner,
    success: Payment.Cancelled,
    refusals: ["payment_not_found", "payment_expired", "invalid_state"],
  }),
  Endpoint.get("listOfMerchant", "/v1/merchants/payments", {
    summary: "List the payments of a merchant",
    description:
      "Lists the payments of the merchant in `Merchant-Id`, with the filters and the response of `GET /v1/payments`.",
    ...listWith,
    headers: { ...Headers.common, "merchant-id": Headers.paymentRead["merchant-id"] },
  }),
  Endpoint.get("listOfMerchantByPath", "/v1/merchants/:merchantId/payments", {
    summary: "List the payments of a merchant (old path)",
    description:
      "Use `GET /v1/merchants/payments`. Filters work in snake_case, too. If the operator allows it, a key in `X-Api-Key` gets the legacy shape: every member in snake_case, and one `total_revenue`.",
    isDeprecated: true,
    ...listWith,
    params: { merchantId: Text.merchantId.annotate({ description: "The merchant's id" }) },
    headers: Headers.legacy,
  }),
  Endpoint.post("createAlias", "/v1/merchant/payment", {
    summary: "Create a payment (old path)",
    description: "Use `POST /v1/payments`.",
    isDeprecated: true,
    ...createWith,
  }),
  Endpoint.get("statusAlias", "/v1/merchant/payment/:id/status", {
    summary: "Get the status of a payment (old path)",
    description: "Use `GET /v1/payments/{id}/status`.",
    isDeprecated: true,
    ...statusWith,
  }),
)
