/**
 * Partners: who owns merchants and holds keys.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Partner from "../wire/Partner.ts"
import * as Endpoint from "./Endpoint.ts"

/** What the calls about one partner have in common. */
const one = { params: { partnerId: Partner.partnerId }, refusals: ["not_found"] } as const

/** One endpoint for each measure. To stop is urgent and does no harm, so it needs less than to resume. */
const measure = <const M extends Merchant.Measure>(
  name: M,
  scope: ApiKey.OperatorScope,
  summary: string,
  description: string,
) =>
  Endpoint.post(name, `/operator/v1/partners/:partnerId/${name}`, {
    ...one,
    scope,
    action: "partner.changed",
    summary,
    description,
    success: Partner.Partner,
  })

export const group = Endpoint.group(
  "partners",
  "Partners own merchants and have API keys",
  Endpoint.post("create", "/operator/v1/partners", {
    scope: "admin",
    action: "partner.created",
    summary: "Create a partner",
    description:
      "The fees apply to all its payments. A fee that is left out is 0, and other settings have the service's defaults.",
    headers: Endpoint.once,
    payload: Partner.CreateRequest,
    success: Endpoint.created(Partner.Partner),
  }),
  Endpoint.put("ensure", "/operator/v1/partners", {
    scope: "admin",
    action: "partner.created",
    summary: "Create a partner, or get the one that exists",
    description:
      "Returns the partner with your own key for it, or with its name. The first call creates it. Later calls return it as it is now, and change nothing. It is safe to call at every start, also when several processes start at the same time.",
    payload: Partner.EnsureRequest,
    success: Partner.Partner,
  }),
  Endpoint.get("list", "/operator/v1/partners", {
    scope: "read",
    summary: "List the partners",
    description: "Lists every partner with its fees, policies and limits, the oldest first.",
    success: Partner.List,
  }),
  Endpoint.get("get", "/operator/v1/partners/:partnerId", {
    ...one,
    scope: "read",
    summary: "Get a partner",
    description: "Returns a partner with its fees, policies and limits.",
    success: Partner.Partner,
  }),
  Endpoint.get("resembling", "/operator/v1/partners/:partnerId/resembling", {
    ...one,
    scope: "read",
    summary: "List the names that a partner's name looks like",
    description: "Compares it with the names of other partners and of their merchants.",
    success: Partner.Resembling,
  }),
  Endpoint.patch("change", "/operator/v1/partners/:partnerId", {
    ...one,
    scope: "admin",
    action: "partner.changed",
    summary: "Change a partner's name, API version, fees, payouts, credit or limits",
    description:
      "Only the given members change. All changes are made, or none. Existing payments keep their fees.",
    payload: Partner.ChangeRequest,
    success: Partner.Partner,
    refusals: ["approval_required", "not_found"],
  }),
  measure(
    "suspend",
    "support",
    "Suspend all merchants of a partner",
    "They take no new payments. Open payments can still be paid, and payouts and refunds go on: freeze them to stop these.",
  ),
  measure("resume", "admin", "End the suspension of a partner", "They take payments again."),
  measure(
    "freeze",
    "support",
    "Freeze all merchants of a partner",
    "The service sends no payouts, refunds or returns for them, except those that are signed already. They still take new payments: suspend them to refuse these.",
  ),
  measure(
    "unfreeze",
    "admin",
    "End the freeze of a partner",
    "The service sends what waited within 10 minutes.",
  ),
)
