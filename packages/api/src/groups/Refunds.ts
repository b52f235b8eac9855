/**
 * Refunds: payments that are returned to the payer.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Refund from "../wire/Refund.ts"
import * as Text from "../wire/Text.ts"

const headers = Headers.partner

export const create = HttpApiEndpoint.post("create", "/v1/refunds", {
  headers: Headers.createForMerchant,
  payload: Refund.RefundRequest,
  success: Refund.Refund,
  error: Problem.errors(
    "not_found",
    "payment_not_succeeded",
    "already_refunded",
    "missing_idempotency_key",
    "idempotency_conflict",
  ),
})
  .annotate(OpenApi.Summary, "Refund a payment, or a part of it")
  .annotate(
    OpenApi.Description,
    "Returns the whole amount to the account that paid, or with `amount` a part of it. Without `amount`, a payment of which anything was refunded returns 409. With `amount`, you may refund as often as something is left; more than that returns 409, with what is left. If the merchant has the money already, its later payouts are reduced. With `destination`, the refund goes to another account, for which the account that paid has to sign.",
  )

export const destination = HttpApiEndpoint.post("destination", "/v1/refunds/destination", {
  headers,
  payload: Refund.DestinationRequest,
  success: Refund.Statement,
  error: Problem.errors("not_found", "payment_not_succeeded", "already_refunded"),
})
  .annotate(OpenApi.Summary, "Get the statement for a refund to another account")
  .annotate(
    OpenApi.Description,
    "Returns the text that the account that paid has to sign before a refund goes to another account. The text names the payment, the amount and both accounts. The refund is then created with the text and its signature. A contract account may sign by ERC-1271. It is valid for one refund, for 24 hours. Nothing changes until then.",
  )

export const list = HttpApiEndpoint.get("list", "/v1/refunds", {
  headers,
  query: Query.refunds,
  success: Refund.List,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "List the refunds of a payment")
  .annotate(OpenApi.Description, "Returns all refunds of a payment, newest first.")

export const get = HttpApiEndpoint.get("get", "/v1/refunds/:id", {
  params: { id: Text.refundId.annotate({ description: "The refund's id" }) },
  headers,
  success: Refund.Refund,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Get a refund")
  .annotate(
    OpenApi.Description,
    "Returns the state of a refund. It stays `pending` until there is money for it, and is `held` if the account cannot be paid.",
  )

export const group = HttpApiGroup.make("refunds")
  .add(create, destination, list, get)
  .annotate(OpenApi.Description, "Refunds of payments")
