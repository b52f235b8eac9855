/**
 * Merchants: who is paid.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Merchant from "../wire/Merchant.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Statement from "../wire/Statement.ts"
import * as Text from "../wire/Text.ts"

const headers = Headers.common

/** What the calls about one merchant have in common. */
const one = {
  params: { merchantId: Text.merchantId.annotate({ description: "The merchant's id" }) },
  headers,
  refusals: ["not_found"],
} as const

export const group = Endpoint.group(
  "merchants",
  "Merchants, who receive payments",
  Endpoint.post("create", "/v1/merchants", {
    summary: "Create a merchant",
    description: "A repeated call with the same `Idempotency-Key` returns the same merchant.",
    headers: Headers.createOnce,
    payload: Merchant.CreateRequest,
    success: Endpoint.created(Merchant.Response),
  }),
  Endpoint.get("list", "/v1/merchants", {
    summary: "List merchants",
    description:
      "Deleted merchants are left out. `search` finds a part of a name or of an id, ignoring case.",
    headers,
    query: Query.merchants,
    success: Merchant.Page,
  }),
  Endpoint.get("get", "/v1/merchants/:merchantId", {
    ...one,
    summary: "Get a merchant and its settlement destinations",
    description: "Returns the profile of a merchant and the destinations of its money.",
    success: Merchant.ProfileResponse,
  }),
  Endpoint.patch("update", "/v1/merchants/:merchantId", {
    ...one,
    summary: "Update a merchant",
    description:
      "Only the given members change. Null removes a member that can be empty. At least one member is needed.",
    payload: Merchant.UpdateRequest,
    success: Merchant.Response,
  }),
  Endpoint.delete("remove", "/v1/merchants/:merchantId", {
    ...one,
    summary: "Delete a merchant. Its payments are kept",
    description:
      "A deleted merchant is in no list and takes no new payments. Its payments can still be read, and are still paid out. Deleting it again returns the same response.",
    success: Settlement.Deleted,
  }),
  Endpoint.get("statement", "/v1/merchants/:merchantId/statement", {
    ...one,
    summary: "Get a merchant's statement for a period",
    description:
      "Shows for each token what the merchant was owed when the period began, every change in it, and what it was owed at the end.",
    query: Query.statement,
    success: Statement.Statement,
  }),
)
