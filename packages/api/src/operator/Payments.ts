/**
 * Payments of any partner.
 *
 * @module
 */
import * as Explanation from "../wire/Explanation.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "payments",
  "Payments of any partner",
  Endpoint.get("explain", "/operator/v1/payments/:paymentId/explanation", {
    scope: "read",
    summary: "Get the full history of a payment",
    description:
      "Returns its events, transactions, transfers, ledger entries, outflows, webhooks and audit entries in order of time, each with a sentence. The verdict says what it waits for and what to do. It shows which account paid, and no other data about the payer.",
    params: { paymentId: Text.paymentId.annotate({ description: "The payment's id, pay_…" }) },
    success: Explanation.Explanation,
    refusals: ["not_found"],
  }),
)
