/**
 * The audit log: who wrote what.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as AuditEntry from "../wire/AuditEntry.ts"

export const list = HttpApiEndpoint.get("list", "/v1/audit-log", {
  headers: Headers.common,
  query: Query.page,
  success: AuditEntry.Page,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List changes and who made them, newest first")
  .annotate(
    OpenApi.Description,
    "Lists every write by your keys, and by the operator on your behalf. Secrets and personal data are named, but their values are not shown.",
  )

export const group = HttpApiGroup.make("auditLog")
  .add(list)
  .annotate(OpenApi.Description, "The log of changes and who made them")
