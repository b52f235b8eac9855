/**
 * Partners: who owns merchants and holds keys.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Problem from "../Problem.ts"
import * as Partner from "../wire/Partner.ts"
import * as Endpoint from "./Endpoint.ts"

const params = { partnerId: Partner.partnerId }

const create = HttpApiEndpoint.post("create", "/operator/v1/partners", {
  headers: Endpoint.once,
  payload: Partner.CreateRequest,
  success: Partner.Partner.pipe(HttpApiSchema.status(201)),
  error: Problem.errors("missing_idempotency_key", "idempotency_conflict"),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "partner.created",
    summary: "Create a partner",
    description:
      "The fees apply to all its payments. A fee that is left out is 0, and other settings have the service's defaults.",
  }),
)

const ensure = HttpApiEndpoint.put("ensure", "/operator/v1/partners", {
  payload: Partner.EnsureRequest,
  success: Partner.Partner,
  error: Problem.errors(),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "partner.created",
    summary: "Create a partner, or get the one that exists",
    description:
      "Returns the partner with your own key for it, or with its name. The first call creates it. Later calls return it as it is now, and change nothing. It is safe to call at every start, also when several processes start at the same time.",
  }),
)

const list = HttpApiEndpoint.get("list", "/operator/v1/partners", {
  success: Partner.List,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List the partners",
    description: "Lists every partner, the oldest first.",
  }),
)

const get = HttpApiEndpoint.get("get", "/operator/v1/partners/:partnerId", {
  params,
  success: Partner.Partner,
  error: Problem.errors("not_found"),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "Get a partner",
    description: "Returns a partner with its fees, policies and limits.",
  }),
)

const resembling = HttpApiEndpoint.get(
  "resembling",
  "/operator/v1/partners/:partnerId/resembling",
  { params, success: Partner.Resembling, error: Problem.errors("not_found") },
).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List the names that a partner's name looks like",
    description: "Compares it with the names of other partners and of their merchants.",
  }),
)

const change = HttpApiEndpoint.patch("change", "/operator/v1/partners/:partnerId", {
  params,
  payload: Partner.ChangeRequest,
  success: Partner.Partner,
  error: Problem.errors("approval_required", "not_found"),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "partner.changed",
    summary: "Change a partner's name, API version, fees, payouts, credit or limits",
    description:
      "Changes only the members that you send, all of them or none. Existing payments keep their fees.",
  }),
)

/** One endpoint for each measure. To stop is urgent and does no harm, so it needs less than to resume. */
const measure = <const M extends Merchant.Measure>(
  name: M,
  scope: ApiKey.OperatorScope,
  summary: string,
  description: string,
) =>
  HttpApiEndpoint.post(name, `/operator/v1/partners/:partnerId/${name}`, {
    params,
    success: Partner.Partner,
    error: Problem.errors("not_found"),
  }).pipe(Endpoint.write({ scope, action: "partner.changed", summary, description }))

export const group = Endpoint.group(
  "partners",
  "Partners own merchants and have API keys",
  create,
  ensure,
  list,
  get,
  resembling,
  change,
  measure(
    "suspend",
    "support",
    "Suspend all merchants of a partner",
    "They take no new payments. Open payments can still be paid.",
  ),
  measure("resume", "admin", "End the suspension of a partner", "They take payments again."),
  measure(
    "freeze",
    "support",
    "Freeze all merchants of a partner",
    "The service sends no payouts, refunds or returns for them.",
  ),
  measure("unfreeze", "admin", "End the freeze of a partner", "The service sends what waited."),
)
