/**
 * Merchants of all partners: approved, changed, stopped and looked into.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Domain from "@florin/core/domain/partner/Merchant"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Merchant from "../wire/Merchant.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Statement from "../wire/Statement.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

const params = {
  merchantId: Text.merchantId.annotate({ description: "The merchant's id, mrch_…" }),
}

const waiting = HttpApiEndpoint.get("waiting", "/operator/v1/merchants/waiting", {
  query: Query.page,
  success: Merchant.WaitingPage,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List live merchants that wait for your approval",
    description:
      "Lists merchants whose name, icon or support contact is new, oldest first, with the names of other partners that they look like. Partners never see this list.",
  }),
)

const get = HttpApiEndpoint.get("get", "/operator/v1/merchants/:merchantId", {
  params,
  success: Merchant.OwnedProfile,
  error: Problem.errors("not_found"),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "Get a merchant and its settlement destinations",
    description: "Returns a merchant of any partner, also a deleted one.",
  }),
)

const approve = HttpApiEndpoint.post("approve", "/operator/v1/merchants/:merchantId/approve", {
  params,
  payload: Merchant.ApproveRequest,
  success: Merchant.Owned,
  error: Problem.errors("not_found", "invalid_state"),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "merchant.approved",
    summary: "Approve what payers see of a merchant",
    description:
      "Send the name, icon and support contact that you saw. If the merchant has changed one since, nothing is approved. Payers see them from then on, and the merchant takes live payments.",
  }),
)

const change = HttpApiEndpoint.patch("change", "/operator/v1/merchants/:merchantId", {
  params,
  payload: Merchant.OperatorChangeRequest,
  success: Merchant.Owned,
  error: Problem.errors("not_found"),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "merchant.changed",
    summary: "Change a merchant's name, status, fees or payouts",
    description:
      "Changes only the members that you send, all of them or none. Existing payments keep their fees.",
  }),
)

/** One endpoint for each measure. To stop is urgent and does no harm, so it needs less than to resume. */
const measure = <const M extends Domain.Measure>(
  name: M,
  scope: ApiKey.OperatorScope,
  summary: string,
  description: string,
) =>
  HttpApiEndpoint.post(name, `/operator/v1/merchants/:merchantId/${name}`, {
    params,
    success: Merchant.Owned,
    error: Problem.errors("not_found"),
  }).pipe(Endpoint.write({ scope, action: "merchant.changed", summary, description }))

const confirmDestination = HttpApiEndpoint.post(
  "confirmDestination",
  "/operator/v1/merchants/:merchantId/settlements/:settlementId/confirm",
  {
    params: {
      ...params,
      settlementId: Text.settlementId.annotate({ description: "The destination's id, crypto_…" }),
    },
    payload: Settlement.ConfirmRequest,
    success: Settlement.CryptoSettlement,
    error: Problem.errors("approval_required", "not_found", "invalid_state"),
  },
).pipe(
  Endpoint.write({
    scope: "admin",
    action: "destination.confirmed",
    summary: "Let a change of a settlement destination take effect now",
    description:
      "Send the new account, as the merchant confirmed it to you. Ask through another channel than the one that the change came from.",
  }),
)

const destinationHistory = HttpApiEndpoint.get(
  "destinationHistory",
  "/operator/v1/merchants/:merchantId/settlements/history",
  { params, success: Settlement.History, error: Problem.errors("not_found") },
).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List every change of a merchant's settlement destinations",
    description:
      "Lists the old and the new account of each change, its key and its request, oldest first.",
  }),
)

const { from, to } = Query.statement

const statement = HttpApiEndpoint.get("statement", "/operator/v1/merchants/:merchantId/statement", {
  params,
  query: { from, to },
  success: Statement.Statement,
  error: Problem.errors("not_found"),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "Get a merchant's statement for a period",
    description:
      "Shows for each token what the merchant was owed when the period began, every change in it, and what it was owed at the end.",
  }),
)

export const group = Endpoint.group(
  "merchants",
  "Merchants of all partners, who receive payments",
  waiting,
  get,
  approve,
  change,
  measure(
    "suspend",
    "support",
    "Suspend a merchant",
    "It takes no new payments. Open payments can still be paid.",
  ),
  measure("resume", "admin", "End the suspension of a merchant", "It takes payments again."),
  measure(
    "freeze",
    "support",
    "Freeze a merchant",
    "The service sends no payouts, refunds or returns for it.",
  ),
  measure("unfreeze", "admin", "End the freeze of a merchant", "The service sends what waited."),
  confirmDestination,
  destinationHistory,
  statement,
)
