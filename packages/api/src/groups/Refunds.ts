/**
 * Refunds: payments that are returned to the payer.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Refund from "../wire/Refund.ts"
import * as Text from "../wire/Text.ts"

const headers = Headers.partner

export const group = Endpoint.group(
  "refunds",
  "Refunds of payments",
  Endpoint.post("create", "/v1/refunds", {
    summary: "Refund a payment, or a part of it",
    description:
      "Returns the whole amount to the account that paid, or with `amount` a part of it. Without `amount`, a payment of which anything was refunded returns 409. With `amount`, you may refund as often as something is left; more than that returns 409, with what is left. If the merchant has the money already, its later payouts are reduced. With `destination`, the refund goes to another account, for which the account that paid has to sign.",
    headers: Headers.createForMerchant,
    payload: Refund.RefundRequest,
    success: Refund.Refund,
    refusals: [
      "not_found",
      "payment_not_succeeded",
      "already_refunded",
      "missing_idempotency_key",
      "idempotency_conflict",
    ],
  }),
  Endpoint.post("destination", "/v1/refunds/destination", {
    summary: "Get the statement for a refund to another account",
    description:
      "The account that paid must sign this text before a refund goes to another account. It names the payment, the amount and both accounts. Create the refund with the text and its signature. A contract account may sign by ERC-1271. The text is valid for one refund, for 24 hours. Nothing changes before the refund is created.",
    headers,
    payload: Refund.DestinationRequest,
    success: Refund.Statement,
    refusals: ["not_found", "payment_not_succeeded", "already_refunded"],
  }),
  Endpoint.get("list", "/v1/refunds", {
    summary: "List the refunds of a payment",
    description: "Returns all refunds of a payment, newest first.",
    headers,
    query: Query.refunds,
    success: Refund.List,
    refusals: ["not_found"],
  }),
  Endpoint.get("get", "/v1/refunds/:id", {
    summary: "Get a refund",
    description:
      "Returns the state of a refund. It stays `pending` until there is money for it, and is `held` if the account cannot be paid.",
    params: { id: Text.refundId.annotate({ description: "The refund's id" }) },
    headers,
    success: Refund.Refund,
    refusals: ["not_found"],
  }),
)
