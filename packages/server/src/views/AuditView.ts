/**
 * Entries of the audit log as the wire shows them. A partner sees that the operator wrote an entry, but not which
 * person did.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/AuditEntry"
import type * as AuditLog from "@florin/core/domain/partner/AuditLog"
import * as TimeView from "./TimeView.ts"

export const entry = (listed: AuditLog.Entry): Wire.AuditEntry => ({
  id: listed.id,
  timestamp: TimeView.iso(listed.at),
  action: listed.action,
  subject: listed.subject,
  actor:
    listed.actor._tag === "Key"
      ? { type: "key", keyId: listed.actor.keyId }
      : { type: "operator", keyId: null },
  requestId: listed.requestId,
  changes: listed.changes,
})

/** An entry for the operator, with the person who wrote it. */
export const owned = (listed: AuditLog.Entry): Wire.Owned => {
  const { actor, mode, partnerId, reason = null } = listed
  return {
    ...entry(listed),
    partnerId,
    mode,
    reason,
    actor:
      actor._tag === "Key"
        ? { type: "key", keyId: actor.keyId, name: null, processId: null }
        : {
            type: "operator",
            keyId: actor.keyId ?? null,
            name: actor.name,
            processId: actor.processId,
          },
  }
}
