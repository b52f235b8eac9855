/**
 * Merchants of all partners: approved, changed, stopped and looked into.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Domain from "@florin/core/domain/partner/Merchant"
import * as Schema from "effect/Schema"
import * as Query from "../Query.ts"
import * as Balance from "../wire/Balance.ts"
import * as Merchant from "../wire/Merchant.ts"
import * as Mode from "../wire/Mode.ts"
import * as Partner from "../wire/Partner.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Statement from "../wire/Statement.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

/** What the calls about one merchant have in common. */
const one = {
  params: { merchantId: Text.merchantId.annotate({ description: "The merchant's id, mrch_…" }) },
  refusals: ["not_found"],
} as const

/** One endpoint for each measure. To stop is urgent and does no harm, so it needs less than to resume. */
const measure = <const M extends Domain.Measure>(
  name: M,
  scope: ApiKey.OperatorScope,
  summary: string,
  description: string,
) =>
  Endpoint.post(name, `/operator/v1/merchants/:merchantId/${name}`, {
    ...one,
    scope,
    action: "merchant.changed",
    summary,
    description,
    success: Merchant.Owned,
  })

const { from, to } = Query.statement

const { asset } = Query.balances

export const group = Endpoint.group(
  "merchants",
  "Merchants of all partners, who receive payments",
  Endpoint.get("list", "/operator/v1/merchants", {
    scope: "read",
    summary: "List merchants of all partners, newest first",
    description:
      "Deleted merchants are left out. `search` finds a part of a name or of an id, ignoring case.",
    query: {
      ...Query.merchants,
      ...Mode.filter,
      partnerId: Schema.optionalKey(
        Partner.partnerId.annotate({ description: "Only this partner's" }),
      ),
    },
    success: Merchant.OwnedPage,
  }),
  Endpoint.get("waiting", "/operator/v1/merchants/waiting", {
    scope: "read",
    summary: "List live merchants that wait for your approval",
    description:
      "Lists merchants whose name, icon or support contact is new, oldest first, with the names of other partners that they look like. Partners never see this list.",
    query: Query.page,
    success: Merchant.WaitingPage,
  }),
  Endpoint.get("get", "/operator/v1/merchants/:merchantId", {
    ...one,
    scope: "read",
    summary: "Get a merchant and its settlement destinations",
    description: "Returns a merchant of any partner, also a deleted one.",
    success: Merchant.OwnedProfile,
  }),
  Endpoint.post("approve", "/operator/v1/merchants/:merchantId/approve", {
    ...one,
    scope: "admin",
    action: "merchant.approved",
    summary: "Approve what payers see of a merchant",
    description:
      "Send the name, icon and support contact that you saw. If the merchant has changed one since, nothing is approved. Payers see them from then on, and the merchant takes live payments.",
    payload: Merchant.ApproveRequest,
    success: Merchant.Owned,
    refusals: ["not_found", "invalid_state"],
  }),
  Endpoint.patch("change", "/operator/v1/merchants/:merchantId", {
    ...one,
    scope: "admin",
    action: "merchant.changed",
    summary: "Change a merchant's name, status, fees or payouts",
    description:
      "Only the given members change. All changes are made, or none. Existing payments keep their fees.",
    payload: Merchant.OperatorChangeRequest,
    success: Merchant.Owned,
  }),
  measure(
    "suspend",
    "support",
    "Suspend a merchant",
    "It takes no new payments. Open payments can still be paid, and payouts and refunds go on: freeze it to stop these.",
  ),
  measure("resume", "admin", "End the suspension of a merchant", "It takes payments again."),
  measure(
    "freeze",
    "support",
    "Freeze a merchant",
    "The service sends no payouts, refunds or returns for it, except those that are signed already. It still takes new payments: suspend it to refuse these.",
  ),
  measure(
    "unfreeze",
    "admin",
    "End the freeze of a merchant",
    "The service sends what waited within 10 minutes.",
  ),
  Endpoint.post(
    "confirmDestination",
    "/operator/v1/merchants/:merchantId/settlements/:settlementId/confirm",
    {
      ...one,
      scope: "admin",
      action: "destination.confirmed",
      summary: "Let a change of a settlement destination take effect now",
      description:
        "Name the new account, as the merchant confirmed it to you through another channel than the one that the change came from. Payouts that waited for it are sent within 10 minutes.",
      params: {
        ...one.params,
        settlementId: Text.settlementId.annotate({ description: "The destination's id, crypto_…" }),
      },
      payload: Settlement.ConfirmRequest,
      success: Settlement.CryptoSettlement,
      refusals: ["approval_required", "not_found", "invalid_state"],
    },
  ),
  Endpoint.get("destinationHistory", "/operator/v1/merchants/:merchantId/settlements/history", {
    ...one,
    scope: "read",
    summary: "List every change of a merchant's settlement destinations",
    description:
      "Each change has the old and the new account, its key and its request. The oldest comes first.",
    success: Settlement.History,
  }),
  Endpoint.get("statement", "/operator/v1/merchants/:merchantId/statement", {
    ...one,
    scope: "read",
    summary: "Get a merchant's statement for a period",
    description:
      "Shows for each token what the merchant was owed when the period began, every change in it, and what it was owed at the end.",
    query: { from, to },
    success: Statement.Statement,
  }),
  Endpoint.get("balances", "/operator/v1/merchants/:merchantId/balances", {
    ...one,
    scope: "read",
    summary: "List what a merchant is owed, by token",
    description: "Balances of zero are left out. A deleted merchant has balances, too.",
    query: { asset, ...Query.page },
    success: Balance.MerchantPage,
  }),
)
