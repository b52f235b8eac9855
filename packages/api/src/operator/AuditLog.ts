/**
 * The audit log of the whole service: who wrote what.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Query from "../Query.ts"
import * as AuditEntry from "../wire/AuditEntry.ts"
import * as Members from "../wire/Members.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "auditLog",
  "The log of changes and who made them",
  Endpoint.get("list", "/operator/v1/audit-log", {
    scope: "read",
    summary: "List changes and who made them, newest first",
    description:
      "The log has every write of partners and of the operator, with the name of the person if it is known. Secrets and personal data are named, but their values are not shown.",
    query: {
      ...Members.optional({
        partnerId: Text.partnerId.annotate({ description: "Only entries about this partner" }),
        mode: Mode.Mode.annotate({
          description: "Only entries of this mode, and those that have none",
        }),
        action: AuditEntry.AuditEntry.fields.action,
        since: Text.time("Only entries from this time on, in RFC 3339 format"),
      }),
      ...Query.page,
    },
    success: AuditEntry.OwnedPage,
  }),
)
