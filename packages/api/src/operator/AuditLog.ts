/**
 * The audit log of the whole service: who wrote what.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as AuditEntry from "../wire/AuditEntry.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

const list = HttpApiEndpoint.get("list", "/operator/v1/audit-log", {
  query: {
    partnerId: Schema.optionalKey(
      Text.partnerId.annotate({ description: "Only entries about this partner" }),
    ),
    mode: Schema.optionalKey(
      Mode.Mode.annotate({ description: "Only entries of this mode, and those that have none" }),
    ),
    action: Schema.optionalKey(AuditEntry.AuditEntry.fields.action),
    since: Schema.optionalKey(
      Schema.String.annotate({
        format: "date-time",
        description: "Only entries from this time on, in RFC 3339 format",
      }),
    ),
    ...Query.page,
  },
  success: AuditEntry.OwnedPage,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List changes and who made them, newest first",
    description:
      "Lists every write of partners and of the operator, with the name of the person if it is known. Secrets and personal data are named, but their values are not shown.",
  }),
)

export const group = Endpoint.group("auditLog", "The log of changes and who made them", list)
