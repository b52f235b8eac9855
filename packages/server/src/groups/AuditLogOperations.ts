/**
 * The audit log over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/AuditLog"
import * as AuditLog from "@florin/core/engine/AuditLog"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as AuditView from "../views/AuditView.ts"

export const operations = Operation.partner(Contract.group, {
  list: ({ query, tenant }) =>
    Effect.map(AuditLog.list(tenant, query.cursor, query.limit), ({ items, nextCursor }) =>
      Operation.ok({ data: items.map(AuditView.entry), nextCursor }),
    ),
})
