/**
 * The audit log: who wrote what.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as AuditEntry from "../wire/AuditEntry.ts"

export const group = Endpoint.group(
  "auditLog",
  "The log of changes and who made them",
  Endpoint.get("list", "/v1/audit-log", {
    summary: "List changes and who made them, newest first",
    description:
      "Lists every write by your keys, and by the operator on your behalf. Secrets and personal data are named, but their values are not shown.",
    headers: Headers.common,
    query: Query.page,
    success: AuditEntry.Page,
  }),
)
