/**
 * Entries of the audit log, on the wire.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import * as AuditLog from "@florin/core/domain/partner/AuditLog"
import * as Schema from "effect/Schema"
import * as Pages from "./Page.ts"
import * as Text from "./Text.ts"

const Value = AuditLog.Value.annotate({ description: "Null if there is no value" })

export interface AuditEntry extends Schema.Schema.Type<typeof AuditEntry> {}
export const AuditEntry = Schema.Struct({
  id: Text.auditEntryId,
  timestamp: Text.dateTime,
  action: AuditLog.Action.annotate({ identifier: "AuditAction" }),
  subject: Text.plain("The id of the changed object"),
  actor: Schema.Struct({
    type: Schema.Literals(["key", "operator"]),
    keyId: Schema.NullOr(Text.keyId).annotate({
      description: "The API key that made the change; null for the operator",
    }),
  }),
  requestId: Schema.NullOr(Schema.String).annotate({
    description: "The Request-Id of the response; null outside of a request",
  }),
  changes: Schema.Array(
    Schema.Struct({
      field: Schema.String,
      from: Schema.optionalKey(Value),
      to: Schema.optionalKey(Value),
    }),
  ).annotate({
    description: "The changes. Secrets and personal data are named without their values",
  }),
}).annotate({ identifier: "AuditEntry" })

export interface Page extends Schema.Schema.Type<typeof Page> {}
export const Page = Pages.of(AuditEntry, "AuditLogPage")

/** An entry of any partner or of the operator alone, as the operator sees it. */
export interface Owned extends Schema.Schema.Type<typeof Owned> {}
export const Owned = Schema.Struct({
  ...AuditEntry.fields,
  partnerId: Schema.NullOr(Text.partnerId).annotate({
    description: "The owner of the changed object. Null for what belongs to the operator",
  }),
  mode: Schema.NullOr(Mode.Mode).annotate({ description: "Null for what has no mode" }),
  actor: Schema.Struct({
    type: Schema.Literals(["key", "operator"]),
    keyId: Schema.NullOr(Text.keyId).annotate({
      description: "The key that was used. Null for a command, and in the service's own process",
    }),
    name: Schema.NullOr(Schema.String).annotate({
      description: "The name of the person or system that acted for the operator, if known",
    }),
    processId: Schema.NullOr(Schema.Int),
  }),
  reason: Schema.NullOr(Schema.String).annotate({
    description: "The reason that the caller stated; null if none",
  }),
}).annotate({ identifier: "OwnedAuditEntry" })

export const OwnedPage = Pages.of(Owned, "OwnedAuditLogPage")
